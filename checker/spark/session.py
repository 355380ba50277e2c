"""Spark sessions: local by default, any cluster by its master's address; quiet, and on the loopback where they can be.

Plain `local[2]` fails a job when one Python worker is killed; `local[2,4]` tries a task four times, as clusters do.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checker.spark.java import java_home
from model.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTERS = "local, local[N], local[N,FAILURES], spark://HOST:PORT, yarn or k8s://URL"
ATTEMPTS = 4
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
REACH_SECONDS = 5.0


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_master(master: str | None) -> str:
    """The master's address as Spark wants it, all cores of this machine for None; `InputError` if it cannot be one."""
    if master is None:
        return f"local[{cores()},{ATTEMPTS}]"
    local = re.fullmatch(r"local(?:\[([1-9]\d*|\*)(?:,([1-9]\d*))?\])?", master)
    if local:
        return f"local[{local[1] or 1},{local[2] or ATTEMPTS}]"
    if master == "yarn" or re.fullmatch(r"k8s://\S+|local-cluster\[\d+,\d+,\d+\]", master):
        return master
    if not re.fullmatch(r"spark://[^:/\s]+:\d+(,[^:/\s]+:\d+)*", master):
        raise InputError(f"master {master!r}: accepted are {MASTERS}")
    refusals = [refusal for refusal in map(_refusal, master.removeprefix("spark://").split(",")) if refusal]
    if len(refusals) == master.count(",") + 1:
        raise InputError(f"master {master!r}: cannot be reached ({refusals[0]})")
    return master


def _refusal(address: str) -> str | None:
    host, _, port = address.rpartition(":")
    if not 0 < int(port) < 65536:
        return f"port {port}: 1 to 65535"
    try:
        socket.create_connection((host, int(port)), timeout=REACH_SECONDS).close()
    except OSError as error:
        return error.strerror or str(error)
    return None


@contextmanager
def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A Spark session, stopped at the end; `settings` go over the project's own. `InputError` where none can be had.

    What Spark and its Java print goes to a log file, whose path an error names. A session costs 4 to 9 seconds.
    """
    where = checked_master(master)
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("pyspark is not installed: pip install 'redwhite[spark]'") from None
    os.environ["JAVA_HOME"] = str(java_home())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    near = where.startswith("local") or bool(re.match(r"spark://(127\.|localhost)", where))
    if near:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    log = Path(tempfile.mkdtemp(prefix="redwhite-spark-")) / "spark.log"
    builder: Any = SparkSession.builder
    builder = builder.master(where).appName("redwhite")
    for key, value in {**_settings(near), **(settings or {})}.items():
        builder = builder.config(key, value)
    try:
        with _stderr_to(log):
            spark = builder.getOrCreate()
    except KeyboardInterrupt:
        raise
    except Exception as error:
        what = str(error).strip().partition("\n")[0][:200]
        raise InputError(f"master {where!r}: no Spark session ({what}); log: {log}") from error
    try:
        yield spark
    finally:
        spark.stop()


def _settings(near: bool) -> dict[str, str]:
    """What was measured to serve: no web page, short-lived Java, Unix sockets between Java and Python."""
    logging = Path(__file__).with_name("log4j2.properties").as_uri()
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"{JAVA_OPTIONS} -Dlog4j2.configurationFile={logging}",
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.worker.reuse": "true",
        # A worker is started with -m, so without this a model.py where the user stands would hide the package `model`.
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        "spark.task.maxFailures": str(ATTEMPTS),
        "spark.sql.shuffle.partitions": str(2 * cores()),
        "spark.sql.session.timeZone": "UTC",
    }
    if near:
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    return settings


@contextmanager
def _stderr_to(log: Path) -> Iterator[None]:
    """Whatever is started meanwhile writes its standard error to the log, for good."""
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
