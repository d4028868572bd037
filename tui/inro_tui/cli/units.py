"""Timers for the systems' own schedulers, ready to be saved: `inro sync` every so many minutes."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from xml.sax.saxutils import escape


def command() -> list[str]:
    """What runs this program, as a scheduler with a bare environment must be told."""
    found = shutil.which(sys.argv[0])
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "inro_tui.cli.main"]


def systemd(library: Path, minutes: int) -> str:
    """A user service with its timer, as a script that installs both."""
    line = " ".join(_systemd_quoted(part) for part in [*command(), "-L", str(library), "sync"])
    return f"""\
# Save the two parts, then: systemctl --user enable --now inro-sync.timer
# To run without being logged in: loginctl enable-linger

# ~/.config/systemd/user/inro-sync.service
[Unit]
Description=Bring the Inro library up to date

[Service]
Type=oneshot
ExecStart={line}
Nice=10
IOSchedulingClass=idle
# another program holds the library: the next time will do
SuccessExitStatus=4

# ~/.config/systemd/user/inro-sync.timer
[Unit]
Description=Bring the Inro library up to date every {minutes} minutes

[Timer]
OnStartupSec=2min
OnUnitInactiveSec={minutes}min

[Install]
WantedBy=timers.target
"""


def launchd(library: Path, minutes: int) -> str:
    """A launch agent."""
    parts = "\n".join(f"    <string>{escape(part)}</string>" for part in [*command(), "-L", str(library), "sync"])
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Save as ~/Library/LaunchAgents/inro.sync.plist, then: launchctl bootstrap gui/$(id -u) that file -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>inro.sync</string>
  <key>ProgramArguments</key>
  <array>
{parts}
  </array>
  <key>StartInterval</key>
  <integer>{minutes * 60}</integer>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
"""


def _systemd_quoted(part: str) -> str:
    """One argument of `ExecStart`: quoted where needed, its own specifiers (`%`) and variables (`$`) made plain."""
    plain = part.replace("%", "%%").replace("$", "$$")
    if plain == shlex.quote(plain):
        return plain
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
