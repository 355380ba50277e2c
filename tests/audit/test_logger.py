"""The logger: what it writes is what `audit` reads, from many threads, tasks and processes at once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from checker.audit import Log
from checker.audit.reading import read
from checker.audit.result import Asked, audit


def test_what_is_logged_is_audited(tmp_path: Path) -> None:
    one = Log(tmp_path / "A.jsonl", machine="A", run="7", state=1)
    two = Log(tmp_path / "B.jsonl", machine="B", run="7", state=0)
    one.send("B", 1, state=0)
    one.record("s")
    one.send_marker("B", "s")
    two.record("s")
    two.send_marker("A", "s")
    two.accept("A", 1, state=1)
    two.accept_marker("A", "s")
    one.accept_marker("B", "s")
    with Log(tmp_path / "claims.jsonl", run="7") as claims:
        claims.snapshot("s", {"A": 0, "B": 0}, {"A>B": (1,)})
    found = audit([str(tmp_path)], Asked(protocol="marker"))
    assert (found.verdict, found.events, [s.verdict for s in found.snapshots]) == ("holds", 11, ["consistent"])


def test_threads_and_tasks_write_whole_lines(tmp_path: Path) -> None:
    log = Log(tmp_path / "log.jsonl", machine="A")
    long = "x" * 5000

    async def tasks() -> None:
        async def one(number: int) -> None:
            for step in range(50):
                log.step([number, step, long])
                await asyncio.sleep(0)

        await asyncio.gather(*(one(number) for number in range(4)))

    threads = [threading.Thread(target=lambda: asyncio.run(tasks())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert len(lines) == 4 * 4 * 50


def test_processes_share_a_file(tmp_path: Path) -> None:
    code = "import sys; from checker.audit import Log; log = Log(sys.argv[1], sys.argv[2])\n"
    code += "for n in range(200): log.step('y' * 3000)"
    path = str(tmp_path / "log.jsonl")
    running = [subprocess.Popen([sys.executable, "-c", code, path, name]) for name in "AB"]
    assert [process.wait(60) for process in running] == [0, 0]
    reading = read([path])
    assert (reading.events, reading.unread) == (400, [])


def test_what_json_cannot_say_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    log = Log(tmp_path / "log.jsonl", machine="A")
    with pytest.raises(TypeError):
        log.send("B", {1, 2})
    with pytest.raises(ValueError, match="no machine"):
        Log(tmp_path / "log.jsonl").step(1)
    log.close()
    log.close()
    assert (tmp_path / "log.jsonl").read_text() == ""


def test_the_logger_needs_the_standard_library_only() -> None:
    code = "import sys; import checker.audit; own = {'model', 'checker', 'redwhite', '_distutils_hack'}\n"
    code += "print(*{m.split('.')[0] for m in sys.modules if m[:2] != '__'} - set(sys.stdlib_module_names) - own)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
