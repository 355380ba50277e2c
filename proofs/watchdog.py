"""Theories are checked by processes that are watched: a solver that ignores its limit is stopped, and the rest goes on.

A solver looks at its clock only between two pieces of work, and a piece may take for ever. So a worker tells, before
it asks a question, what it asks and how long that may take. If it is silent for longer, it is killed, and a fresh
worker checks the theory again without that question, whose answer is *unknown*. The same is done where a solver
crashes. A worker is a Python of its own, not a fork: solvers keep global state.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

GRACE = 5.0
"""Seconds that a solver may be late before it is stopped."""

Ask: TypeAlias = Callable[[str, float], Any]
"""`with ask(question, seconds) as allowed:` surrounds every question; it may be asked only if `allowed`."""

_ASKED, _ANSWERED, _DONE, _FAILED = "asked", "answered", "done", "failed"


class _Worker:
    """One process, and what it was not to ask again."""

    def __init__(self, job: str) -> None:
        self.job = job
        self._start()

    def _start(self) -> None:
        mine, its = socket.socketpair()
        with its:
            arguments = [sys.executable, "-c", f"from proofs.watchdog import serve; serve({its.fileno()})"]
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            # What it prints, a user's own file for one, is no part of our answer.
            self.process = subprocess.Popen(arguments, stdout=2, pass_fds=(its.fileno(),), env=environment)
        self.connection = Connection(mine.detach())

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.connection.close()

    def run(self, task: tuple[object, ...], grace: float, over: threading.Event) -> Any:
        """What the job makes of the task, however often it has to be begun anew; None once all is over."""
        forbidden: set[str] = set()
        while not over.is_set():
            question, answer = self._attempt((self.job, task, frozenset(forbidden)), grace)
            if question is None:
                return answer
            forbidden.add(question)
            self.stop()
            self._start()
        return None

    def _attempt(self, request: object, grace: float) -> tuple[str | None, Any]:
        """No question and the outcome; or the question that the worker did not come back from."""
        question, limit, failed = None, None, None
        try:
            self.connection.send(request)
            while self.connection.poll(limit):
                kind, value, seconds = self.connection.recv()
                if kind == _DONE:
                    return None, value
                if kind == _FAILED:
                    failed = value
                    break
                question, limit = (value, seconds + grace) if kind == _ASKED else (None, None)
        except (EOFError, OSError):
            if question is None:
                raise RuntimeError(f"a worker of {self.job} died with exit code {self.process.wait()}") from None
        if failed is not None:  # outside of the try: it may be an OSError, and the worker is alive
            raise failed
        return question, None


def watched(job: str, tasks: Sequence[tuple[object, ...]], workers: int, grace: float = GRACE) -> Iterator[Any]:
    """The outcomes of `job` ("module:function", called with `ask` and the task's values), in the order of completion.

    An exception of the job is raised here. When the caller stops early, what is under way is stopped too.
    """
    local, over, started = threading.local(), threading.Event(), list[_Worker]()

    def run(task: tuple[object, ...]) -> Any:
        if not hasattr(local, "worker"):
            local.worker = _Worker(job)
            started.append(local.worker)
        return local.worker.run(task, grace, over)

    pool = ThreadPoolExecutor(max(1, min(workers, len(tasks))))
    try:
        for done in as_completed([pool.submit(run, task) for task in tasks]):
            yield done.result()
    finally:
        over.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in started:
            worker.process.kill()  # what its thread waits for ends with it
        pool.shutdown(wait=True)
        for worker in started:
            worker.stop()


def serve(descriptor: int) -> None:
    """The worker's side: tasks come in, what is being asked and what came out go back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to answer
    connection = Connection(descriptor)
    while True:
        try:
            job, task, forbidden = connection.recv()
        except EOFError:
            return
        module, function = job.split(":")

        @contextmanager
        def ask(question: str, seconds: float, forbidden: frozenset[str] = forbidden) -> Iterator[bool]:
            connection.send((_ASKED, question, seconds))
            yield question not in forbidden
            connection.send((_ANSWERED, question, 0.0))

        try:
            outcome = getattr(import_module(module), function)(ask, *task)
        except Exception as error:  # whatever it is, it is raised where the task came from
            connection.send((_FAILED, error, 0.0))
        else:
            connection.send((_DONE, outcome, 0.0))
