"""A well-known course's scripts: is the snapshot in a `.snap` obtainable at all, whatever the delays?

`.top`: the number of machines, then `machine tokens` a line, then `source destination` a line. `.events`: lines
`send N1 N2 3`, `snapshot N2`, `tick [n]`. `.snap`: the snapshot's number (the script's count from 0), `machine tokens`
a line, `source destination token(3)` a line in the channel's order. `#` begins a comment.

Such files say what is done, not when messages arrive. Lines between two ticks happen at once: messages arrive at ticks
only, and after the last line, each channel's in order, any number at a tick. All delays are covered without trying them
one by one: the claim's contents and tokens leave few cuts, and whether delays lead to one of them is seen from the run
in which all comes as early as the cut allows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from checker.audit.events import natural
from checker.audit.judging import CONSISTENT, IMPOSSIBLE, INCOMPLETE
from checker.audit.reasons import Places
from checker.audit.result import Audit, Audited
from model.errors import InputError

MOST = 300_000
"""How many machines' parts of cuts are tried for one snapshot before giving up."""
Ends = tuple[str, str]


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
    if any(search.carried_out(cut) for cut in search.fitting()):
        return CONSISTENT, ""
    if search.tried >= MOST:
        return INCOMPLETE, f"Whether any delays give it is not settled after {MOST:,} parts of cuts."
    return IMPOSSIBLE, "No delays of the script's messages give it."


class _Search:
    """The cuts of a script that are the claim, each told by how many of its sends every machine did before it.

    What a channel holds at such a cut are the last messages sent on it, as many as claimed: those before them had
    arrived. So the cut says what each machine had received, and its tokens follow.
    """

    def __init__(self, script: Script, claim: Claimed) -> None:
        self.script, self.claim = script, claim
        sends = [(at, line) for at, line in enumerate(script.lines) if line.what == "send"]
        self.sends = {name: [(at, line) for at, line in sends if line.machine == name] for name in script.tokens}
        self.on = {
            ends: [(at, line.number) for at, line in sends if (line.machine, line.other) == ends]
            for ends in script.channels
        }
        self.ticks = [at for at, line in enumerate(script.lines) if line.what == "tick"] + [len(script.lines)]
        self.tried = 0
        self.begun, self.initiator = next(
            (at, line.machine)
            for at, line in enumerate(script.lines)
            if line.what == "snapshot" and line.number == claim.snapshot
        )

    def fitting(self) -> Iterator[dict[str, int]]:
        """The numbers of sends before a cut that has the claimed contents and tokens, machine after machine."""
        order = self._order()
        done: dict[str, int] = {}

        def rest(number: int) -> Iterator[dict[str, int]]:
            if number == len(order):
                yield dict(done)
                return
            machine = order[number]
            for count in range(len(self.sends[machine]) + 1):
                done[machine] = count
                self.tried += 1
                if self.tried < MOST and self._fits(machine, done):
                    yield from rest(number + 1)
            del done[machine]

        return rest(0)

    def _order(self) -> list[str]:
        """The initiator, then always a neighbour of those before: so their tokens are soon known."""
        order = [self.initiator]
        while len(order) < len(self.script.tokens):
            near = [b if a in order else a for a, b in self.script.channels if (a in order) != (b in order)]
            order.append(near[0] if near else next(name for name in self.script.tokens if name not in order))
        return order

    def _fits(self, machine: str, done: dict[str, int]) -> bool:
        """Whether the machine's sends leave the claimed contents, and give all tokens that they settle as claimed."""
        if machine == self.initiator and done[machine] != sum(at < self.begun for at, _ in self.sends[machine]):
            return False
        outputs = [ends for ends in self.script.channels if ends[0] == machine]
        for ends in outputs:
            claimed = self.claim.channels.get(ends, ())
            sent = tuple(number for _, number in self._white(ends, done))
            if sent[len(sent) - len(claimed) :] != claimed or len(sent) < len(claimed):
                return False
        return all(self._tokens_fit(name, done) for name in {machine, *(b for _, b in outputs)})

    def _tokens_fit(self, machine: str, done: dict[str, int]) -> bool:
        """Whether the machine's tokens are as claimed, or not settled yet."""
        inputs = [ends for ends in self.script.channels if ends[1] == machine]
        if machine not in done or any(source not in done for source, _ in inputs):
            return True
        tokens = self.script.tokens[machine] - sum(line.number for _, line in self.sends[machine][: done[machine]])
        for ends in inputs:
            tokens += sum(number for _, number in self._early(ends, done))
        return tokens == self.claim.tokens[machine]

    def _white(self, ends: Ends, done: dict[str, int]) -> list[tuple[int, int]]:
        """What was sent on the channel before the cut: line and number."""
        before = self.sends[ends[0]][done[ends[0]] - 1][0] if done[ends[0]] else -1
        return [(at, number) for at, number in self.on[ends] if at <= before]

    def _early(self, ends: Ends, done: dict[str, int]) -> list[tuple[int, int]]:
        """What of it had arrived."""
        white = self._white(ends, done)
        return white[: len(white) - len(self.claim.channels.get(ends, ()))]

    def carried_out(self, done: dict[str, int]) -> bool:
        """Whether delays give this cut: markers can come in time, and every send has its tokens.

        Each machine records as early as it can, and all arrives as early as it may: that only helps.
        """
        recorded = self._recorded(done)
        return recorded is not None and self._tokens_suffice(done, recorded)

    def _tick(self, at: int) -> int:
        """The first tick from a line on: when what is sent there may arrive."""
        return self.ticks[bisect_left(self.ticks, at)]

    def _recorded(self, done: dict[str, int]) -> dict[str, int] | None:
        """The earliest line at which each machine may record; None if some machine cannot."""
        earliest = {name: self._earliest(name, done) for name in self.script.tokens}
        recorded = {self.initiator: self.begun}
        if any(self._tick(at) > self.begun for at in self._last_early(self.initiator, done)):
            return None
        while len(recorded) < len(earliest):
            marked = [
                (max(earliest[name], self._tick(recorded[source])), name)
                for source, name in self.script.channels
                if source in recorded and name not in recorded and not self.claim.channels.get((source, name))
            ]
            if not marked:
                return None
            at, name = min(marked)
            after = self.sends[name][done[name] :]
            if after and at > after[0][0]:
                return None
            recorded[name] = at
        return recorded

    def _earliest(self, machine: str, done: dict[str, int]) -> int:
        """The first tick after the machine's sends before the cut at which all has arrived that is to be there."""
        sent = self.sends[machine][done[machine] - 1][0] if done[machine] else -1
        return max(self._tick(at) for at in (sent, *self._last_early(machine, done)))

    def _last_early(self, machine: str, done: dict[str, int]) -> list[int]:
        """When the last message of each input was sent that had arrived."""
        inputs = [self._early(ends, done) for ends in self.script.channels if ends[1] == machine]
        return [early[-1][0] for early in inputs if early]

    def _tokens_suffice(self, done: dict[str, int], recorded: dict[str, int]) -> bool:
        """Whether each send finds its tokens there."""
        changes: dict[str, list[tuple[int, int, int]]] = {name: [] for name in self.script.tokens}
        for ends, sent in self.on.items():
            early = len(self._early(ends, done))
            for number, (at, tokens) in enumerate(sent):
                arrival = self._tick(at if number < early else max(at, recorded[ends[1]]))
                changes[ends[1]].append((arrival, 0, tokens))
                changes[ends[0]].append((at, 1, -tokens))
        for name, own in changes.items():
            held = self.script.tokens[name]
            for _, _, change in sorted(own):
                held += change
                if held < 0:
                    return False
        return True


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
