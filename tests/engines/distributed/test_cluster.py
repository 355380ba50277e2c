"""A real cluster: Spark's own standalone master and two workers on the loopback, one of them killed in mid-run."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from checker.spark.java import java_home
from checker.sweep.experiment import experiment
from checker.sweep.run import sweep
from model.errors import InputError
from tests.engines.distributed.test_exploration import judged, told
from tests.sweep.test_sweep import plain, rows_of

pytestmark = pytest.mark.ci


class Cluster:
    """A master and two workers with one core each."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        self.folder = folder
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "JAVA_HOME": str(java_home()),
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        self.command = [str(home / "bin" / "spark-class")]
        self.port = free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.master = self._start("master.Master", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = [self._worker() for _ in range(2)]
        self._await(lambda: self._log().count("Registering worker") == 2)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / "cluster.log").open("ab") as log:
            return subprocess.Popen(
                [*self.command, f"org.apache.spark.deploy.{name}", *arguments, "--webui-port", str(free_port())],
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _worker(self) -> subprocess.Popen[bytes]:
        """A worker with a working folder of its own."""
        self.environment["SPARK_WORKER_DIR"] = tempfile.mkdtemp(dir=self.folder, prefix="work-")
        return self._start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", self.url)

    def _log(self) -> str:
        return (self.folder / "cluster.log").read_text(errors="replace")

    def _await(self, reached: object) -> None:
        assert callable(reached)
        end = time.monotonic() + 120
        while not reached():
            assert time.monotonic() < end, self._log()[-2000:]
            time.sleep(0.1)

    def kill_one(self) -> None:
        """Kill a worker and its executor, with all their processes, and start another in its place."""
        worker = self.workers.pop(0)
        for process in descendants(worker.pid):
            os.kill(process, signal.SIGKILL)
        worker.wait()
        self.workers.append(self._worker())

    def stop(self) -> None:
        """End all of it."""
        for process in (*self.workers, self.master):
            for own in descendants(process.pid):
                os.kill(own, signal.SIGKILL)
            process.wait()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def descendants(process: int) -> list[int]:
    """The process and all below it that are there."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return [one for one in found if Path(f"/proc/{one}").exists()]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """The cluster, ended with the test."""
    made = Cluster(tmp_path)
    try:
        yield made
    finally:
        made.stop()


def test_exploration_survives_an_executor(cluster: Cluster, tmp_path: Path) -> None:
    """With one worker and its executor killed in mid-run, the verdict is that of a run undisturbed."""
    killed: list[int] = []

    def kill(states: int, queue: int, depth: int) -> None:
        if depth == 4:
            killed.append(depth)
            threading.Timer(0.02, cluster.kill_one).start()

    system = ("complete:3", "transfer", "marker", "any", "")
    options = SearchOptions(master=cluster.url, checkpoint=str(tmp_path / "search"))
    found = told(judged(system, "spark", options, progress=kill))
    assert killed
    assert found == told(judged(system, "native"))


@pytest.fixture
def bucket() -> Iterator[str]:
    """An S3 endpoint on the loopback, and a folder there."""
    moto = pytest.importorskip("moto.server", reason="moto is a tool of development")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    _, port = server.get_host_and_port()
    options = f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    try:
        yield f"s3://key:secret@redwhite/kept?{options}"
    finally:
        server.stop()


def test_exploration_without_a_shared_disk(cluster: Cluster, bucket: str) -> None:
    """Driver and workers have nothing in common but an S3 endpoint, and a worker is killed in mid-run."""
    killed: list[int] = []

    def kill(states: int, queue: int, depth: int) -> None:
        if depth == 4:
            killed.append(depth)
            threading.Timer(0.02, cluster.kill_one).start()

    system = ("complete:3", "transfer", "marker", "0", "")
    found = told(judged(system, "spark", SearchOptions(master=cluster.url, checkpoint=bucket), progress=kill))
    assert killed
    native = told(judged(system, "native"))
    assert found == native
    again = SearchOptions(master=cluster.url, checkpoint=bucket)
    assert told(judged(system, "spark", again)) == native  # nothing is left to explore
    with pytest.raises(InputError, match="'s3://redwhite/kept' is of another search"):
        judged(("ring:3", "transfer", "marker", "0", ""), "spark", again)


def test_a_uri_is_for_spark() -> None:
    """The native engine does not make a folder called s3: here."""
    with pytest.raises(InputError, match="takes no remote checkpoint: that is for spark"):
        check("ring:3", engine="native", options=SearchOptions(checkpoint="s3://bucket/kept"))


def test_sweep_survives_an_executor(cluster: Cluster, tmp_path: Path) -> None:
    """A sweep over the same cluster, one worker killed after the first results, has every row."""
    systems = {"topologies": ["strong:3"], "protocols": ["marker", "late-marker"], "relax": ["none", "fifo"]}
    plan = experiment({"name": "x", "engine": "native", "systems": [systems]})
    killed: list[int] = []

    def kill(done: int, whole: int, share: float) -> None:
        if done and not killed:
            killed.append(done)
            cluster.kill_one()

    summary = sweep(plan, tmp_path / "out", cluster.url, told=kill)
    assert killed and summary.missing == 0
    assert rows_of(tmp_path / "out") == plain(plan)


def test_cluster_wants_a_shared_folder() -> None:
    """A master elsewhere without a checkpoint folder is refused before anything is started."""
    with pytest.raises(ValueError, match="--checkpoint"):
        check("ring:3", engine="spark", options=SearchOptions(master="yarn"))
