"""The entry point: global options, the list of commands, and the one place where an error becomes an exit code."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from pathlib import Path

import click

from inro import __version__
from inro.errors import InroError
from inro_tui.cli.context import Context, shared_options

COMMANDS = {
    "add": "index",
    "sync": "index",
    "status": "index",
    "doctor": "health",
    "verify": "health",
    "search": "find",
    "ask": "find",
    "show": "find",
    "models": "models",
    "eval": "measure",
    "demo": "demo",
}
"""Command → module of this package. Listing commands imports all of them, running one imports one."""


class LazyGroup(click.Group):
    """Commands live in modules that are imported when their command is named or help lists them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"inro_tui.cli.{COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="inro")
@shared_options
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find things in your notes and papers, and get answers from them, on this machine alone.

    Without a command, opens the app. Every command writes data to stdout and narration to stderr.

    Exit codes: 0 done, 1 something is wrong (doctor, verify), 2 wrong usage, 3 the library cannot be
    used, 4 the library is busy, 5 a model is missing or failed, 130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        from inro_tui.cli.demo import open_app

        open_app(Context.of(ctx).library_path)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold bytes that are not text; showing them escaped beats failing on them.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # A reader such as `head` that closes the pipe early ends the command, as it would any other.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    _settle_caches()
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        sys.exit(_say("interrupted", 130))
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f". Do: {context.command_path} --help" if context else ""
        sys.exit(_say(f"{error.format_message().rstrip('.')}{hint}", 2))
    except InroError as error:
        sys.exit(_say(str(error), error.exit_code))
    except KeyboardInterrupt:
        sys.exit(_say("interrupted", 130))


def _say(message: str, code: int) -> int:
    from inro_tui.sanitise import clean

    print(f"inro: {clean(message)}", file=sys.stderr)
    return code


def _settle_caches() -> None:
    """Compiled kernels go to the user's cache folder, so that a read-only install works."""
    from inro.paths import kernel_cache_dir

    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(kernel_cache_dir())))


if __name__ == "__main__":
    main()
