"""Tasks on parts of long runs: snapshots judged from excerpts, and whole runs searched for the cuts that fit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from checker.audit.cuts import matching_cut
from checker.audit.events import STEP, Channel, Claim, Event, Place
from checker.audit.history import Cut, Excerpt, History, Skeleton
from checker.audit.judging import CONSISTENT, judged
from checker.audit.log_properties import LogProperties
from checker.audit.reading import Reading, read_line
from checker.audit.reasons import Places
from checker.audit.replay import MARKER, Replay
from checker.audit.result import Asked, Audited, explained
from checker.audit.verdict_rows import batch, snapshot_row

if TYPE_CHECKING:
    import pyarrow as pa

ANSWERS = "run string, snapshot string, rank int, place bigint, data string"


class Run(NamedTuple):
    """What all parts of a run need: each machine's state before its first line, and the channels."""

    initial: dict[str, str | None]
    channels: list[Channel]


@dataclass(slots=True)
class Answer:
    """What was found in the whole run for the claims of one snapshot.

    cuts: by file and line of the claim, the least cut that fits, and the least that may if states that the log does not
    say are any; lines: what is to be seen, machines and positions.
    """

    cuts: dict[tuple[int, int], tuple[Cut | None, Cut | None]] = field(default_factory=dict)
    lines: list[tuple[str, int]] = field(default_factory=list)

    def add(self, rank: int, place: int, data: str) -> None:
        """One claim's."""
        found = json.loads(data)
        exact, possible = found["cuts"]
        self.cuts[rank, place] = exact, possible
        self.lines += [(machine, position) for machine, position in found["lines"]]


Answers = dict[tuple[str, str], Answer]


class Line(Reading):
    """Reads lines one by one."""

    def __init__(self, files: list[str]) -> None:
        super().__init__(files=files)
        self.run: str | None = None
        self.said: Event | Claim | None = None

    def add(self, run: str, said: Event | Claim) -> None:
        """What the line says."""
        self.run, self.said = run, said

    def read(self, rank: int, place: int, line: bytes) -> Event | Claim | None:
        """What the line says, None if it is blank or was not understood; then `unread` has it."""
        self.run = self.said = None
        self.unread.clear()
        read_line(self, Place(self.files[rank], place), line)
        return self.said


class Task(NamedTuple):
    """How snapshots are judged from excerpts of these runs; `replayed`: those whose rule broken first is asked for.

    Without answers it is left open whether what is not the cut marked is one elsewhere.
    """

    files: list[str]
    asked: Asked
    runs: Mapping[str, Run]
    answers: Answers
    replayed: frozenset[tuple[str, str]]


def judge(batches: Iterator[pa.RecordBatch], task: Task) -> Iterator[pa.RecordBatch]:
    """The rows of the snapshots in a partition."""
    for audited in excerpts_audited(_rows(batches), task):
        yield from batch([snapshot_row(audited)])


def excerpts_audited(rows: Iterable[Mapping[str, Any]], task: Task) -> Iterator[Audited]:
    """The snapshots whose lines these are, which come snapshot after snapshot, claims first."""
    reader, places, properties = Line(task.files), Places(task.files), LogProperties(task.asked.properties)
    for (run, snapshot), lines in groupby(rows, key=lambda row: (row["run"], row["snapshot"])):
        excerpt = Excerpt(run, *task.runs[run])
        for row in lines:
            if row["line"] is not None:
                said = reader.read(row["rank"], row["place"], bytes(row["line"]))
                if isinstance(said, Claim):
                    excerpt.add(said)
                elif said is not None:
                    excerpt.take(row["position"], _as_part(said, snapshot, row["paired"]), row["after"])
        excerpt.marked.setdefault(snapshot, {})
        answer = task.answers.get((run, snapshot), Answer())
        for judgement in judged(excerpt, partial(_answered, answer, task.files)):
            broken = None
            if judgement.verdict != CONSISTENT and (run, snapshot) in task.replayed:
                broken = Replay(excerpt, MARKER).first_broken(judgement)
            yield explained(judgement, places, broken, properties)


def _answered(answer: Answer, files: list[str], history: History, claim: Claim, guess: bool) -> Cut | None:
    """What was found in the whole run, in positions of the excerpt."""
    assert isinstance(history, Excerpt)
    cut = answer.cuts.get((files.index(claim.place.file), claim.place.line), (None, None))[guess]
    return None if cut is None else history.within(cut)


def _as_part(event: Event, snapshot: str, paired: str | None) -> Event:
    """An event in the excerpt of a snapshot: paired as in the whole run; alone, it is a step."""
    if event.message is not None and paired is not None:
        return replace(event, pair=paired)
    if event.message is not None or event.snapshot not in (None, snapshot):
        return replace(event, kind=STEP, channel=None, message=None, snapshot=None, pair=None)
    return event


def search(batches: Iterator[pa.RecordBatch], files: list[str], runs: Mapping[str, Run]) -> Iterator[pa.RecordBatch]:
    """The answers for the claims in a partition, whose rows come run after run, claims first, then each machine's."""
    import pyarrow as pa

    reader, rank = Line(files), {file: number for number, file in enumerate(files)}
    kinds = pa.string(), pa.string(), pa.int32(), pa.int64(), pa.string()
    for run, rows in groupby(_rows(batches), key=lambda row: row["run"]):
        skeleton, claims = Skeleton(run, *runs[run]), []
        for row in rows:
            if row["machine"] is None:
                claims.append(reader.read(row["rank"], row["place"], row["line"]))
                continue
            channel = None if row["source"] is None else Channel(row["source"], row["destination"], row["name"])
            place = Place(files[row["rank"]], row["place"])
            said = row["message"], row["snapshot"], row["pair"]
            skeleton.take(Event(row["machine"], row["kind"], place, "", channel, *said), row["after"])
        skeleton.finish()
        for claim in claims:
            assert isinstance(claim, Claim)
            data = json.dumps(_answer(skeleton, claim))
            values = run, claim.snapshot, rank[claim.place.file], claim.place.line, data
            columns = [pa.array([value], kind) for value, kind in zip(values, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, names=[name.split()[0] for name in ANSWERS.split(", ")])


def _answer(skeleton: Skeleton, claim: Claim) -> dict[str, Any]:
    """The cuts that the claim is, and the lines before them and before each first state that is claimed."""
    cuts = [matching_cut(skeleton, claim, guess) for guess in (False, True)]
    lines = [(machine, position - 1) for cut in cuts if cut is not None for machine, position in cut.items()]
    for machine, state in claim.states.items():
        if state in skeleton.states.get(machine, ()):
            lines.append((machine, skeleton.states[machine].index(state) - 1))
    return {"cuts": cuts, "lines": [line for line in lines if line[1] >= 0]}


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    for rows in batches:
        yield from rows.to_pylist()
