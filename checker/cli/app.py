"""The command: its verbs, and what becomes of errors and interrupts; exit codes are those of the contract.

0 everything asked holds, or was done; 1 violated; 2 bad usage or bad input; 3 unknown; 130 on a second interrupt.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from types import FrameType

import typer

from checker.cli.assumptions import assumptions
from checker.cli.audit import audit
from checker.cli.check import check
from checker.cli.demo import demo
from checker.cli.explore import explore
from checker.cli.export import export
from checker.cli.gallery import gallery
from checker.cli.list import list_names
from checker.cli.matrix import matrix
from checker.cli.prove import prove
from checker.cli.refute import refute
from checker.cli.report import report
from checker.cli.show import show
from checker.cli.sweep import sweep
from model.errors import InputError

BAD_INPUT, UNKNOWN, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    name="redwhite",
    help="Exhaustive checks and proofs of distributed snapshot algorithms.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check)
app.command("refute")(refute)
app.command("prove")(prove)
app.command("show")(show)
app.command("audit")(audit)
app.command("export")(export)
app.command("list")(list_names)
app.command("demo")(demo)
app.command("sweep")(sweep)
app.command("report")(report)
app.command("matrix")(matrix)
app.command("assumptions")(assumptions)
app.command("gallery")(gallery)
app.command("explore")(explore)


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; its exit code."""
    before = signal.signal(signal.SIGINT, _interrupted())
    try:
        return _run(arguments)
    finally:
        signal.signal(signal.SIGINT, before)


def _run(arguments: Sequence[str]) -> int:
    try:
        code = app(args=list(arguments), prog_name="redwhite", standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of a KeyboardInterrupt that no engine caught
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except InputError as error:
        return _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        print("redwhite: interrupted before anything was covered", file=sys.stderr)
        return UNKNOWN
    except BrokenPipeError:
        return 0
    except MemoryError:
        print("redwhite: unknown: out of memory (see --max-states)", file=sys.stderr)
        return UNKNOWN
    except Exception as error:
        return _explain(error)


def _interrupted() -> Callable[[int, FrameType | None], None]:
    """A handler: the first interrupt ends the search, which then says what it covered; the second ends everything."""
    seen: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        if seen:
            os._exit(INTERRUPTED)
        seen.append(number)
        raise KeyboardInterrupt

    return handler


def _complain(message: str) -> int:
    print(f"redwhite: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def _explain(error: Exception) -> int:
    """One line for wrong usage and for an error in a user's own file; a traceback only for a fault of ours."""
    shown = getattr(error, "format_message", None)  # typer's usage errors, whose class is not public
    if shown is not None:
        context = getattr(error, "ctx", None)
        where = f" (see {context.command_path} --help)" if context is not None else ""
        return _complain(f"{shown()}{where}")
    words = f"{type(error).__name__}: {error}"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").startswith("redwhite_user_"):
            return _complain(f"{frame.f_code.co_filename}, line {line}, in {frame.f_code.co_name}: {words}")
    if isinstance(error, TypeError) and "unhashable" in str(error):
        return _complain(f"a state or message is no plain value ({error}): use None, bool, int, str, tuple, frozenset")
    traceback.print_exception(error)
    print(f"redwhite: unknown: an error of Redwhite's own ({words})", file=sys.stderr)
    return UNKNOWN
