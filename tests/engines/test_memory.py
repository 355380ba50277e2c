"""Memory: limits of containers and of `ulimit -v` are seen, and a search stops before it meets them."""

from __future__ import annotations

import json
import resource
import subprocess
from functools import wraps
from pathlib import Path

import pytest

from checker.cli.app import VERBS, Verb
from checker.engines import memory
from checker.engines.search_options import SearchOptions, StopCondition
from tests.cli.conftest import ROOT, Command, redwhite  # noqa: F401
from tests.cli.test_process import SCRIPT

MB = 1 << 20


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


V2 = {
    "proc/self/cgroup": "0::/pod/box",
    "sys/fs/cgroup/pod/memory.max": str(900 * MB),
    "sys/fs/cgroup/pod/memory.current": str(500 * MB),
    "sys/fs/cgroup/pod/memory.stat": f"anon 5\ninactive_file {100 * MB}",
    "sys/fs/cgroup/pod/box/memory.max": "max",
    "sys/fs/cgroup/pod/box/memory.current": str(500 * MB),
}
CONTAINER = {
    "proc/self/cgroup": "0::/some/path/of/the/host",
    "sys/fs/cgroup/memory.max": str(900 * MB),
    "sys/fs/cgroup/memory.current": str(400 * MB),
}
V1 = {
    "proc/self/cgroup": "9:name=systemd:/\n8:cpu,memory:/box\n0::/",
    "sys/fs/cgroup/memory/box/memory.limit_in_bytes": str(900 * MB),
    "sys/fs/cgroup/memory/box/memory.usage_in_bytes": str(450 * MB),
    "sys/fs/cgroup/memory/box/memory.stat": f"total_inactive_file {50 * MB}\nbroken line here",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": str(450 * MB),
}


@pytest.mark.parametrize("files", [V2, CONTAINER, V1], ids=["v2", "a container's root", "v1"])
def test_the_limit_of_a_control_group(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, files)
    assert list(memory.cgroup_limits(tmp_path)) == [(900 * MB, 400 * MB)]


def test_no_limit_where_there_is_none(tmp_path: Path) -> None:
    write(tmp_path, {"proc/self/cgroup": "garbage\n::\n1:a", "sys/fs/cgroup/memory.max": "max"})
    assert list(memory.cgroup_limits(tmp_path)) == []
    assert list(memory.cgroup_limits(tmp_path / "nowhere")) == []


def test_the_least_of_all_limits_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    host = memory.available_memory()
    monkeypatch.setattr(memory, "cgroup_limits", lambda: iter([(900 * MB, 700 * MB), (5000 * MB, 0)]))
    assert host is not None and memory.available_memory() == min(host, 200 * MB)
    assert memory.total_memory() == 900 * MB
    monkeypatch.setattr(memory, "address_space_left", lambda: 300 * MB)
    assert memory.available_memory() == 100 * MB


def test_every_search_stops_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.engines.search_options.available_memory", lambda: 5 * MB)
    stop_condition = StopCondition(SearchOptions())
    assert stop_condition.stop(10, 1) and stop_condition.why == "memory would run out: 5 MB are free"


def test_under_ulimit_a_large_check_says_what_it_covered() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (320 * MB, 320 * MB))

    words = ["check", "complete:3", "--program", "transfer,b=2,s=2", "--engine", "reference", "--json"]
    ran = subprocess.run([SCRIPT, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, preexec_fn=limit)
    found = json.loads(ran.stdout)
    assert ran.returncode == 3 and found["verdict"] == "unknown" and "memory" in found["reason"], ran.stderr
    assert found["states"] > 1000 and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("refute complete:3 --program transfer,b=2,s=2 --max-depth 60 --all", 400),
        ("refute any:4 --program transfer,b=2,s=2 --max-depth 60", 400),
        ("matrix complete:3 --program transfer,s=2 --protocol marker --relax none --engine reference --workers 1", 200),
        ("gallery", 150),
    ],
)
def test_every_verb_says_in_one_object_that_memory_ran_out(words: str, limit: int) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit * MB, limit * MB))

    command = [SCRIPT, *words.split(), "--json"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, preexec_fn=limited)
    assert ran.returncode == 3 and ran.stderr == "", ran.stderr
    assert "memory" in json.dumps(json.loads(ran.stdout))


@pytest.mark.parametrize("verb", ["refute ring:3", "assumptions complete:2", "audit x.jsonl", "show x.json", "gallery"])
@pytest.mark.parametrize(("error", "said"), [(MemoryError(), "out of memory"), (KeyboardInterrupt(), "interrupted")])
def test_what_ends_a_command_anywhere_is_one_object(
    redwhite: Command,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    error: BaseException,
    said: str,
) -> None:
    @wraps(VERBS[verb.split()[0]].function())
    def ends(**_: object) -> int:
        raise error

    monkeypatch.setattr(Verb, "function", lambda self: ends)
    ran = redwhite(*verb.split(), "--json")
    assert ran.code == 3 and ran.json()["reason"] == f"{said} before anything was covered" and ran.err == ""
