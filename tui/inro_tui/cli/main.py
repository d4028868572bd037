"""The entry point: global options, the list of commands, and the one place where an error becomes an exit code."""

from __future__ import annotations

import difflib
import gc
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import click

from inro import __version__
from inro.errors import InroError, UsageError
from inro_tui.cli.context import Context, shared_options

COMMANDS = {
    "add": "index",
    "sync": "index",
    "watch": "watch",
    "forget": "index",
    "status": "index",
    "doctor": "health",
    "verify": "health",
    "search": "find",
    "ask": "find",
    "chat": "chat",
    "show": "find",
    "shelf": "shelf",
    "review": "review",
    "models": "models",
    "mcp": "mcp",
    "sql": "sql",
    "copy": "keep",
    "merge": "keep",
    "relocate": "keep",
    "encrypt": "keep",
    "decrypt": "keep",
    "migrate": "keep",
    "config": "settings",
    "eval": "measure",
    "demo": "demo",
    "completion": "completion",
}
"""Command → module of this package. Listing commands imports all of them, running one imports one."""

INTERRUPTED = 130
"""The exit code of a command that was stopped from the keyboard, as shells have it: 128 and SIGINT."""

OBJECTS = 20_000
"""How many objects are made between two looks for garbage."""

_QUERY_INTERRUPTED = "Query interrupted"


class LazyGroup(click.Group):
    """Commands live in modules that are imported when their command is named or help lists them."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not (name in COMMANDS or name.startswith("-") or ctx.resilient_parsing):
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            mend = "inro --help, for every command"
            raise UsageError(f"there is no command {name}", f"inro {near[0]}, or {mend}" if near else mend)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # caught before click does, which prints an empty line
            sys.exit(_say("interrupted", INTERRUPTED))
        except BrokenPipeError:
            _end_as_a_filter_does()

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

        open_app(Context.of(ctx).open())


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # Started with a stream closed (`>&-`), Python has none; what is said goes nowhere then.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold bytes that are not text; showing them escaped beats failing on them.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    _settle_caches()
    # importing makes a hundred thousand objects and no garbage, and looking for it takes as long as many an import
    gc.set_threshold(OBJECTS)
    try:
        # what a command gave to `ctx.exit` comes back as a value; the commands themselves return nothing
        sys.exit(cli.main(prog_name="inro", standalone_mode=False))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_say("interrupted", INTERRUPTED))
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f". Do: {context.command_path} --help" if context else ""
        sys.exit(_say(f"{error.format_message().rstrip('.?')}{hint}", 2))
    except InroError as error:
        sys.exit(_say(str(error), error.exit_code))
    except RuntimeError as error:
        # what DuckDB makes of Ctrl-C in the middle of one of the program's own queries
        if str(error) != _QUERY_INTERRUPTED:
            raise
        sys.exit(_say("interrupted", INTERRUPTED))
    except OSError as error:
        # what the core does with files it explains itself; this is the output: a full disk, a terminal gone
        _let_go_of_stdout()
        sys.exit(_say(f"the output could not be written: {error.strerror or error}", 1))


def _say(message: str, code: int) -> int:
    from inro_tui.sanitise import clean_line

    print(f"inro: {clean_line(message)}", file=sys.stderr)
    return code


def _end_as_a_filter_does() -> NoReturn:
    """End quietly by SIGPIPE, as any command does whose reader (`head`) has seen enough.

    Not by the signal's default from the start: a worker process that dies would then take this one with it,
    instead of being started again.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
    raise SystemExit(128 + signal.SIGPIPE)


def _let_go_of_stdout() -> None:
    """What is still buffered goes nowhere, so that the end of the process does not fail on it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _settle_caches() -> None:
    """Compiled kernels go to the user's cache folder, so that a read-only install works."""
    from inro.kernels import cache_home

    os.environ["NUMBA_CACHE_DIR"] = str(cache_home())


if __name__ == "__main__":
    from inro_tui.cli import guard

    guard.main()
