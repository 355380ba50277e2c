"""The frontier of assumptions is exact: it is what all subsets, each checked by itself, say."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from checker.check import check
from checker.cli.app import run
from checker.engines.search_options import SearchOptions
from checker.sweep.minimal_relaxations import below, consistent_sets, needs
from model.verdict import Outcome

THREE = ("fifo", "loss:1", "marker-loss:1", "marker-duplication:1")


@pytest.mark.parametrize("name", ["no-red-in-white", "reachable", "completes"])
def test_the_frontier_is_what_brute_force_says(name: str) -> None:
    sets = [frozenset(some) for size in range(5) for some in combinations(THREE, size)]
    breaks = {
        some: check("complete:2", relax=",".join(sorted(some)), properties=[name], engine="reference").outcome
        is Outcome.VIOLATED
        for some in sets
    }
    found = needs("marker", name, ("complete:2",), relaxations=THREE, engine="reference")
    minimal = {s for s in sets if breaks[s] and not any(breaks[t] for t in sets if t < s)}
    maximal = {s for s in sets if not breaks[s] and all(breaks[t] for t in sets if t > s)}
    assert {frozenset(j.relax) for j in found.minimal_breaking()} == minimal
    assert {frozenset(j.relax) for j in found.maximal_kept()} == maximal
    assert len(found.judged) == len(sets) and not found.undecided()


def test_overtaking_is_less_than_bags_and_fewer_faults_less_than_more() -> None:
    assert below(("overtake:1",), ("fifo",)) and not below(("fifo",), ("overtake:1",))
    assert below(("overtake:1",), ("overtake:2",)) and below(("loss:1",), ("loss:2", "crash:1"))
    assert not below(("loss:2",), ("loss:1",)) and below((), ("loss:1",))
    found = needs("marker", "channel-exact", relaxations=("fifo", "overtake:1", "loss:1", "loss:2"), engine="reference")
    assert [j.relax for j in found.minimal_breaking()] == [("overtake:1",), ("loss:1",)]
    assert [j.relax for j in found.maximal_kept()] == [()]


def test_sets_that_cannot_be_asked_for_together_are_left_out() -> None:
    sets = consistent_sets(("fifo", "overtake:1", "loss:1", "loss:2"))
    assert ("fifo", "overtake:1") not in sets and ("loss:1", "loss:2") not in sets
    assert len(sets) == 3 * 3


def test_lai_and_yang_need_no_order() -> None:
    relaxations = ("fifo", "overtake:2", "marker-loss:1")
    found = needs("laiyang", "reachable", program="free,s=2-1", relaxations=relaxations, engine="reference")
    assert found.minimal_breaking() == ()
    assert [j.relax for j in found.maximal_kept()] == [("fifo", "marker-loss:1")]


def test_what_a_bound_leaves_undecided_is_in_neither_list() -> None:
    options = SearchOptions(max_states=60)
    found = needs("marker", "completes", relaxations=("fifo", "crash:1"), options=options, engine="reference")
    assert [j.relax for j in found.undecided()] and not found.maximal_kept()


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["assumptions", "--property", "no-red-in-white", "--relax", "fifo", "--relax", "loss:1"]
    assert run([*words, "--engine", "reference"]) == 0
    shown = capsys.readouterr().out
    assert "  fifo  (after 3 actions on complete:2)\n  loss:1  (after 4 actions on complete:2)" in shown
    assert "exact: 4 sets" in shown
    assert run([*words, "--engine", "reference", "--json"]) == 0
    (data,) = json.loads(capsys.readouterr().out)["assumptions"]
    assert [one["relax"] for one in data["minimal_breaking"]] == [["fifo"], ["loss:1"]]
    assert run(["assumptions", "--relax", "fifo,loss:1"]) == 2
    assert "single ones" in capsys.readouterr().err
    assert run(["assumptions", "--protocol", "magic", "--property", "one-marker-per-channel"]) == 2
    assert "says nothing about magic" in capsys.readouterr().err
