"""A search that is killed goes on where it was, and gives the verdict of one that was not."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checker.engines import kept_files
from checker.engines.native import engine
from checker.engines.native.search import checkpoint
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.assumptions import parse_relaxations
from model.catalogue import build_system
from model.errors import InputError
from model.programs.transfer import Transfer
from model.properties import chosen
from model.protocols.marker import Marker
from model.system import System
from tests.engines.native.agreement import differences
from tests.engines.native.test_symmetry import Secretive

KILLED = """
import sys, time
from checker.engines.search_options import SearchOptions
from checker.engines.native.search import checkpoint
from checker.engines.native import engine
from checker.topologies import parse
from model.assumptions import parse_relaxations
from model.catalogue import build_system
from model.properties import chosen
from model.protocols.marker import Marker
from model.system import System
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


def test_a_run_is_only_kept_when_it_is_time(tmp_path: Path) -> None:
    started = time.monotonic()
    system = build_system(parse("ring:3")[0], "transfer")
    engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path)))
    assert time.monotonic() - started > checkpoint.SECONDS or not (tmp_path / checkpoint.NOTE).exists()


class Interrupted(Transfer):
    """Transfer, until somebody interrupts the search while it is asked."""

    left = 0

    def actions(self, machine: int, state: Any, offered: Any) -> Any:
        Interrupted.left -= 1
        if Interrupted.left == 0:
            raise KeyboardInterrupt
        return super().actions(machine, state, offered)


@pytest.mark.parametrize(
    ("way", "network", "relax", "steps"),
    [
        (SearchOptions(), "edges:0>1,1>2,2>0,0>2", "", (5, 11, 29)),
        (SearchOptions(), "edges:0>1,1>2,2>0,0>2", "fifo,marker-loss:1", (61, 113)),
        (SearchOptions(symmetry=True), "biring:3", "", (17, 41)),
        (SearchOptions(symmetry=True), "biring:3", "fifo", (97,)),
        (SearchOptions(reduce=True), "edges:0>1,1>2,2>0,0>2", "", (5, 11, 29)),
    ],
)
def test_an_interrupt_at_any_moment_loses_nothing(
    tmp_path: Path, way: SearchOptions, network: str, relax: str, steps: tuple[int, ...]
) -> None:
    """The search is interrupted at each so many further questions, again and again, and ends as one that was not."""
    topology = parse(network)[0]
    made = Interrupted(topology, b=1, s=1 if way.symmetry else 2)
    system = System(topology, made, Marker(topology, made, (0,)), parse_relaxations(relax))
    whole = engine.judge(system, chosen(system), way)
    for every in steps:
        folder, stops, states = tmp_path / str(every), 0, [0]
        while True:
            Interrupted.left = every + stops
            found = engine.judge(system, chosen(system), replace(way, checkpoint=str(folder)))
            if found.reason is None:
                break
            assert found.reason == "interrupted" and found.counts.states >= states[-1]
            states.append(found.counts.states)
            stops += every
        Interrupted.left = 0
        assert stops and differences(found, whole) == []


@pytest.mark.parametrize(
    "bounds", [{"max_states": 700}, {"max_states": 701, "workers": 2}, {"timeout": 1e-9}, {"max_depth": 4}]
)
def test_every_bound_keeps_what_was_explored(tmp_path: Path, bounds: dict[str, Any]) -> None:
    system = build_system(parse("biring:3")[0], "transfer")
    engine.judge(system, chosen(system), SearchOptions(checkpoint=str(tmp_path), **bounds))
    assert (tmp_path / checkpoint.NOTE).exists()
    smaller = engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path / "other"), max_states=5))
    assert smaller.reason == "the bound of 5 states was met"
    resumed = engine.judge(system, chosen(system), SearchOptions(checkpoint=str(tmp_path)))
    assert differences(resumed, engine.judge(system, chosen(system))) == []


WAYS = {"symmetry": SearchOptions(symmetry=True), "reduce": SearchOptions(reduce=True)}


@pytest.mark.parametrize("bounds", [{"max_states": 300}, {"timeout": 1e-9}, {"max_depth": 6}])
@pytest.mark.parametrize("way", WAYS)
def test_every_bound_keeps_a_search_over_fewer_states(tmp_path: Path, way: str, bounds: dict[str, Any]) -> None:
    system, options = build_system(parse("biring:3")[0], "transfer"), replace(WAYS[way], checkpoint=str(tmp_path))
    cut = engine.judge(system, chosen(system), replace(options, **bounds))
    assert cut.reason is not None and (tmp_path / checkpoint.NOTE).exists()
    resumed = engine.judge(system, chosen(system), options)
    assert differences(resumed, engine.judge(system, chosen(system), WAYS[way])) == []
    with pytest.raises(InputError, match="another reduction"):
        engine.judge(system, chosen(system), SearchOptions(checkpoint=str(tmp_path)))


def test_a_group_that_turned_out_smaller_is_gone_on_with(tmp_path: Path) -> None:
    """Machine 1 differs in a state that the kept part had not met: that part, under a larger group, is dropped."""
    topology = parse("complete:3")[0]
    made = Secretive(topology)
    system = System(topology, made, Marker(topology, made, (0, 1, 2)), parse_relaxations(""))
    claims = [p for p in chosen(system) if p.name not in ("non-interference", "no-new-deadlock")]  # they look ahead
    whole = engine.judge(system, claims, WAYS["symmetry"])
    assert whole.counts.symmetries == 2
    for number, (bounds, orders) in enumerate((((2, 400, 2000), [6, 2, 2]), ((900,), [2]))):
        options, met = replace(WAYS["symmetry"], checkpoint=str(tmp_path / str(number))), []
        for bound in bounds:
            cut = engine.judge(system, claims, replace(options, max_states=bound))
            met.append(cut.counts.symmetries)
        assert met == orders
        assert differences(engine.judge(system, claims, options), whole) == []


def test_smaller_bounds_are_said_to_be_met(tmp_path: Path) -> None:
    system = build_system(parse("biring:3")[0], "transfer")
    engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path), max_states=700))
    found = engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path), max_states=300))
    assert found.reason == "the bound of 300 states was met" and found.counts.states >= 700


def test_no_edit_of_a_file_is_believed(tmp_path: Path) -> None:
    """Bits flipped, files cut, rows and counters changed in files whose checksums are right: all refused."""
    system, draw = build_system(parse("ring:3")[0], "transfer"), random.Random(5)
    engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path), max_states=150))
    files = [path for path in tmp_path.iterdir() if path.stat().st_size]
    assert len(files) == 2
    for edit in range(200):
        path = draw.choice(files)
        before = path.read_bytes()
        if path.suffix == ".npz" and edit % 2:
            with np.load(path) as kept:
                arrays = {name: kept[name].copy() for name in kept.files}
            spoilt = arrays[draw.choice([name for name in arrays if arrays[name].size])]
            spoilt.flat[draw.randrange(spoilt.size)] += draw.choice([1, 2, 255])
            np.savez(path, **arrays)
        elif edit % 7 == 0:
            path.write_bytes(before[: draw.randrange(len(before))])
        else:
            place, bit = draw.randrange(len(before)), 1 << draw.randrange(8)
            path.write_bytes(before[:place] + bytes([before[place] ^ bit]) + before[place + 1 :])
        with pytest.raises(InputError, match="damaged") as refusal:
            engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path)))
        assert "\n" not in str(refusal.value)
        path.write_bytes(before)
    assert engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path))).counts.states == 298


def test_a_full_disk_costs_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_arrays", full)
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    system = build_system(parse("ring:3")[0], "transfer")
    assert engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path))).counts.states == 298
    assert capsys.readouterr().err.count("No space left") == 1


def test_two_searches_do_not_share_a_folder(tmp_path: Path) -> None:
    system = build_system(parse("ring:3")[0], "transfer")
    with kept_files.locked(tmp_path), pytest.raises(InputError, match="in use"):
        engine.judge(system, [], SearchOptions(checkpoint=str(tmp_path)))
