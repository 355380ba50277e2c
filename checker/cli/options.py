"""What several verbs ask for: numbers refused in one line that shows the value, and the words that name a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Annotated

from checker.cli.arguments import Argument, Option
from model.errors import InputError

LONGEST_NUMBER = 18
"""Digits of the largest number that is read: more than any count here reaches, and below what Python converts."""

LONGEST_WAIT = 1e9
"""Seconds, some thirty years: what clocks and timers take without a complaint."""


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A parser for whole numbers from `least`, to `most` if there is one."""

    def parse(text: str) -> int:
        accepted = f"a whole number from {least}" + (f" to {most}" if most is not None else "")
        if not (text.isascii() and text.isdigit()):
            raise ValueError(f"{text!r}: accepted is {accepted}")
        if len(text) > LONGEST_NUMBER:
            raise ValueError(
                f"a number of {len(text)} digits: accepted is {accepted}, of at most {LONGEST_NUMBER} digits"
            )
        if not least <= int(text) <= (int(text) if most is None else most):
            raise ValueError(f"{text!r}: accepted is {accepted}")
        return int(text)

    return parse


def seconds(text: str) -> float:
    """A parser for a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and 0 <= value <= LONGEST_WAIT):
        raise ValueError(f"{text!r}: accepted is a number of seconds from 0 to {LONGEST_WAIT:.0e}")
    return value


def switch(text: str) -> bool:
    """A parser for on and off."""
    if text not in ("on", "off"):
        raise ValueError(f"{text!r}: on or off")
    return text == "on"


def computation(program: str, protocol: str, implementation: str | None) -> tuple[str, str]:
    """The words of program and protocol; those of a class under test stand for both."""
    if implementation is None:
        return program, protocol
    if (program, protocol) != ("transfer", "marker"):
        raise InputError(f"implementation {implementation!r}: it takes the place of program and protocol: name neither")
    return f"implementation,of={implementation}", "implementation"


# -- names, for completion ---------------------------------------------------------------------------------------


def programs() -> Iterable[str]:
    """The programs there are."""
    from model.catalogue import PROGRAMS

    return PROGRAMS


def protocols() -> Iterable[str]:
    """The protocols there are."""
    from model.catalogue import PROTOCOLS

    return PROTOCOLS


def properties() -> Iterable[str]:
    """The properties there are."""
    from model.properties import PROPERTIES

    return PROPERTIES


def relaxations() -> Iterable[str]:
    """The relaxations there are; all but fifo want a number."""
    from model.assumptions import RELAXATIONS

    return [name if name == "fifo" else f"{name}:1" for name in RELAXATIONS]


def engines() -> Iterable[str]:
    """The engines there are."""
    from checker.engines import ENGINES

    return ENGINES


def incidents() -> Iterable[str]:
    """The failures that the gallery shows."""
    from checker.gallery import INCIDENTS

    return INCIDENTS


def theorems() -> Iterable[str]:
    """The theorems there are."""
    from proofs.command import theorems as known

    return known()


def topologies() -> Iterable[str]:
    """The families of topologies, each of a small size."""
    from model.families import FAMILIES, family_form

    return [*(family_form(name).replace(":N", ":3") for name in FAMILIES), "strong:3"]


# -- the words that name a system --------------------------------------------------------------------------------

SYSTEM = "the system"
BOUNDS = "how far"
OUTPUT = "what is written"

TopologyName = Annotated[
    str,
    Argument(
        metavar="TOPOLOGY", help="ring:3, complete:3, edges:0>1,1>0, strong:3, a file: see `list`", names=topologies
    ),
]
ProgramName = Annotated[
    str, Option(metavar="NAME", help="NAME[,key=value...] or file.py:Class", group=SYSTEM, names=programs)
]
ProtocolName = Annotated[
    str, Option(metavar="NAME", help="NAME[,key=value...] or file.py:Class", group=SYSTEM, names=protocols)
]
ImplementationName = Annotated[
    str | None,
    Option(
        metavar="FILE.py:CLASS",
        help="an ordinary class to be tested, in the place of program and protocol",
        group=SYSTEM,
    ),
]
Initiators = Annotated[
    str, Option(metavar="WHO", help="who may turn red spontaneously: 0, or 0,2, or any", group=SYSTEM)
]
Relaxations = Annotated[
    str,
    Option(
        metavar="LIST",
        help="assumptions dropped, such as fifo,loss:1: see `list relaxations`",
        group=SYSTEM,
        names=relaxations,
    ),
]
PropertyNames = Annotated[
    list[str] | None,
    Option(
        "--property",
        metavar="NAME|FILE.py:NAME",
        help="only these (repeatable), also of your own; default: all that apply",
        names=properties,
    ),
]
EngineName = Annotated[str, Option(metavar="NAME", help="auto, reference, ...: see `list engines`", names=engines)]
Workers = Annotated[int | None, Option(parser=whole(1), metavar="N", help="threads or processes")]
MaxStates = Annotated[
    int | None, Option(parser=whole(1), metavar="N", help="stop after so many distinct states", group=BOUNDS)
]
Timeout = Annotated[
    float | None, Option(parser=seconds, metavar="SECONDS", help="stop after so many seconds", group=BOUNDS)
]
EachStates = Annotated[
    int | None, Option(parser=whole(1), metavar="N", help="stop each system after so many states", group=BOUNDS)
]
EachTimeout = Annotated[
    float | None, Option(parser=seconds, metavar="SECONDS", help="stop each system after so long", group=BOUNDS)
]
AsJson = Annotated[bool, Option("--json", help="print one JSON object and nothing else", group=OUTPUT)]
