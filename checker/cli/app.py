"""The command: its verbs, and what becomes of errors and interrupts; exit codes are those of the contract.

0 everything asked holds, or was done; 1 violated; 2 bad usage or bad input; 3 unknown; 130 on a second interrupt.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
from textwrap import wrap
from types import FrameType
from typing import cast

from checker.cli.arguments import Parser, describe, parser
from checker.cli.json_output import kept_for_json, nothing_covered
from checker.engines.memory import out_of_memory
from model.errors import InputError, like, missing

BAD_INPUT, UNKNOWN = 2, 3
LONGEST_WORD, LONGEST_MESSAGE = 100, 2000
"""Characters of an argument that are repeated in a message, and of a message."""


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb's function is (module:function), and command lines that show what it is for."""

    where: str
    examples: tuple[str, ...]

    def function(self) -> Callable[..., int]:
        """The function; its module is loaded now."""
        module, _, name = self.where.partition(":")
        return cast(Callable[..., int], getattr(import_module(f"checker.cli.{module}"), name))


VERBS = {
    "check": Verb(
        "check:check",
        ("ring:3", "ring:3 --relax fifo --trace run.svg", "complete:3 --program transfer,b=2,s=2 --workers 2"),
    ),
    "refute": Verb("refute:refute", ("any:3 --relax fifo,loss:1", "ring:4 --property channel-exact --max-depth 12")),
    "prove": Verb("prove:prove", ("--out obligations", "--protocol my_protocol.py:Mine")),
    "show": Verb("show:show", ("run.json --explain", "run.json --svg run.svg --html run.html")),
    "audit": Verb("audit:audit", ("node1.jsonl node2.jsonl", "logs --html audit.html")),
    "export": Verb("export:export", ("ring:3 ring.pml ring.tla",)),
    "list": Verb("list:list_names", ("protocols", "marker")),
    "demo": Verb("demo:demo", ("",)),
    "sweep": Verb("sweep:sweep", ("experiments/strong.toml --out results",)),
    "report": Verb("report:report", ("results",)),
    "matrix": Verb("matrix:matrix", ("strong:3 --protocol marker --protocol laiyang --relax none --relax fifo",)),
    "assumptions": Verb("assumptions:assumptions", ("complete:2 --protocol marker --property reachable",)),
    "gallery": Verb("gallery:gallery", ("", "flink-20645")),
    "synthesise": Verb(
        "synthesise:synthesise", ("ring:3 complete:3", "ring:3 --relax fifo", "ring:3 --relax fifo --tags")
    ),
    "explore": Verb("explore:explore", ("ring:3 --relax fifo",)),
    "playground": Verb("playground:playground", ("--build", "")),
}


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; its exit code."""
    try:
        if any("\0" in word for word in arguments):
            raise InputError("a NUL character in an argument")
        return _dispatch(list(arguments))
    except InputError as error:
        return _complain(str(error), arguments)
    except KeyboardInterrupt as error:
        why = " ".join(map(str, error.args)) or "interrupted"
        print(f"redwhite: {why} before anything was covered", file=sys.stderr)
        return UNKNOWN
    except ModuleNotFoundError as error:
        return _complain(str(missing(error)), arguments)
    except BaseException as error:  # a user's file decides nothing but its own refusal: not by SystemExit either
        return _explain(error, arguments)


def _dispatch(words: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        _complete()
    first = words[0] if words else ""
    if first in ("-h", "--help"):
        print(_help(), end="")
        return 0
    if first == "--version":
        from importlib.metadata import version

        print(f"redwhite {version('redwhite')}")
        return 0
    if first not in VERBS:
        said = f"no command {first!r}" if first else "no command given"
        raise InputError(f"{said}: {like(first, VERBS)}choose from {', '.join(VERBS)} (see redwhite --help)")
    function = VERBS[first].function()
    read = _parser(first)
    if any(word in ("-h", "--help") for word in words[1 : words.index("--") if "--" in words else None]):
        print(read.format_help(), end="")
        return 0
    given = vars(read.parse_intermixed_args(words[1:]))
    if not given.get("as_json"):
        return function(**given)
    # Theorems run nobody's code; a protocol of one's own is one's own code.
    with kept_for_json() if first != "prove" or given.get("protocol") is not None else nullcontext():
        try:
            return function(**given)
        except BaseException as error:
            memory = out_of_memory(error)
            if not memory and not isinstance(error, KeyboardInterrupt):
                raise
            nothing_covered("out of memory" if memory else " ".join(map(str, error.args)) or "interrupted")
            return UNKNOWN


def _parser(name: str) -> Parser:
    verb = VERBS[name]
    found = parser(name, verb.examples)
    describe(found, verb.function())
    return found


def _help() -> str:
    """All verbs, each with what it does."""
    width = shutil.get_terminal_size().columns
    indent = max(map(len, VERBS)) + 4
    lines = ["usage: redwhite COMMAND [options]", ""]
    lines += [*_wrapped("Exhaustive checks and proofs of distributed snapshot algorithms.", width, "", ""), ""]
    for name, verb in VERBS.items():
        does = (getdoc(verb.function()) or "").split("\n")[0]
        lines += _wrapped(does, width, f"  {name:<{indent - 2}}", " " * indent)
    told = ("redwhite COMMAND --help: its options and examples", "redwhite list: everything that has a name")
    completion = 'eval "$(register-python-argcomplete redwhite)": the TAB key completes commands, options and names'
    lines += ["", *told, "redwhite --version", completion]
    return "\n".join(lines) + "\n"


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    return wrap(text, max(width, len(later) + 30), initial_indent=first, subsequent_indent=later)


def _complete() -> None:
    """Answer the shell's question for completions; this does not return."""
    from argparse import ArgumentParser

    import argcomplete

    whole = ArgumentParser("redwhite")
    verbs = whole.add_subparsers()
    for name, verb in VERBS.items():
        describe(verbs.add_parser(name), verb.function())
    argcomplete.autocomplete(whole)


# -- errors ------------------------------------------------------------------------------------------------------


def _complain(message: str, arguments: Sequence[str]) -> int:
    """One line, printable and of a bounded length, whatever was typed and whatever a user's file raised."""
    for word in arguments:
        for part in (word, *word.split("=", 1)):
            if len(part) > LONGEST_WORD:
                message = message.replace(part, f"{part[: LONGEST_WORD // 2]}... ({len(part):,} characters)")
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[:LONGEST_MESSAGE]}..."
    print(f"redwhite: {line}", file=sys.stderr)
    return BAD_INPUT


def _explain(error: BaseException, arguments: Sequence[str]) -> int:
    """One line for an error in a user's own file; a traceback only for a fault of ours."""
    words = f"{type(error).__name__}: {error}"
    if out_of_memory(error):
        print("redwhite: unknown: out of memory (see --max-states)", file=sys.stderr)
        return UNKNOWN
    if isinstance(error, OSError) and error.filename and any(str(error.filename) in word for word in arguments):
        return _complain(f"file {str(error.filename)!r}: {error.strerror}", arguments)
    for frame, line in _frames(error):
        if frame.f_globals.get("__name__", "").startswith("redwhite_user_"):
            return _complain(f"{frame.f_code.co_filename}, line {line}, in {frame.f_code.co_name}: {words}", arguments)
    if isinstance(error, TypeError) and "unhashable" in str(error):
        plain = "use None, bool, int, str, tuple, frozenset"
        return _complain(f"a state or message is no plain value ({error}): {plain}", arguments)
    if isinstance(error, ValueError) and "set_int_max_str_digits" in str(error):
        most = sys.get_int_max_str_digits()
        return _complain(f"a number of more than {most:,} digits: accepted are shorter ones", arguments)
    traceback.print_exception(error)
    print(f"redwhite: unknown: an error of Redwhite's own ({words})", file=sys.stderr)
    return UNKNOWN


def _frames(error: BaseException | None) -> Iterator[tuple[FrameType, int]]:
    """Where it was raised and on the way there, innermost first; then the same for what it was raised from."""
    while error is not None:
        yield from reversed(list(traceback.walk_tb(error.__traceback__)))
        error = error.__cause__ or error.__context__
