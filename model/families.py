"""The named topologies: rings, complete graphs, paths, stars, small dataflows, and any list of channels.

Channels of a named family are ordered by (source, destination); `edges` keeps the order it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import count

from model.errors import InputError
from model.topology import Topology

# Far beyond what can be explored; complete:1000, the largest, has a million channels and is made in a second or two.
MOST_MACHINES = 1000

_NUMBER = re.compile(r"[0-9]{1,9}")
_CHANNEL = re.compile(r"\s*([0-9]{1,9})\s*>\s*([0-9]{1,9})\s*")
_EDGES_FORM = "edges:0>1,1>2,2>0"


def ring(n: int) -> Topology:
    """Machine i sends to i+1, the last one to 0; the ring of one machine is the self-channel 0>0."""
    return _named("ring", n, ((i, (i + 1) % n) for i in range(n)))


def biring(n: int) -> Topology:
    """Neighbours on a ring send to each other: one channel each way, so biring:2 is ring:2 and biring:1 is ring:1."""
    return _named("biring", n, (edge for i in range(n) for edge in _both_ways(i, (i + 1) % n)))


def complete(n: int) -> Topology:
    """Every machine sends to every other one; complete:1 is a lone machine without channels."""
    return _named("complete", n, ((i, j) for i in range(n) for j in range(n) if i != j))


def line(n: int) -> Topology:
    """Neighbours on a path send to each other."""
    return _named("line", n, (edge for i in range(n - 1) for edge in _both_ways(i, i + 1)))


def star(n: int) -> Topology:
    """Machine 0 sends to each of the n - 1 others, and they to it."""
    return _named("star", n, (edge for i in range(1, n) for edge in _both_ways(0, i)))


def chain(n: int) -> Topology:
    """A pipeline: machine i sends to i+1, the last one to nobody."""
    return _named("chain", n, ((i, i + 1) for i in range(n - 1)))


def vee() -> Topology:
    """Two sources feed one sink: 0>2, 1>2."""
    return Topology(3, ((0, 2), (1, 2)), name="vee")


def diamond() -> Topology:
    """One source feeds one sink over two machines: 0>1, 0>2, 1>3, 2>3."""
    return Topology(4, ((0, 1), (0, 2), (1, 3), (2, 3)), name="diamond")


def edges(text: str) -> Topology:
    """The channels of a list such as "0>1,1>2,2>0", in its order; parallel ones by repetition, self-channels allowed.

    The machines are those named, and must be 0, 1, 2, ... without gaps. Raises `InputError` for anything else.
    """
    channels = []
    for part in text.split(","):
        channel = _CHANNEL.fullmatch(part)
        if not channel:
            raise InputError(f"channel {shown(part)} in {shown('edges:' + text)}: accepted is {_EDGES_FORM}")
        channels.append((int(channel[1]), int(channel[2])))
    named = {machine for channel in channels for machine in channel}
    missing = next(machine for machine in count() if machine not in named)
    if missing < len(named):
        raise InputError(
            f"{shown('edges:' + text)} has a machine {max(named)} but no machine {missing}: "
            "accepted are machines 0, 1, 2, ... without gaps"
        )
    return Topology(len(named), tuple(channels), name=f"edges:{text}")


# Name -> (the function that makes it, one line that describes it). By what the name takes after a colon: N, or nothing.
_SIZED: dict[str, tuple[Callable[..., Topology], str]] = {
    "ring": (ring, "channels i>i+1 around a ring; N=1: a self-channel"),
    "biring": (biring, "a ring with channels both ways; N=2: one channel each way"),
    "complete": (complete, "a channel from every machine to every other one; N=1: a lone machine"),
    "line": (line, "channels both ways along a path"),
    "star": (star, "channels both ways between machine 0 and each of the N-1 others"),
    "chain": (chain, "a pipeline: channels i>i+1 along a path"),
}
_FIXED: dict[str, tuple[Callable[..., Topology], str]] = {
    "vee": (vee, "two sources, one sink: 0>2,1>2"),
    "diamond": (diamond, "one source, two operators, one sink: 0>1,0>2,1>3,2>3"),
}
FAMILIES: dict[str, tuple[Callable[..., Topology], str]] = {
    **_SIZED,
    **_FIXED,
    "edges": (edges, "these channels in this order; repeat one for parallel channels, 0>0 is a self-channel"),
}


def family_form(name: str) -> str:
    """How a family of `FAMILIES` is written on the command line: ring:N, vee, edges:0>1,1>2,2>0."""
    return f"{name}:N" if name in _SIZED else name if name in _FIXED else _EDGES_FORM


def parse_family(text: str) -> Topology:
    """The topology that a name such as "ring:3", "diamond" or "edges:0>1,1>0" stands for.

    Raises `InputError`, in one line that names what is accepted, for everything else.
    """
    name, colon, argument = text.partition(":")
    if name not in FAMILIES:
        raise InputError(f"unknown topology {shown(text)}: accepted are {', '.join(map(family_form, FAMILIES))}")
    build = FAMILIES[name][0]
    if name in _FIXED:
        if colon:
            raise InputError(f"{shown(text)}: accepted is {name}, which takes no argument")
        return build()
    if name in _SIZED:
        if not _NUMBER.fullmatch(argument):
            raise InputError(f"{shown(text)}: accepted is {name}:N with N from 1 to {MOST_MACHINES}")
        return build(int(argument))
    return build(argument)


def shown(text: str) -> str:
    """A user's text quoted for a message: always one line, and a short one."""
    return repr(text if len(text) <= 80 else f"{text[:77]}...")


def _both_ways(a: int, b: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (a, b), (b, a)


def _named(name: str, n: int, channels: Iterable[tuple[int, int]]) -> Topology:
    """The topology of these channels, each once, in order; a generator, so that a huge n costs nothing."""
    if not 1 <= n <= MOST_MACHINES:
        raise InputError(f"{name}:{n}: accepted is {name}:N with N from 1 to {MOST_MACHINES}")
    return Topology(n, tuple(sorted(set(channels))), name=f"{name}:{n}")
