"""The whole audit of some logs: a judgement for each snapshot, what the log itself shows amiss, and one verdict.

"Holds" is said only of logs all of whose lines were understood and in which at least one snapshot was judged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from checker.audit.events import Claim, Event, Place, natural
from checker.audit.history import Cut, History
from checker.audit.judging import CONSISTENT, ELSEWHERE, IMPOSSIBLE, INCOMPLETE, Judgement, judged
from checker.audit.log_properties import LogProperties
from checker.audit.reading import Reading, Unread, read
from checker.audit.reasons import Places, lacking, why
from checker.audit.remarks import findings, remarks, together
from checker.audit.replay import MARKER, Broken, Replay, assumed
from model.catalogue import PROTOCOLS, find
from model.protocol import Protocol


class Quote(NamedTuple):
    """A line as it stands in the log."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Audited:
    """A judged snapshot: `why` in sentences; `rule`: the first marker rule broken and the line that breaks it, if any.

    `data` is all that there is to say of it, as JSON data (`snapshot_json`); `judgement` is None if another process has
    it, where the run can be read again.
    """

    run: str
    snapshot: str
    verdict: str
    why: tuple[str, ...]
    rule: str | None
    quote: Quote | None
    data: dict[str, Any]
    judgement: Judgement | None

    @property
    def broken(self) -> list[str]:
        """The names of the properties asked for that it breaks."""
        return [found["name"] for found in self.data.get("properties", ())]

    @property
    def sound(self) -> bool:
        """Whether nothing at all is amiss with it."""
        return self.verdict == CONSISTENT and self.rule is None and not self.broken


@dataclass(frozen=True, slots=True)
class Audit:
    """All of it; `ruled`: it was asked whether a protocol allows the runs."""

    runs: int
    machines: int
    events: int
    unread: Sequence[Unread]
    remarks: tuple[str, ...]
    snapshots: tuple[Audited, ...]
    ruled: bool
    places: Places

    @property
    def verdict(self) -> str:
        """holds, violated or unknown, as in the contract."""
        verdicts = self.count()
        ruled_out = self.ruled and any(snapshot.rule for snapshot in self.snapshots)
        if verdicts[ELSEWHERE] or verdicts[IMPOSSIBLE] or ruled_out or any(s.broken for s in self.snapshots):
            return "violated"
        return "unknown" if verdicts[INCOMPLETE] or self.unread or not self.snapshots else "holds"

    def count(self) -> Counter[str]:
        """How many snapshots have which verdict."""
        return Counter(audited.verdict for audited in self.snapshots)

    def worst(self) -> list[Audited]:
        """What is not consistent, the impossible first; or where all are, those that break a rule, then any."""
        order = {IMPOSSIBLE: 0, ELSEWHERE: 1, INCOMPLETE: 2, CONSISTENT: 3}
        return sorted(self.snapshots, key=lambda audited: (order[audited.verdict], audited.sound))

    def to_json(self) -> dict[str, Any]:
        """The fields of the contract, and per snapshot where it is in the log and what differs."""
        return {
            "verdict": self.verdict,
            "runs": self.runs,
            "machines": self.machines,
            "events": self.events,
            "unexplained": len(self.unread),
            "unread": [{"file": u.place.file, "line": u.place.line, "why": u.why} for u in self.unread[:20]],
            "remarks": list(self.remarks),
            "snapshots": [audited.data for audited in self.snapshots],
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a log: `once`, an accept logged twice in a row counts once; `protocol`, does it, on channels so
    relaxed, allow the runs (None: what the marker algorithm does not allow explains the snapshots that are wrong);
    `properties`, see `checker.audit.log_properties`."""

    once: bool = False
    protocol: str | None = None
    relax: str = ""
    properties: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise `InputError` for words that are not accepted."""
        LogProperties(self.properties)
        find(self.protocol or MARKER, PROTOCOLS, Protocol)
        assumed(self.relax)


def audit(paths: Iterable[str], asked: Asked) -> Audit:
    """The audit of these files and folders; `InputError` where there is nothing to read."""
    asked.check()
    return audited(read(paths), asked)


def audited(reading: Reading, asked: Asked) -> Audit:
    """The audit of what was read."""
    histories = [reading.histories[run] for run in sorted(reading.histories, key=natural)]
    places, properties = Places(reading.files), LogProperties(asked.properties)
    snapshots = [found for history in histories for found in run_audited(history, places, asked, properties)]
    found = together(findings(history, places) for history in histories)
    machines = {machine for history in histories for machine in history.machines}
    return Audit(
        len(histories),
        len(machines),
        reading.events,
        reading.unread,
        tuple(remarks(found)),
        tuple(snapshots),
        asked.protocol is not None,
        places,
    )


def run_audited(history: History, places: Places, asked: Asked, properties: LogProperties) -> Iterator[Audited]:
    """The snapshots of one run."""
    if asked.once:
        history.once()
    replay: Replay | None = None
    for judgement in judged(history):
        broken = None
        if asked.protocol is not None or judgement.verdict != CONSISTENT:
            replay = replay or Replay(history, asked.protocol or MARKER, asked.relax)
            broken = replay.first_broken(judgement)
        yield explained(judgement, places, broken, properties)


def explained(judgement: Judgement, places: Places, broken: Broken | None, properties: LogProperties) -> Audited:
    """The judgement with all that there is to say of it."""
    told = tuple(why(judgement, places))
    data = snapshot_json(judgement, told, broken)
    failed = properties.broken(judgement)
    if failed:
        data["properties"] = [{"name": name, "verdict": "violated", "why": reason} for name, reason in failed]
    return Audited(
        judgement.history.run,
        judgement.snapshot,
        judgement.verdict,
        (*told, *(f"{name}: {reason}" for name, reason in failed)),
        broken.why if broken else None,
        Quote(broken.line.place, broken.line.text) if broken and broken.line else None,
        data,
        judgement,
    )


def snapshot_json(judgement: Judgement, told: Sequence[str], broken: Broken | None) -> dict[str, Any]:
    """One snapshot as JSON data; a line is {"file", "line"}, a cut maps machines to the number of events before it."""
    data: dict[str, Any] = {
        "run": judgement.history.run,
        "snapshot": json.loads(judgement.snapshot),
        "verdict": judgement.verdict,
        "why": " ".join(told),
        "claimed": _line(judgement.claim),
        "marked": _cut(judgement.history, judgement.marked),
    }
    if judgement.verdict == ELSEWHERE and judgement.matching is not None:
        data["found"] = _cut(judgement.history, judgement.matching)
    if judgement.orphans:
        data["orphans"] = [
            {"channel": str(o.channel), "accepted": _line(o.accepted), "sent": _line(o.sent)} for o in judgement.orphans
        ]
    if judgement.channels:
        data["channels"] = [
            {
                "channel": str(wrong.channel),
                "claimed": [json.loads(message) for message in wrong.claimed],
                "held": [json.loads(str(send.message)) for send in wrong.held],
                "missing": [_line(send) for send in lacking(wrong)],
            }
            for wrong in judgement.channels
        ]
    if judgement.states:
        data["states"] = [
            {"machine": s.machine, "claimed": json.loads(s.claimed), "held": json.loads(s.held or "null")}
            for s in judgement.states
        ]
    if broken is not None:
        data["rule"] = {"why": broken.why, "at": _line(broken.line)}
    return data


def _cut(history: History, cut: Cut) -> dict[str, int]:
    return {machine: history.numbered(machine, position) for machine, position in sorted(cut.items())}


def _line(line: Event | Claim | None) -> dict[str, Any] | None:
    return None if line is None else {"file": line.place.file, "line": line.place.line}
