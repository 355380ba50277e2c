"""Sweeps end to end on local Spark: the same rows as a plain loop gives, whoever was killed or interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checker.report.data import trace_from
from checker.sweep import dataset
from checker.sweep.experiment import Experiment, experiment, read_experiment
from checker.sweep.report import report
from checker.sweep.rows import SCHEMA, UNTIMED, checked
from checker.sweep.run import sweep
from model.errors import InputError

MASTER = "local[2]"
COMMAND = [sys.executable, "-P", "-c", "from checker.cli import main; main()"]

PROGRAM = """
import os, signal
from pathlib import Path
from model.programs.transfer import Transfer

class Poison(Transfer):
    def initial(self, machine):
        os.kill(os.getpid(), signal.SIGKILL)

class Broken(Transfer):
    def initial(self, machine):
        raise KeyError("no such thing")

class KilledOnce(Transfer):
    def initial(self, machine):
        mark = Path(__file__).with_suffix(".mark")
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().initial(machine)

class Slow(Transfer):
    def initial(self, machine):
        import time
        time.sleep(0.1)
        return super().initial(machine)
"""


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The dataset without times, sorted; every row of every file."""
    rows = []
    for path in dataset.files(folder):
        for row in pq.read_table(path, schema=SCHEMA).to_pylist():
            rows.append({k: row[k] for k in UNTIMED} | {"protocol": path.parent.name})
    return sorted(rows, key=lambda row: (row["system"], str(row["property"])))


def plain(plan: Experiment) -> list[dict[str, Any]]:
    """The same systems in a plain loop."""
    rows = [
        {k: found[k] for k in UNTIMED} | {"protocol": f"protocol={row.protocol}"}
        for row in plan.systems
        for found in checked(row)
    ]
    return sorted(rows, key=lambda row: (row["system"], str(row["property"])))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, Path]:
    """A finished sweep."""
    from tests.sweep.conftest import SMALL

    folder = tmp_path_factory.mktemp("swept")
    (folder / "small.toml").write_text(SMALL)
    plan = read_experiment(folder / "small.toml")
    summary = sweep(plan, folder / "out", MASTER)
    assert (summary.before, summary.now, summary.missing) == (0, len(plan.systems), 0)
    return plan, folder / "out"


def test_rows_are_those_of_a_plain_loop(swept: tuple[Experiment, Path]) -> None:
    """All columns but the times are equal, and every counterexample replays."""
    plan, out = swept
    found = rows_of(out)
    assert found == plain(plan)
    traces = [row for row in found if row["trace"]]
    assert traces and all(row["verdict"] == "violated" for row in traces)
    for row in traces:
        assert trace_from(json.loads(row["trace"])).property == row["property"]


def test_resume_does_what_is_missing(swept: tuple[Experiment, Path], tmp_path: Path) -> None:
    """With one file gone, --resume does its systems only, and the rows are what they were."""
    plan, out = swept
    copy = tmp_path / "copy"
    copy.mkdir()
    subprocess.run(["cp", "-r", f"{out}/.", str(copy)], check=True)
    gone = dataset.files(copy)[0]
    lost = set(pq.read_table(gone)["system"].to_pylist())
    gone.unlink()
    summary = sweep(plan, copy, "local[1]", resume=True)
    assert summary.now == len(lost)
    assert rows_of(copy) == rows_of(out)
    again = sweep(plan, copy, "local[1]", resume=True)
    assert (again.now, again.missing) == (0, 0)


def with_program(tmp_path: Path, *names: str) -> Experiment:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    programs = ["transfer", *(f"{path}:{name}" for name in names)]
    return experiment({"name": "x", "systems": [{"topologies": ["ring:2", "ring:3"], "programs": programs}]})


@pytest.mark.ci
def test_failing_systems_are_rows(tmp_path: Path) -> None:
    """An exception and a killed process are one row each; the systems beside them are judged as ever."""
    plan = with_program(tmp_path, "Broken", "Poison")
    summary = sweep(plan, tmp_path / "out", MASTER)
    assert summary.missing == 0
    found = rows_of(tmp_path / "out")
    failures = {row["program"].rpartition(":")[2]: row["reason"] for row in found if row["verdict"] == "failed"}
    assert set(failures) == {"Broken", "Poison"}
    assert "KeyError: 'no such thing'" in failures["Broken"]
    assert "died (exit code -9)" in failures["Poison"]
    good = [row for row in plain(with_program(tmp_path)) if row["verdict"] != "failed"]
    assert [row for row in found if row["verdict"] != "failed"] == good


@pytest.mark.ci
def test_killed_worker(tmp_path: Path) -> None:
    """A worker killed in mid-run costs nothing but its chunk's time: the rows are those of an undisturbed run."""
    plan = with_program(tmp_path, "KilledOnce")
    assert sweep(plan, tmp_path / "out", MASTER).missing == 0
    assert (tmp_path / "program.mark").exists()  # it did happen
    assert rows_of(tmp_path / "out") == plain(plan)


@pytest.mark.ci
def test_interrupt_and_resume(tmp_path: Path) -> None:
    """Ctrl-C keeps what is done and exits with 3; --resume does the rest, and the rows are all there."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    sizes = '"ring:2", "ring:3"'
    (tmp_path / "slow.toml").write_text(
        'name = "slow"\n[bounds]\nmax_states = 50\n[[systems]]\n'
        f'topologies = [{sizes}]\nprotocols = ["marker", "late-marker", "no-channel-state"]\n'
        f'programs = ["{path}:Slow", "{path}:Slow,s=2"]\nproperties = ["no-red-in-white"]\n'
    )
    plan, out = read_experiment(tmp_path / "slow.toml"), tmp_path / "out"
    arguments = ["sweep", str(tmp_path / "slow.toml"), "--out", str(out), "--master", MASTER]
    process = subprocess.Popen(COMMAND + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while len(list(out.glob("results/*/*.parquet"))) < 2:
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 3, complaints
    assert "--resume" in said
    done = dataset.done(out)
    assert 0 < len(done) < len(plan.systems)
    summary = sweep(plan, out, MASTER, resume=True)
    assert (summary.before, summary.missing) == (len(done), 0)
    assert rows_of(out) == plain(plan)


@pytest.mark.ci
def test_report(swept: tuple[Experiment, Path]) -> None:
    """The tables say what the rows say, and the page and figures are written."""
    plan, out = swept
    made = report(out, MASTER)
    tables = {table.title.partition(":")[0].partition(",")[0]: table for table in made.tables}
    overview = dict(zip(tables["What was checked"].headers, tables["What was checked"].rows[0], strict=True))
    found = rows_of(out)
    states = {row["system"]: row["states"] for row in found}
    assert (overview["done"], overview["states"]) == (len(plan.systems), sum(states.values()))
    smallest = next(table for table in made.tables if table.title.startswith("Smallest"))
    broken = {
        (r["protocol"].removeprefix("protocol="), r["relax"], r["property"]) for r in found if r["length"] is not None
    }
    assert {row[:3] for row in smallest.rows} == broken
    for protocol, relax, name, machines, _, _, _, length in smallest.rows:
        own = [r for r in found if (r["protocol"], r["relax"], r["property"]) == (f"protocol={protocol}", relax, name)]
        failing = [(r["machines"], r["channels"], r["length"]) for r in own if r["verdict"] == "violated"]
        assert min(failing)[::2] == (machines, length)
    page = made.page.read_text()
    assert "<svg" in page and "strong:2#1" in page
    for name in ("growth", "lengths"):
        assert (made.page.parent / f"{name}.svg").exists() and (made.page.parent / f"{name}.png").stat().st_size > 5000


KILLS = """
import sys
from checker.sweep import report
ask = report._query
def killed(spark, text):
    spark.sparkContext._gateway.proc.kill()
    return ask(spark, text)
report._query = killed
from checker.cli import main
main()
"""


@pytest.mark.ci
def test_its_java_killed_is_one_line(swept: tuple[Experiment, Path]) -> None:
    command = [sys.executable, "-c", KILLS, "report", str(swept[1]), "--master", MASTER]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stdout) == (3, "")
    assert found.stderr == "redwhite: no report: Spark stopped (its Java ended, exit code -9)\n"


# -- bad input ---------------------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and standard error of the command."""
    found = subprocess.run(COMMAND + list(arguments), capture_output=True, text=True, timeout=120, check=False)
    return found.returncode, found.stderr


def test_not_without_resume(swept: tuple[Experiment, Path], small: Path) -> None:
    """A folder with results is not written over, and another experiment's is not taken for this one's."""
    _, out = swept
    code, said = run("sweep", str(small), "--out", str(out))
    assert (code, len(said.splitlines())) == (2, 1) and "--resume" in said
    small.write_text(small.read_text().replace("2000", "3000"))
    code, said = run("sweep", str(small), "--out", str(out), "--resume")
    assert (code, len(said.splitlines())) == (2, 1) and "another experiment" in said


@pytest.mark.parametrize(
    "master",
    ["moon", "local[0]", "spark://127.0.0.1:1", "spark://127.0.0.1:99999", "spark://no.such.host.invalid:7077"],
)
def test_bad_masters(master: str, small: Path, tmp_path: Path) -> None:
    """A master that is none or cannot be reached is one line, and soon."""
    started = time.monotonic()
    code, said = run("sweep", str(small), "--out", str(tmp_path / "out"), "--master", master)
    starting, *refused = said.splitlines()
    assert (code, len(refused)) == (2, 1) and "starting Spark" in starting and master in refused[0]
    assert time.monotonic() - started < 30


def test_foreign_and_broken_folders(swept: tuple[Experiment, Path], tmp_path: Path) -> None:
    """Not a sweep's folder, a foreign Parquet file, a broken one, an empty sweep: one line each."""
    _, out = swept
    (tmp_path / "notes.txt").write_text("mine")
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="no folder of `redwhite sweep`"):
            report(folder, MASTER)
    copy = tmp_path / "copy"
    (copy / "results" / "protocol=marker").mkdir(parents=True)
    (copy / "experiment.json").write_text((out / "experiment.json").read_text())
    with pytest.raises(InputError, match="no results yet"):
        report(copy, MASTER)
    stray = copy / "results" / "protocol=marker" / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), stray)
    with pytest.raises(InputError, match="not a result of this version's sweep"):
        report(copy, MASTER)
    stray.write_bytes(b"PAR1 but not really")
    code, said = run("report", str(copy))
    assert (code, len(said.splitlines())) == (2, 1) and "broken" in said
    stray.unlink()
    damaged = copy / "results" / "protocol=marker" / "y.parquet"
    content = bytearray(dataset.files(out)[0].read_bytes())
    for flipped in (
        range(4, 60),
        range(54, 55),
    ):  # the footer is whole: what is wrong is a page, or how many values it has
        for place in flipped:
            content[place] ^= 0x5A
        damaged.write_bytes(content)
        code, said = run("report", str(copy))
        assert (code, len(said.splitlines())) == (2, 1) and "broken" in said
        content = bytearray(dataset.files(out)[0].read_bytes())
    with pytest.raises(InputError, match="is not empty and holds no sweep"):
        sweep(experiment({"name": "x", "systems": [{"topologies": ["ring:2"]}]}), tmp_path, MASTER)


def test_no_spark_at_import() -> None:
    """Importing the checker and its sweep imports no pyspark."""
    text = "import sys, checker, checker.cli.app, checker.spark.session; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", text], check=False).returncode == 0


@pytest.mark.ci
def test_a_folder_with_a_model_of_its_own(tmp_path: Path, small: Path) -> None:
    """Workers started where a user has a model.py import ours."""
    (tmp_path / "model.py").write_text("raise SystemExit('the wrong model')")
    arguments = ["sweep", str(small), "--out", str(tmp_path / "out"), "--master", "local[1]"]
    found = subprocess.run(
        COMMAND + arguments, capture_output=True, text=True, cwd=tmp_path, check=False, env={**os.environ}
    )
    assert found.returncode == 0, found.stderr
    assert not [row for row in rows_of(tmp_path / "out") if row["verdict"] == "failed"]
