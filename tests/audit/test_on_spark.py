"""The audit on Spark: the local audit's verdicts, to the last word and line, however the files are cut into blocks."""

from __future__ import annotations

import gzip
import json
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

pytest.importorskip("pyspark", reason="pyspark is an optional extra (uv sync --extra spark)")

from checker.audit import on_spark, result
from checker.audit.history import Excerpt
from checker.audit.on_spark import Job
from checker.audit.picture import svg
from checker.audit.result import Asked
from checker.audit.verdict_tables import is_audit, report
from checker.cli.app import run as command
from model.errors import InputError
from tests.audit.logs import LOGS, REAL, written
from tests.engines.distributed.test_cluster import cluster

__all__ = ["cluster"]
BLOCKS = {"spark.sql.files.maxPartitionBytes": "50000", "spark.sql.files.openCostInBytes": "1"}


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    """The real logs, two packed and two plain, with some lines that say nothing."""
    folder = tmp_path / "two [plain] {é}"
    folder.mkdir()
    for name in REAL[:2]:
        lines = gzip.decompress((LOGS / f"{name}.jsonl.gz").read_bytes())
        extra = b'\n\r\n{"event": "nap"}\n\xff\xfe\ngibberish \xc3\xa9\n{"run": 7.5, "machine": "A", "event": "step"}'
        (folder / f"{name}.jsonl").write_bytes(lines + extra)
    return [str(folder), *(str(LOGS / f"{name}.jsonl.gz") for name in REAL[2:])]


def test_verdicts_are_the_local_ones(logs: list[str], tmp_path: Path) -> None:
    out = tmp_path / "results"
    found = on_spark.audit(logs, Job(Asked(protocol="marker"), out=str(out), drawn=True, settings=BLOCKS))
    here = result.audit(logs, Asked(protocol="marker"))
    assert found.to_json() == here.to_json()
    assert len(found.unread) == len(here.unread) == 8
    drawn = [audited for audited in found.snapshots if audited.judgement is not None]
    assert drawn and found.worst()[0].judgement is not None
    assert is_audit(out)
    made = report(out)
    rows = {row[0]: row[1:] for row in made.tables[0].rows}
    assert rows["announces-early"] == (39, 0, 1)
    assert rows["loses"] == (26, 0, 59)
    assert (out / "report" / "timeline.svg").exists()


@pytest.mark.ci
@pytest.mark.parametrize("once", [False, True])
def test_runs_judged_in_parts_are_judged_the_same(logs: list[str], once: bool) -> None:
    """Each run counts as long here: by machine, by channel and by snapshot, and yet to the last word as in one piece.

    But for the rule that is broken first: of a run that is broken in many places, parts may show another one first.
    """
    asked = Asked(once=once, properties=("conservation",))
    found = on_spark.audit(logs, Job(asked, settings=BLOCKS, long=0)).to_json()
    here = result.audit(logs, asked).to_json()
    assert _without_rules(found) == _without_rules(here)
    rules = [(s.get("rule"), o.get("rule")) for s, o in _both(found, here)]
    assert all((one is None) == (other is None) for one, other in rules)
    assert sum(one != other for one, other in rules) <= 5


def _both(found: dict[str, Any], here: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return list(zip(found["snapshots"], here["snapshots"], strict=True))


def _without_rules(found: dict[str, Any]) -> dict[str, Any]:
    snapshots = [{name: value for name, value in one.items() if name != "rule"} for one in found["snapshots"]]
    return {**found, "snapshots": snapshots}


@pytest.mark.ci
def test_one_long_run_in_parts(tmp_path: Path) -> None:
    """Snapshots that are right, wrong, elsewhere and never announced, in one run.

    The rule broken is looked for between a snapshot's first and last line: the accept that nobody sends comes later.
    """
    made = tmp_path / "made.jsonl"
    assert command(["audit", str(made), "--make", "ring:3", "--joined", "--runs", "8", "--fault", "short-channel"]) == 0
    lines = [json.loads(line) for line in made.read_text().splitlines()]
    claims = [number for number, line in enumerate(lines) if line["event"] == "snapshot"]
    lines[claims[3]]["states"]["P1"] = 5
    del lines[claims[1]]
    written(made, [*lines, {"machine": "P0", "event": "accept", "from": "P2", "message": 1}, {"event": "nap"}])
    here = result.audit([str(made)], Asked()).to_json()
    assert {snapshot["verdict"] for snapshot in here["snapshots"]} >= {"impossible", "incomplete"}
    found = on_spark.audit([str(made)], Job(long=20, drawn=True))
    there = found.to_json()
    assert _without_rules(there) == _without_rules(here)
    rules = {
        s["verdict"]: (s.get("rule"), o.get("rule")) for s, o in _both(there, here) if s.get("rule") != o.get("rule")
    }
    assert rules == {"incomplete": (None, {"why": "P0 accepts 1 from P2, and no line sends it", "at": mock.ANY})}
    drawn = [audited.judgement for audited in found.worst() if audited.judgement is not None]
    assert len(drawn) >= on_spark.DRAWN and all(isinstance(judgement.history, Excerpt) for judgement in drawn)
    assert "cut marked" in svg(drawn[0], found.worst()[0].why)


@pytest.mark.ci
def test_the_command_keeps_results_and_reports_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, out = str(tmp_path / "made.jsonl"), str(tmp_path / "out")
    assert command(["audit", made, "--make", "ring:3", "--runs", "30", "--protocol", "no-channel-state"]) == 0
    assert command(["audit", made, "--master", "local[2]", "--out", out, "--svg", str(tmp_path / "worst.svg")]) == 1
    assert (tmp_path / "worst.svg").exists()
    capsys.readouterr()
    assert command(["report", out]) == 0
    assert "Verdicts by implementation" in capsys.readouterr().out


@pytest.mark.ci
def test_parquet_is_read_as_the_lines_are(tmp_path: Path) -> None:
    """Tables with a column for each field, and with a column of lines, in a folder beside a text file."""
    import pyarrow as pa
    from pyarrow import parquet

    text = gzip.decompress((LOGS / "announces-early.jsonl.gz").read_bytes()).decode().splitlines()
    lines = [json.loads(line) for line in text]
    events = [line for line in lines if line["event"] != "snapshot"]
    kinds = {"state": pa.int64(), "message": pa.int64(), "marker": pa.int64(), "snapshot": pa.int64()}
    names = ["run", "machine", "event", "to", "from", "message", "marker", "snapshot", "state"]
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in names])
    parquet.write_table(pa.Table.from_pylist(events, schema), tmp_path / "events.parquet", row_group_size=100)
    (tmp_path / "claims").mkdir()
    claims = [json.dumps(line) for line in lines if line["event"] == "snapshot"]
    parquet.write_table(pa.table({"value": claims[:20]}), tmp_path / "claims" / "some.parquet")
    (tmp_path / "others.jsonl").write_text("\n".join(claims[20:]))
    found = on_spark.audit([str(tmp_path)], Job())
    here = result.audit([str(LOGS / "announces-early.jsonl.gz")], Asked())
    told, wanted = (sorted((s.run, s.snapshot, s.verdict) for s in audit.snapshots) for audit in (found, here))
    assert told == wanted
    assert (found.events, len(found.unread)) == (here.events, 0)
    with pytest.raises(InputError, match="read on Spark"):
        result.audit([str(tmp_path)], Asked())


def test_logs_of_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "none.jsonl").write_text("gibberish\n")
    for name in ("empty", "none"):
        with pytest.raises(InputError, match="none of its"):
            on_spark.audit([str(tmp_path / f"{name}.jsonl")], Job())


@pytest.mark.ci
def test_a_killed_executor_changes_nothing(cluster, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    made = str(tmp_path / "made.jsonl")
    assert command(["audit", made, "--make", "complete:3", "--runs", "2000", "--protocol", "keep-recording"]) == 0
    undisturbed = result.audit([made], Asked()).to_json()
    threading.Timer(8, cluster.kill_one).start()
    found = on_spark.audit([made], Job(master=cluster.url, settings=BLOCKS)).to_json()
    assert json.dumps(found) == json.dumps(undisturbed)
