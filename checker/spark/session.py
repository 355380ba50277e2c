"""Spark sessions: local by default, any cluster by its master's address; quiet, and on the loopback where they can be.

Plain `local[2]` fails a job when one Python worker is killed; `local[2,4]` tries a task four times, as clusters do.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from checker.spark.java import cache_folder, java_home
from checker.spark.scratch import lifeline, scratch
from model.errors import InputError, missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTERS = "local, local[N], local[N,FAILURES], spark://HOST:PORT, yarn or k8s://URL"
ATTEMPTS = 4
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
REACH_SECONDS = 5.0
MOST_PATH = 60
"""A socket's path has at most 108 characters, of which Spark wants some 45 below the folder."""


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


class SparkStopped(Exception):
    """Spark cannot go on, for a reason in one line: its Java was killed, or a task failed too often."""


@contextmanager
def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A Spark session, stopped at the end; `settings` go over the project's own. `InputError` where none can be had.

    What Spark raises inside becomes one `SparkStopped`; what it and its Java print goes to a log, which is kept where
    no session comes about. Interrupts stay the caller's: Spark's own handler is put aside. A first session of a process
    costs 4 to 9 seconds.
    """
    where = checked_master(master)
    _installed()
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    os.environ["JAVA_HOME"] = str(java_home())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    handler = signal.getsignal(signal.SIGINT)
    spark = _started(where, settings or {})
    _silence(spark)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)
    # py4j tells of a lost connection by the root logger, which without a handler prints a traceback.
    unheard, root = logging.NullHandler(), logging.getLogger()
    root.addHandler(unheard)
    try:
        yield spark
    except (Py4JError, PySparkException, ConnectionError, EOFError) as error:
        raise SparkStopped(_words(error)) from error
    finally:
        _stop(spark)
        root.removeHandler(unheard)


def _installed() -> None:
    """Refuse where the extra is not there in whole: pyspark does without the others, and its DataFrames fail later."""
    for name in ("pyspark", "pyarrow", "pandas"):
        if importlib.util.find_spec(name) is None:
            raise missing(ModuleNotFoundError(name=name))


def _started(where: str, settings: Mapping[str, str]) -> SparkSession:
    """A session of this process's Java, which is started if there is none."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    near = where.startswith("local") or bool(re.match(r"spark://(127\.|localhost)", where))
    if near:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    configured = {"spark.master": where, "spark.app.name": "redwhite", **_settings(near), **settings}
    log = scratch() / "spark.log"
    try:
        if SparkContext._gateway is None:
            with log.open("ab") as file:
                launch: Callable[..., Any] = launch_gateway  # untyped there
                gateway = launch(
                    SparkConf(False).setAll(list(configured.items())), {"stderr": file, "pass_fds": (lifeline()[1],)}
                )
            SparkContext._ensure_initialized(gateway=gateway)
        builder: Any = SparkSession.builder
        return cast("SparkSession", builder.config(map=configured).getOrCreate())
    except Exception as error:
        kept = shutil.copy(log, cache_folder() / "spark.log") if log.exists() else "none"
        raise InputError(f"master {where!r}: no Spark session ({_words(error)}); log: {kept}") from error


def _silence(spark: SparkSession) -> None:
    """No traceback a call, and none of the thread that waits for accumulators, when Java is gone: one error says it."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    server: Any = spark.sparkContext._accumulatorServer
    server.handle_error = lambda request, client: None


def _stop(spark: SparkSession) -> None:
    """Stop the session; where its Java is gone, forget it, so that a later session starts another."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        spark.stop()
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None and process.poll() is not None:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None


def _words(error: BaseException) -> str:
    """The error in one line; what Java says last names the cause."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        with suppress(subprocess.TimeoutExpired):
            return f"its Java ended, exit code {process.wait(timeout=0.5)}"
    causes = re.findall(r"^Caused by: (.*)$|^(\w+(?:\.\w+)*(?:Error|Exception): .*)$", str(error), re.MULTILINE)
    last = "".join(causes[-1]) if causes else str(error).strip().partition("\n")[0]
    return " ".join(last.split())[:200]


def _settings(near: bool) -> dict[str, str]:
    """What was measured to serve: no web page, short-lived Java, Unix sockets between Java and Python."""
    quiet = Path(__file__).with_name("log4j2.properties").as_uri()
    java = f'{JAVA_OPTIONS} -Dlog4j2.configurationFile={quiet} "-Djava.io.tmpdir={scratch()}"'
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": java,
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.python.unix.domain.socket.enabled": str(len(str(scratch())) < MOST_PATH).lower(),
        "spark.python.worker.reuse": "true",
        # A worker is started with -m, so without this a model.py where the user stands would hide the package `model`.
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        "spark.task.maxFailures": str(ATTEMPTS),
        "spark.sql.shuffle.partitions": str(2 * cores()),
        "spark.sql.session.timeZone": "UTC",
    }
    if near:
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
        settings |= {"spark.local.dir": str(scratch()), "spark.python.unix.domain.socket.dir": str(scratch())}
    return settings
