"""Runs that are too long for one worker, audited on Spark in parts: by machine, by channel, by snapshot.

1. Each machine's lines are numbered in their order, with the state after each (window functions over a machine).
2. The k-th accept on a channel is paired with the k-th send (window functions over a channel, and a join).
3. For each channel and each snapshot, the messages that cross the cut marked are picked out (`checker.audit.crossing`).
4. They and the lines at which machines recorded are all that the judgement of a snapshot needs: an excerpt of the run,
   judged as a short run is (`checker.audit.excerpts`). Most snapshots are consistent, and that is all.
5. For what is not: a search of the whole run for a cut that fits, over the run's skeleton, some 50 bytes an event; and
   an excerpt that has the lines between the snapshot's first and last too, to be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from checker.audit.crossing import WANTED, crossing
from checker.audit.events import ACCEPT, RECORD, SEND, SNAPSHOT, START, Channel, Claim, Event, natural
from checker.audit.excerpts import ANSWERS, Answer, Answers, Line, Run, Task, excerpts_audited, judge, search
from checker.audit.judging import CONSISTENT
from checker.audit.reasons import Places
from checker.audit.remarks import (
    AGAIN,
    DOUBLED,
    KINDS,
    LOST,
    ORDER,
    REPEATED,
    RESTARTED,
    SCATTERED,
    SILENT,
    UNSENT,
    Findings,
    words_of,
)
from checker.audit.result import Asked, Audited
from checker.audit.verdict_rows import KEPT, SCHEMA, Row, read_row

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

UNREAD, TWO_WAYS = "unread", "names its run in two ways"
CHANNEL = ("source", "destination", "name")
SAID = ("kind", *CHANNEL, "message", "snapshot", "pair", "state")
TEXTS = ("run", "machine", *SAID, "why")
EVENTS = f"{', '.join(f'{name} string' for name in TEXTS)}, rank int, place bigint, line binary"
BROADCAST = 1_000_000
"""The most lines of excerpts that go to every worker."""
REPLAYED = 100_000
"""The most lines between a snapshot's first and last that are replayed."""


class LongRuns:
    """The long runs of a log; `lines` have run, rank (of the file), place and line."""

    def __init__(self, lines: DataFrame, files: list[str], asked: Asked) -> None:
        from pyspark import StorageLevel

        self.spark, self.files, self.asked = lines.sparkSession, files, asked
        self.disk = StorageLevel.DISK_ONLY
        self.events = lines.mapInArrow(partial(parsed, files=files), EVENTS).persist(self.disk)
        self.numbered = self._numbered().persist(self.disk)
        self.pairs = self._pairs().persist(self.disk)
        self.marks = self._marks()
        self.runs = self._runs()
        self.excerpts: list[tuple[DataFrame, Task]] = []
        """The lines of all snapshots, arranged for their judgement; then, of those left open, more lines."""

    def rows(self) -> DataFrame:
        """The rows of all snapshots, and of what was read."""
        from pyspark.sql import functions as f

        wanted = self._crossing().unionByName(self._at_marks()).persist(self.disk)
        first = self._judged(wanted, self._task({}, frozenset())).persist(self.disk)
        later = first.where(f.col("verdict") != CONSISTENT).select("run", "snapshot").distinct().persist(self.disk)
        found = first.where(f.col("verdict") == CONSISTENT)
        answers = self._answers(later)
        if answers:
            own, replayed = self._between(later)
            lines = [(*named, *line, None) for named, one in answers.items() for line in one.lines]
            more = [wanted.join(later, ["run", "snapshot"]), own, self.spark.createDataFrame(lines, WANTED)]
            again = self._judged(reduce(lambda a, b: a.unionByName(b), more), self._task(answers, replayed))
            found = found.unionByName(again)
        return found.unionByName(self.spark.createDataFrame(self._read(), SCHEMA))

    def audited(self, names: set[tuple[str, str]]) -> Iterator[Audited]:
        """These snapshots with their judgements, from the excerpts that `rows` judged, which are brought here."""
        open_ones = names & self.excerpts[-1][1].answers.keys()
        for (arranged, task), own in zip(
            (self.excerpts[0], self.excerpts[-1]), (names - open_ones, open_ones), strict=True
        ):
            if own:
                chosen = arranged.join(self._named(own), ["run", "snapshot"], "leftsemi")
                ordered = chosen.orderBy("run", "snapshot", "machine", "position", "rank", "place")
                yield from excerpts_audited((row.asDict() for row in ordered.collect()), task)

    def _named(self, names: Iterable[tuple[str, str]]) -> DataFrame:
        return self.spark.createDataFrame([*names], "run string, snapshot string")

    def _task(self, answers: Answers, replayed: frozenset[tuple[str, str]]) -> Task:
        return Task(self.files, self.asked, self.runs, answers, replayed)

    # The lines, in the order of their machine.

    def _numbered(self) -> DataFrame:
        """The events with position, and `after`: the state after it; their lines stay in `events`."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        own = Window.partitionBy("run", "machine").orderBy("rank", "place")
        acts = self.events.where(~f.col("kind").isin(SNAPSHOT, UNREAD)).drop("why", "line")
        self.repeated = acts.limit(0)
        if self.asked.once:
            acts = acts.withColumn("again", repeats())
            self.repeated = acts.where("again")
            acts = acts.where("not again").drop("again")
        position = f.row_number().over(own).cast("bigint") - 1
        after = f.last("state", ignorenulls=True).over(own.rowsBetween(Window.unboundedPreceding, 0))
        return acts.withColumns({"position": position, "after": after})

    def _pairs(self) -> DataFrame:
        """Each message: where it was sent (s) and accepted (a), and what pairs both ends; null where it was not."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        key = f.coalesce(f.concat(f.lit("i"), "pair"), f.lit("")).alias("key")
        same = Window.partitionBy("run", *CHANNEL, "kind", "key").orderBy("position")
        messages = self.numbered.where(f.col("message").isNotNull()).select("*", key)
        messages = messages.withColumn("number", f.row_number().over(same))

        def ends(kind: str, end: str) -> DataFrame:
            columns = {"position": end, "message": f"{end}_message", "rank": f"{end}_rank", "place": f"{end}_place"}
            chosen = (f.col(old).alias(new) for old, new in columns.items())
            return messages.where(f.col("kind") == kind).select("run", *CHANNEL, "key", "number", *chosen)

        paired = f.coalesce(f.concat(f.lit("s"), "s"), f.concat(f.lit("a"), "a")).alias("paired")
        joined = ends(SEND, "s").join(ends(ACCEPT, "a"), ["run", *CHANNEL, "key", "number"], "full")
        return joined.drop("key", "number").select("*", paired)

    def _marks(self) -> DataFrame:
        """Where each machine recorded for each snapshot: after its `record`, or before its first accept of a marker."""
        from pyspark.sql import functions as f

        def least(kind: str) -> Column:
            return f.min(f.when(f.col("kind") == kind, f.col("position")))

        own = self.numbered.where("snapshot is not null").groupBy("run", "snapshot", "machine")
        return own.agg(f.coalesce(least(RECORD) + 1, least(ACCEPT)).alias("mark"))

    def _runs(self) -> dict[str, Run]:
        """The machines of each run, with their states before their first lines, and its channels."""
        from pyspark.sql import functions as f

        found: dict[str, Run] = {row["run"]: Run({}, []) for row in self.events.select("run").distinct().collect()}
        state = f.max(f.when((f.col("position") == 0) & (f.col("kind") == START), f.col("state")))
        for row in self.numbered.groupBy("run", "machine").agg(state.alias("state")).collect():
            found[row["run"]].initial[row["machine"]] = row["state"]
        used = self.numbered.where("source is not null").select("run", *CHANNEL).distinct().collect()
        for run, channel in dict.fromkeys([(row["run"], Channel(*row[1:])) for row in used] + self._outputs()):
            found[run].channels.append(channel)
            for end in channel[:2]:
                found[run].initial.setdefault(end, None)
        return found

    def _outputs(self) -> list[tuple[str, Channel]]:
        """The channels of each run that are named where machines start."""
        from pyspark.sql import functions as f

        starts = self.events.where((f.col("kind") == START) & f.contains("line", f.lit(b'"to"')))
        reader = Line(self.files)
        found = []
        for row in starts.select("run", "rank", "place", "line").collect():
            said = reader.read(row["rank"], row["place"], bytes(row["line"]))
            if isinstance(said, Event):
                found += [(row["run"], channel) for channel in said.outputs]
        return found

    # What a snapshot's judgement needs.

    def _crossing(self) -> DataFrame:
        """Both ends of the messages that cross the cut that a snapshot marks."""
        from pyspark.sql import functions as f

        def of(end: str, mark: str) -> DataFrame:
            return self.marks.select("run", "snapshot", f.col("machine").alias(end), f.col("mark").alias(mark))

        channels = self.numbered.where("source is not null").select("run", *CHANNEL).distinct()
        cuts = channels.join(of("source", "sender"), ["run", "source"])
        cuts = cuts.join(of("destination", "accepter"), ["run", "snapshot", "destination"]).dropna()
        by = ("run", *CHANNEL)
        ends = self.pairs.select(*by, "s", "a", "paired").groupBy(*by)
        return ends.cogroup(cuts.select(*by, "snapshot", "sender", "accepter").groupBy(*by)).applyInPandas(
            crossing, WANTED
        )

    def _at_marks(self) -> DataFrame:
        """The lines on both sides of where machines recorded; -1 where one sent markers only, which is to begin too."""
        from pyspark.sql import functions as f

        beside = f.array(f.col("mark") - 1, f.col("mark"))
        position = f.explode(f.coalesce(beside, f.array(f.lit(-1).cast("bigint")))).alias("position")
        return self.marks.select("run", "snapshot", "machine", position, f.lit(None).cast("string").alias("paired"))

    def _between(self, later: DataFrame) -> tuple[DataFrame, frozenset[tuple[str, str]]]:
        """The lines from each machine's first to its last about a snapshot, with the other ends of their messages.

        And of which snapshots these are not too many.
        """
        from pyspark.sql import functions as f

        about = self.numbered.where("snapshot is not null").join(later, ["run", "snapshot"])
        spans = about.groupBy("run", "snapshot", "machine").agg(
            f.greatest(f.min("position") - 1, f.lit(0)).alias("start"), f.max("position").alias("end")
        )
        sizes = spans.groupBy("run", "snapshot").agg(f.sum(f.col("end") - f.col("start")).alias("size"))
        few = sizes.where(f.col("size") <= REPLAYED).select("run", "snapshot").persist(self.disk)
        position = f.explode(f.sequence("start", "end")).alias("position")
        lines = spans.join(few, ["run", "snapshot"]).select("run", "snapshot", "machine", position)

        def ends(machine: str, end: str, other: str, there: str) -> DataFrame:
            columns = {machine: "machine", end: "position", other: "other", there: "there"}
            chosen = (f.col(old).alias(new) for old, new in columns.items())
            return self.pairs.where(f.col(end).isNotNull()).select("run", *chosen, "paired")

        both = ends("source", "s", "destination", "a").unionByName(ends("destination", "a", "source", "s"))
        found = lines.join(both, ["run", "machine", "position"], "left").persist(self.disk)
        far = found.where("there is not null").select(
            "run", "snapshot", f.col("other").alias("machine"), f.col("there").alias("position"), "paired"
        )
        named = frozenset((row["run"], row["snapshot"]) for row in few.collect())
        return found.select("run", "snapshot", "machine", "position", "paired").unionByName(far), named

    # In tasks.

    def _judged(self, wanted: DataFrame, task: Task) -> DataFrame:
        """The rows of the snapshots whose lines are wanted; of those that have answers alone, if there are any."""
        from pyspark.sql import functions as f

        own = wanted.groupBy("run", "snapshot", "machine", "position").agg(f.max("paired").alias("paired"))
        near = f.broadcast if wanted.count() <= BROADCAST else (lambda rows: rows)  # then lines stay where they are
        places = self.numbered.select("run", "machine", "position", "rank", "place", "after")
        placed = places.join(near(own), ["run", "machine", "position"])
        lines = self.events.select("rank", "place", "line").join(near(placed), ["rank", "place"])
        begun = own.where("position = -1")
        begun = begun.withColumns({name: f.lit(None) for name in ("rank", "place", "line", "after")})
        lines = lines.unionByName(begun)
        claims = self._claims()
        if task.answers:
            claims = claims.join(self._named(task.answers), ["run", "snapshot"])
        rows = lines.unionByName(claims.select(lines.columns))
        self.excerpts.append((rows, task))
        rows = rows.repartition("run", "snapshot")
        rows = rows.sortWithinPartitions("run", "snapshot", "machine", "position", "rank", "place")
        rows = rows.select("run", "snapshot", "position", "paired", "rank", "place", "line", "after")
        return rows.mapInArrow(partial(judge, task=task), SCHEMA)

    def _claims(self) -> DataFrame:
        """The lines of claims, which come before those of machines."""
        from pyspark.sql import functions as f

        claims = self.events.where(f.col("kind") == SNAPSHOT)
        nothing = f.lit(None).cast("string")
        return claims.withColumns({"position": f.lit(-1).cast("bigint"), "paired": nothing, "after": nothing})

    def _answers(self, later: DataFrame) -> Answers:
        """For snapshots that are not the cut marked: the cuts that they are, and what else is to be seen of them."""
        from pyspark.sql import functions as f

        found: Answers = {(row["run"], row["snapshot"]): Answer() for row in later.collect()}
        if not found:
            return found
        columns = ("run", "machine", "position", *SAID[:-1], "after", "rank", "place", "line")
        own = self.numbered.join(f.broadcast(later.select("run").distinct()), "run")
        own = own.withColumn("line", f.lit(None).cast("binary"))
        rows = own.select(*columns).unionByName(self._claims().join(later, ["run", "snapshot"]).select(*columns))
        rows = rows.repartition("run").sortWithinPartitions("run", "machine", "position", "rank", "place")
        for row in rows.mapInArrow(partial(search, files=self.files, runs=self.runs), ANSWERS).collect():
            found[row["run"], row["snapshot"]].add(row["rank"], row["place"], row["data"])
        return found

    # What was read, and what it shows amiss.

    def _read(self) -> list[Row]:
        """A row for each run."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        order = f.row_number().over(Window.partitionBy("run").orderBy("rank", "place"))
        first = self.events.where(f.col("kind") == UNREAD).withColumn("n", order).where(f.col("n") <= KEPT)
        told: dict[str, list[Any]] = {run: [] for run in self.runs}
        for row in first.orderBy("run", "n").collect():
            told[row["run"]].append((self.files[row["rank"]], row["place"], row["why"]))
        unread = f.count_if(f.col("kind") == UNREAD).alias("unread")
        found, rows = self._findings(), []
        for row in self.events.groupBy("run").agg(f.count("*").alias("all"), unread).collect():
            run, events = row["run"], row["all"] - row["unread"]
            rows.append(read_row(run, events, self.runs[run].initial, found[run], (told[run], row["unread"])))
        return rows

    def _findings(self) -> dict[str, Findings]:
        """What `checker.audit.remarks` finds of a run: how often, and the first line of its kind."""
        from pyspark.sql import functions as f

        kinds = []
        for words, (rows, at, other) in self._amiss().items():
            lines = f.struct(*(f.col(name).alias(n) for n, name in zip("abcd", (*at, *other), strict=True))).alias("at")
            kinds.append(rows.select("run", f.lit(words).alias("words"), lines))
        least = reduce(lambda one, two: one.unionByName(two), kinds).groupBy("run", "words")
        firsts = least.agg(f.count("*").alias("number"), f.min("at").alias("at")).collect()
        said = self._lines({place for row in firsts for place in (row["at"][:2], row["at"][2:])})
        found: dict[str, Findings] = {run: {} for run in self.runs}
        for row in firsts:
            due = said[row["at"][2:]] if row["words"] == ORDER else None
            told = said[row["at"][:2]], due if isinstance(due, Event) else None
            found[row["run"]][row["words"]] = row["number"], words_of(told, Places(self.files))
        self._by_machine(found)
        return {run: {words: own[words] for words in KINDS if words in own} for run, own in found.items()}

    def _amiss(self) -> dict[str, tuple[DataFrame, tuple[str, str], tuple[str, str]]]:
        """By what they are, rows that show something amiss, and which columns hold the place of their line or two."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        s, a, line = ("s_rank", "s_place"), ("a_rank", "a_place"), ("rank", "place")
        sent, accepted = f.col("s").isNotNull(), f.col("a").isNotNull()
        counts = self.pairs.groupBy("run", *CHANNEL).agg(f.count("a").alias("accepts"), f.count("s").alias("sends"))
        excess = counts.where("accepts > sends")
        doubled = self.numbered.limit(0)
        if not excess.isEmpty():
            doubled = self.numbered.withColumn("again", repeats()).where("again")
            doubled = doubled.join(excess, ["run", *CHANNEL], "leftsemi")
        again = Window.partitionBy("run", "snapshot").orderBy("rank", "place")
        claims = self._claims().withColumn("n", f.row_number().over(again))
        changed = sent & accepted & (f.col("s_message") != f.col("a_message"))
        restarted = (f.col("kind") == START) & (f.col("position") > 0)
        return {
            REPEATED: (self.repeated, line, line),
            DOUBLED: (doubled, line, line),
            UNSENT: (self.pairs.where(~sent), a, a),
            ORDER: (self.pairs.where(changed), a, s),
            LOST: (self.pairs.where(~accepted), s, s),
            RESTARTED: (self.numbered.where(restarted), line, line),
            AGAIN: (claims.where("n > 1"), line, line),
        }

    def _by_machine(self, found: dict[str, Findings]) -> None:
        """Add the machines that have no line, and those that have lines in several files."""
        from pyspark.sql import functions as f

        count = f.count_distinct("rank").alias("files")
        rows = self.numbered.groupBy("run", "machine").agg(count).collect()
        files = {(row["run"], row["machine"]): row["files"] for row in rows}
        for run, known in self.runs.items():
            named = {machine: files.get((run, machine), 0) for machine in sorted(known.initial, key=natural)}
            silent = [machine for machine, number in named.items() if number == 0]
            scattered = [machine for machine, number in named.items() if number > 1]
            for words, own in ((SILENT, silent), (SCATTERED, scattered)):
                if own:
                    found[run][words] = len(own), words_of((own[0], None), Places(self.files))

    def _lines(self, wanted: set[Any]) -> dict[Any, Event | Claim]:
        """What these lines say, by file and number."""
        from pyspark.sql import functions as f

        if not wanted:
            return {}
        places = self.spark.createDataFrame([*wanted], "rank int, place bigint")
        rows = self.events.join(f.broadcast(places), ["rank", "place"]).select("rank", "place", "line").collect()
        reader, found = Line(self.files), {}
        for row in rows:
            said = reader.read(row["rank"], row["place"], bytes(row["line"]))
            if said is not None:
                found[row["rank"], row["place"]] = said
        return found


def repeats() -> Column:
    """Whether an accept says what the line before it in its machine's log says."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    said = f.struct(*SAID)
    before = f.lag(said).over(Window.partitionBy("run", "machine").orderBy("rank", "place"))
    return (f.col("kind") == ACCEPT) & before.eqNullSafe(said)


def parsed(batches: Iterator[pa.RecordBatch], files: list[str]) -> Iterator[pa.RecordBatch]:
    """A row for each line that is not blank."""
    import pyarrow as pa

    reader = Line(files)
    kinds = [pa.string()] * len(TEXTS) + [pa.int32(), pa.int64(), pa.binary()]
    names = [*TEXTS, "rank", "place", "line"]
    for batch in batches:
        rows: list[tuple[Any, ...]] = []
        columns = (batch.column(number).to_pylist() for number in range(4))
        for run, rank, place, line in zip(*columns, strict=True):
            said = reader.read(rank, place, line)
            where = (rank, place, line)
            if reader.unread or reader.run not in (run, None):
                why = reader.unread[0].why if reader.unread else TWO_WAYS
                rows.append((run, None, UNREAD, *(None,) * 7, why, *where))
            elif isinstance(said, Claim):
                rows.append((run, None, SNAPSHOT, *(None,) * 4, said.snapshot, None, None, None, *where))
            elif said is not None:
                values = (said.message, said.snapshot, said.pair, said.state)
                rows.append((run, said.machine, said.kind, *(said.channel or (None,) * 3), *values, None, *where))
        if rows:
            arrays = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, names=names)
