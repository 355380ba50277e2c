"""A search that is killed goes on where it was, and gives the verdict of one that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.engines.native import engine
from checker.engines.native.search import checkpoint
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.properties import chosen
from tests.engines.native.agreement import differences

KILLED = """
import sys, time
from checker.engines.search_options import SearchOptions
from checker.engines.native.search import checkpoint
from checker.engines.native import engine
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
checkpoint.SECONDS = 0.0
system = build_system(parse("biring:4")[0], "transfer")
def slow(states, queue, depth):
    if depth == 12:
        print("there", flush=True)
        time.sleep(60)
engine.judge(system, chosen(system), SearchOptions(checkpoint=sys.argv[1]), slow)
"""


def test_a_killed_search_goes_on_and_gives_the_same_verdict(tmp_path: Path) -> None:
    system = build_system(parse("biring:4")[0], "transfer")
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "there\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    depths: list[int] = []
    options = SearchOptions(checkpoint=str(tmp_path))
    resumed = engine.judge(system, chosen(system), options, lambda states, queue, depth: depths.append(depth))
    assert min(depths) == 12  # the levels before are not explored again
    assert differences(resumed, engine.judge(system, chosen(system))) == []


def test_violations_found_before_the_kill_are_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    system = build_system(parse("ring:3")[0], "transfer", "marker", "0", "fifo,marker-loss:1")
    properties = chosen(system)
    whole = engine.judge(system, properties)
    engine.judge(system, properties, SearchOptions(max_depth=7, checkpoint=str(tmp_path)))
    assert differences(engine.judge(system, properties, SearchOptions(checkpoint=str(tmp_path))), whole) == []


def test_a_folder_of_another_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    one, other = (build_system(parse(name)[0], "transfer") for name in ("ring:3", "ring:4"))
    engine.judge(one, chosen(one), SearchOptions(checkpoint=str(tmp_path)))
    with pytest.raises(InputError, match="another system"):
        engine.judge(other, chosen(other), SearchOptions(checkpoint=str(tmp_path)))
    (tmp_path / checkpoint.FILE).write_bytes(b"not a checkpoint")
    with pytest.raises(InputError, match="cannot be read"):
        engine.judge(one, chosen(one), SearchOptions(checkpoint=str(tmp_path)))


def test_a_run_is_only_kept_when_it_is_time(tmp_path: Path) -> None:
    started = time.monotonic()
    system = build_system(parse("ring:3")[0], "transfer")
    engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path)))
    assert time.monotonic() - started > checkpoint.SECONDS or not list(tmp_path.iterdir())
