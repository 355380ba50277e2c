"""The report of a sweep: Spark SQL over its dataset, as tables, figures and one page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checker.spark.session import session
from checker.sweep import dataset
from checker.sweep.page import write_page
from checker.sweep.result_tables import SIGNS, Report, Table
from model.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = "report"
SLOWEST = 10


def report(folder: Path, master: str | None = None, settings: dict[str, str] | None = None) -> Report:
    """Make the report of a sweep's folder, which may still be growing; `InputError` if it is none, or is empty."""
    note = dataset.read_note(folder)
    files = [str(path.resolve()) for path in dataset.files(folder)]
    if not files:
        raise InputError(f"{str(folder)!r} holds no results yet: run redwhite sweep")
    with session(master, settings) as spark:
        # One copy of each row, should two runs have done the same system.
        rows = spark.read.option("basePath", str((folder / dataset.RESULTS).resolve())).parquet(*files)
        rows.dropDuplicates(["system", "property"]).createOrReplaceTempView("rows")
        rows.dropDuplicates(["system"]).createOrReplaceTempView("systems")
        made = Report(
            f"{note['title']}",
            (
                _overview(spark, int(note["systems"])),
                _matrix(spark),
                _smallest(spark),
                _growth(spark),
                _slowest(spark),
                _unsettled(spark),
            ),
            tuple(map(tuple, _query(spark, POINTS))),
            tuple(map(tuple, _query(spark, LENGTHS))),
            folder / FOLDER / "index.html",
        )
    write_page(made)
    return made


def _query(spark: SparkSession, text: str) -> list[Any]:
    return [tuple(row) for row in spark.sql(text).collect()]


def _table(spark: SparkSession, title: str, text: str, keys: int = 1) -> Table:
    found = spark.sql(text)
    return Table(title, tuple(found.columns), tuple(tuple(row) for row in found.collect()), keys)


POINTS = """SELECT machines, channels, states FROM systems
            WHERE coverage = 'exhaustive' ORDER BY machines, channels, states"""
LENGTHS = """SELECT protocol, length, count(*) FROM rows
             WHERE verdict = 'violated' AND length IS NOT NULL GROUP BY protocol, length ORDER BY protocol, length"""


def _overview(spark: SparkSession, asked: int) -> Table:
    text = f"""SELECT {asked} AS systems, count(*) AS done, count_if(verdict = 'failed') AS failed,
               count_if(coverage = 'exhaustive') AS exhaustive, sum(states) AS states, sum(transitions) AS transitions,
               sum(seconds) AS `checking s` FROM systems"""
    return _table(spark, "What was checked", text)


def _matrix(spark: SparkSession) -> Table:
    """protocol x relaxation against properties: how many systems have which verdict."""
    found = _query(
        spark,
        """SELECT program, protocol, relax, property, verdict, count(*) FROM rows WHERE property IS NOT NULL
           GROUP BY program, protocol, relax, property, verdict""",
    )
    properties = _in_catalogue_order({row[3] for row in found})
    cells: dict[tuple[str, ...], dict[str, dict[str, int]]] = {}
    for program, protocol, relax, name, verdict, count in found:
        cells.setdefault((protocol, relax, program), {}).setdefault(name, {})[verdict] = count
    rows = tuple((*key, *(_cell(cells[key].get(name, {})) for name in properties)) for key in sorted(cells))
    signs = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
    return Table(f"Verdicts: number of systems ({signs})", ("protocol", "relax", "program", *properties), rows, 3)


def _cell(counts: dict[str, int]) -> str:
    return " ".join(f"{sign}{counts[verdict]}" for verdict, sign in SIGNS.items() if verdict in counts)


def _in_catalogue_order(names: Iterable[str]) -> list[str]:
    from model.properties import PROPERTIES

    order = {name: number for number, name in enumerate(PROPERTIES)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def _smallest(spark: SparkSession) -> Table:
    text = """SELECT protocol, relax, property, machines, channels, topology, edges, length FROM (
                SELECT *, row_number() OVER (PARTITION BY protocol, relax, property
                  ORDER BY machines, channels, length, edges, initiators) AS place
                FROM rows WHERE verdict = 'violated') WHERE place = 1 ORDER BY protocol, relax, property"""
    return _table(spark, "Smallest topology on which each property fails, and the length of the shortest run", text, 3)


def _growth(spark: SparkSession) -> Table:
    text = """SELECT program, relax, machines, channels, count(*) AS systems, min(states) AS least,
                CAST(percentile_approx(states, 0.5) AS BIGINT) AS median, max(states) AS most
              FROM systems WHERE coverage = 'exhaustive'
              GROUP BY program, relax, machines, channels ORDER BY program, relax, machines, channels"""
    return _table(spark, "Growth: states of the systems explored to the end", text, 4)


def _slowest(spark: SparkSession) -> Table:
    text = f"""SELECT topology, protocol, relax, program, initiators, states, depth, seconds,
                 states / nullif(seconds, 0) AS `states/s`, engine
               FROM systems WHERE seconds IS NOT NULL ORDER BY seconds DESC, system LIMIT {SLOWEST}"""
    return _table(spark, "Slowest systems", text, 3)


def _unsettled(spark: SparkSession) -> Table:
    text = """SELECT verdict, protocol, relax, reason, count(DISTINCT system) AS systems, min(topology) AS `for example`
              FROM rows WHERE verdict IN ('unknown', 'failed', 'vacuous')
              GROUP BY verdict, protocol, relax, reason ORDER BY systems DESC, verdict, protocol, relax, reason"""
    return _table(spark, "What is not settled, and why", text, 3)
