"""A well-known course's scripts: is the snapshot in a `.snap` obtainable at all, whatever the delays?

`.top`: the number of machines, then `machine tokens` a line, then `source destination` a line. `.events`: lines
`send N1 N2 3`, `snapshot N2`, `tick [n]`. `.snap`: the snapshot's number (the script's count from 0), `machine tokens`
a line, `source destination token(3)` a line in the channel's order. `#` begins a comment.

Such files say what is done, not when messages arrive. Lines between two ticks happen at once: messages arrive at ticks
only, and after the last line, each channel's in order, any number at a tick. Every choice of arrivals is explored that
can still give the snapshot; what cannot matter any more arrives at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from checker.audit.events import natural
from checker.audit.judging import CONSISTENT, IMPOSSIBLE, INCOMPLETE
from checker.audit.reasons import Places
from checker.audit.result import Audit, Audited
from model.errors import InputError

MOST = 100_000
"""How many states are explored for one snapshot before giving up."""
MARKER = -1
Ends = tuple[str, str]
T = TypeVar("T")


class Line(NamedTuple):
    """A script's line: `what` is send, snapshot or tick; `number` is tokens, or which snapshot."""

    place: int
    what: str
    machine: str
    other: str
    number: int


@dataclass(frozen=True, slots=True)
class Script:
    """Tokens at the start, channels, and the lines."""

    tokens: dict[str, int]
    channels: tuple[Ends, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A `.snap`: which snapshot, each machine's tokens, each channel's messages."""

    file: str
    snapshot: int
    tokens: dict[str, int]
    channels: dict[Ends, tuple[int, ...]]


class State(NamedTuple):
    """Where a run is: the line to be done next, tokens, what is in the channels, who recorded, what of each channel.

    left: what is still to be recorded of each channel if the snapshot is to be the claimed one; None: it is closed.
    """

    line: int
    tokens: tuple[int, ...]
    channels: tuple[tuple[int, ...], ...]
    recorded: tuple[bool, ...]
    left: tuple[tuple[int, ...] | None, ...]


def audit(paths: list[str]) -> Audit:
    """Each `.snap` judged: consistent if some delays give it, impossible if none do."""
    kinds = {suffix: [path for path in paths if path.endswith(suffix)] for suffix in (".top", ".events", ".snap")}
    if (
        len(kinds[".top"]) != 1
        or len(kinds[".events"]) != 1
        or not kinds[".snap"]
        or sum(map(len, kinds.values())) < len(paths)
    ):
        raise InputError(
            f"log {', '.join(map(repr, paths))}: accepted is one .top, one .events and any number of .snap"
        )
    script = read_script(kinds[".top"][0], kinds[".events"][0])
    found = []
    for path in sorted(kinds[".snap"], key=natural):
        claim = read_claim(path, script)
        verdict, why = judge(script, claim)
        data = {"run": "", "snapshot": claim.snapshot, "verdict": verdict, "why": why, "file": path}
        told = (why,) if why else ()
        found.append(Audited("", str(claim.snapshot), verdict, told, None, None, data, None))
    remarks = tuple(
        f"line {line.place} of the script cannot be carried out under all delays: {why}." for line, why in late(script)
    )
    return Audit(1, len(script.tokens), len(script.lines), [], remarks, tuple(found), False, Places(paths))


def late(script: Script) -> Iterator[tuple[Line, str]]:
    """Each machine's first line that sends tokens which may not have arrived by then."""
    own, told = dict(script.tokens), set()
    for line in script.lines:
        if line.what == "send":
            own[line.machine] -= line.number
            if own[line.machine] < 0 and line.machine not in told:
                told.add(line.machine)
                yield line, f"{line.machine} may not have {line.number} tokens yet"


def judge(script: Script, claim: Claimed) -> tuple[str, str]:
    """The verdict, and why where it is not consistent."""
    if claim.snapshot not in {line.number for line in script.lines if line.what == "snapshot"}:
        return IMPOSSIBLE, f"The script has no snapshot {claim.snapshot}."
    if claim.tokens.keys() != script.tokens.keys():
        return INCOMPLETE, "The claim does not have the machines of the topology."
    search = _Search(script, claim)
    waiting, seen = [search.initial], {search.initial}
    while waiting:
        state = waiting.pop()
        if all(left is None for left in state.left):
            return CONSISTENT, ""
        if len(seen) > MOST:
            return INCOMPLETE, f"Whether any delays give it is not settled after {MOST:,} states."
        for after in search.successors(state):
            if after not in seen and search.possible(after):
                seen.add(after)
                waiting.append(after)
    return IMPOSSIBLE, f"No delays of the script's messages give it ({len(seen):,} states explored)."


class _Search:
    """The runs of a script in which nothing yet contradicts the claim."""

    def __init__(self, script: Script, claim: Claimed) -> None:
        self.script, self.claim = script, claim
        self.names = list(script.tokens)
        self.number = {name: number for number, name in enumerate(self.names)}
        self.ends = [(self.number[a], self.number[b]) for a, b in script.channels]
        self.wanted = [claim.tokens[name] for name in self.names]
        empty: tuple[tuple[int, ...], ...] = ((),) * len(self.ends)
        left = tuple(claim.channels.get(ends, ()) for ends in script.channels)
        self.initial = State(0, tuple(script.tokens.values()), empty, (False,) * len(self.names), left)

    def successors(self, state: State) -> Iterator[State]:
        """One line of the script, or at a tick one arrival; arrivals that cannot matter come first, and alone."""
        line = self.script.lines[state.line] if state.line < len(self.script.lines) else None
        if line is not None and line.what != "tick":
            yield from self._done(state, line)
            return
        for channel, content in enumerate(state.channels):
            if content and state.left[channel] is None:
                yield from self._arrived(state, channel)
                return
        if line is not None:
            yield state._replace(line=state.line + 1)
        for channel, content in enumerate(state.channels):
            if content:
                yield from self._arrived(state, channel)

    def possible(self, state: State) -> bool:
        """Whether what is in the channels may still be recorded as claimed.

        Before its marker a channel holds just what is left to record, if its machine has recorded, or else ends in it.
        """
        for channel, content in enumerate(state.channels):
            left = state.left[channel]
            if left is not None and content and MARKER in content:
                white = content[: content.index(MARKER)]
                if len(white) < len(left) or white[len(white) - len(left) :] != left:
                    return False
                if state.recorded[self.ends[channel][1]] and len(white) > len(left):
                    return False
        return True

    def _done(self, state: State, line: Line) -> Iterator[State]:
        after, machine = state._replace(line=state.line + 1), self.number[line.machine]
        if line.what == "snapshot":
            ours = line.number == self.claim.snapshot
            yield from self._recorded(after, machine) if ours else iter((after,))
        elif state.tokens[machine] >= line.number:
            channel = self.ends.index((machine, self.number[line.other]))
            tokens = _with(state.tokens, machine, state.tokens[machine] - line.number)
            content = (*state.channels[channel], line.number)
            yield after._replace(tokens=tokens, channels=_with(state.channels, channel, content))

    def _recorded(self, state: State, machine: int) -> Iterator[State]:
        """The machine records, if its state is the one claimed, and puts its markers."""
        if state.tokens[machine] == self.wanted[machine]:
            channels = tuple(
                (*content, MARKER) if source == machine else content
                for content, (source, _) in zip(state.channels, self.ends, strict=True)
            )
            yield state._replace(channels=channels, recorded=_with(state.recorded, machine, True))

    def _arrived(self, state: State, channel: int) -> Iterator[State]:
        (message, *rest), machine = state.channels[channel], self.ends[channel][1]
        after = state._replace(channels=_with(state.channels, channel, tuple(rest)))
        left = state.left[channel]
        if message == MARKER:
            reds = self._recorded(after, machine) if not state.recorded[machine] else iter((after,))
            if not left:
                yield from (red._replace(left=_with(red.left, channel, None)) for red in reds)
            return
        after = after._replace(tokens=_with(state.tokens, machine, state.tokens[machine] + message))
        if not state.recorded[machine] or left is None:
            yield after
        elif left[:1] == (message,):
            yield after._replace(left=_with(state.left, channel, left[1:]))


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    return (*items[:index], item, *items[index + 1 :])


# -- files -----------------------------------------------------------------------------------------------------


def read_script(top: str, events: str) -> Script:
    """The topology and the script; `InputError` names the first line that is neither."""
    tokens: dict[str, int] = {}
    channels: list[Ends] = []
    lines: list[Line] = []
    for place, words in _words(top):
        if len(words) == 2 and words[1].isdigit() and words[0] not in tokens and not channels:
            tokens[words[0]] = int(words[1])
        elif len(words) == 2 and set(words) <= tokens.keys():
            channels.append((words[0], words[1]))
        elif len(words) != 1 or tokens:
            raise InputError(f"{top}:{place}: {' '.join(words)!r} is no machine with its tokens and no channel")
    snapshots = 0
    for place, words in _words(events):
        match words:
            case ["send", machine, other, number] if (machine, other) in channels and number.isdigit():
                lines.append(Line(place, "send", machine, other, int(number)))
            case ["snapshot", machine] if machine in tokens:
                lines.append(Line(place, "snapshot", machine, "", snapshots))
                snapshots += 1
            case ["tick"] | ["tick", _] if words[-1] == "tick" or words[-1].isdigit():
                lines.append(Line(place, "tick", "", "", 0))
            case _:
                raise InputError(f"{events}:{place}: {' '.join(words)!r} is no send, snapshot or tick there")
    return Script(tokens, tuple(channels), tuple(lines))


def read_claim(path: str, script: Script) -> Claimed:
    """A claimed snapshot."""
    claim = Claimed(path, -1, {}, {})
    for place, words in _words(path):
        message = re.fullmatch(r"token\((\d+)\)", words[-1])
        if len(words) == 1 and words[0].isdigit() and claim.snapshot < 0:
            claim = replace(claim, snapshot=int(words[0]))
        elif len(words) == 2 and words[0] in script.tokens and words[1].isdigit():
            claim.tokens[words[0]] = int(words[1])
        elif len(words) == 3 and (words[0], words[1]) in script.channels and message:
            ends = words[0], words[1]
            claim.channels[ends] = (*claim.channels.get(ends, ()), int(message[1]))
        else:
            raise InputError(f"{path}:{place}: {' '.join(words)!r} is no number, machine or message of a snapshot")
    return claim


def _words(path: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each line that has any, comments left out, with its number."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"log {path!r}: cannot be read ({error})") from None
    for place, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield place, words
