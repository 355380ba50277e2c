"""Synthesis: the sketch is the known algorithms where its holes are filled so, and the search misses no right rule."""

from __future__ import annotations

from itertools import product

import pytest

from checker.check import check
from checker.cli.app import run
from checker.synthesis.search import Found, Question, synthesise, words
from checker.synthesis.space import Space, cost, network
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.protocols.sketch import HOLES
from model.system import State, System
from model.verdict import Outcome

FIRST = {name: next(iter(values)) for name, values in HOLES.items()}
LAI_YANG = {
    **FIRST,
    "begins": "everyone",
    "message": "red-before",
    "sends": "never",
    "tags": "colour",
    "records": "white",
    "until": "end",
    "complete": "empty",
}
SMALL = (("begins", "initiators"), ("message", "accepted"), ("tags", "none"), ("senders", "everyone"))


def question(topology: str, relax: str = "", fixed: tuple[tuple[str, str], ...] = ()) -> Question:
    return Question((parse(topology)[0],), relax=relax, fixed=fixed)


def rules_of(found: Found) -> set[str]:
    """Every right rule, those that were not tried because they decide alike included."""
    fixed = {
        words(dict(zip(HOLES, values, strict=True)))
        for right in found.right
        for values in product(*(sorted(right.alike[name]) for name in HOLES))
    }
    return fixed


@pytest.mark.parametrize("topology", ["ring:3", "biring:3", "edges:0>1,1>0,1>0"])
def test_the_first_fillings_are_chandy_and_lamports(topology: str) -> None:
    one, other = check(topology, protocol="sketch"), check(topology, protocol="marker")
    assert (one.counts, one.outcome) == (other.counts, other.outcome)


def test_others_are_lai_and_yangs_and_the_mutants() -> None:
    assert check("ring:3", protocol=words(LAI_YANG), relax="fifo").outcome is Outcome.HOLDS
    for filling, mutant, property in (
        ("sends=later", "late-marker", "no-red-in-white"),
        ("until=every", "keep-recording", "channel-exact"),
        ("records=nothing", "no-channel-state", "channel-exact"),
        ("complete=red", "early-complete", "channel-exact"),
    ):
        one = check("complete:3", protocol=f"sketch,{filling}", properties=[property])
        other = check("complete:3", protocol=mutant, properties=[property])
        assert one.properties[0].length == other.properties[0].length is not None, filling


def test_the_search_finds_just_the_rules_that_brute_force_finds() -> None:
    fixed = (*SMALL, ("outputs", "all"), ("marker", "first"), ("until", "own"))
    found = synthesise(question("biring:2", fixed=fixed), most=100)
    choices = [(dict(fixed)[name],) if name in dict(fixed) else tuple(HOLES[name]) for name in HOLES]
    right = set()
    for values in product(*choices):
        rule = words(dict(zip(HOLES, values, strict=True)))
        verdict = check("biring:2", protocol=rule, engine="reference")
        if verdict.outcome is Outcome.HOLDS and verdict.counts.snapshots:
            right.add(rule)
    in_space = {words(dict(zip(HOLES, values, strict=True))) for values in product(*choices)}
    assert found.whole and found.size == len(in_space) == 48
    assert rules_of(found) & in_space == right and len(right) > 3


def test_what_is_ruled_out_with_a_counterexample_is_wrong_too() -> None:
    """Of each refutation, some of the rules that were never tried: each of them is violated by itself."""
    fixed = (*SMALL, ("outputs", "all"), ("marker", "first"))
    found = synthesise(question("biring:2", fixed=fixed), most=100)
    assert found.whole and found.refuted
    for number, wrong in enumerate(found.refuted[::2]):
        choices = [sorted(wrong.alike[n]) if n not in dict(fixed) else [dict(fixed)[n]] for n in HOLES]
        alike = [dict(zip(HOLES, values, strict=True)) for values in product(*choices)]
        assert len(alike) == wrong.rules
        untried = alike[number % len(alike)]
        verdict = check("biring:2", protocol=words(untried), properties=[wrong.property])
        assert verdict.outcome is Outcome.VIOLATED, (words(wrong.rule), words(untried))


def test_without_markers_or_tags_nothing_is_right() -> None:
    found = synthesise(question("biring:2", fixed=(("sends", "never"), ("tags", "none"))))
    assert found.whole and not found.right and found.tried < found.size


def test_of_right_rules_those_that_cost_least_come_first() -> None:
    found = synthesise(question("biring:2", fixed=(*SMALL, ("outputs", "all"), ("records", "all"))), most=2)
    costs = [right.cost for right in found.right]
    assert costs == sorted(costs) and costs[0].control_messages == 2
    assert words(FIRST) in rules_of(found)


@pytest.mark.parametrize("topology", ["ring:3", "biring:3", "edges:0>1,1>0,1>2,2>0"])
@pytest.mark.parametrize("outputs", list(HOLES["outputs"]))
@pytest.mark.parametrize("senders", list(HOLES["senders"]))
def test_the_markers_that_a_rule_is_said_to_cost_are_the_most_that_a_run_sends(
    topology: str, outputs: str, senders: str
) -> None:
    rule = {**FIRST, "outputs": outputs, "senders": senders, "complete": "red"}
    graph = parse(topology)[0]
    system = build_system(graph, "transfer,b=0,s=0", words(rule))
    assert most_markers(system) <= cost(rule, [network(graph, (0,))]).control_messages
    if outputs == "all" and senders == "everyone":
        assert most_markers(system) == len(graph.channels)


def most_markers(system: System) -> int:
    """The most control messages that any run sends, by trying all runs."""
    (initial,) = system.initial_states()
    known: dict[State, int] = {}

    def most(state: State) -> int:
        if state not in known:
            known[state] = max(
                (
                    sum(m.control for move in event.moves for _, m in move.sends) + most(system.step(state, event))
                    for event in system.events(state)
                ),
                default=0,
            )
        return known[state]

    return most(initial)


def test_bad_words_are_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("color=red", "tags=colours", "tags"):
        assert run(["synthesise", "ring:3", "--fix", wrong]) == 2
        told = capsys.readouterr().err
        assert (wrong.partition("=")[0] in told and "accepted are" in told) or "write HOLE" in told
        assert told.count("\n") == 1
    with pytest.raises(InputError, match="sends=soon"):
        Space({"sends": "soon"}, [])
    with pytest.raises(InputError, match="sends=soon"):
        check("ring:3", protocol="sketch,sends=soon")


def test_the_command_says_what_was_tried_and_a_limit_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    fixed = (*SMALL, ("outputs", "all"), ("marker", "first"), ("sends", "turning"))
    words = ["synthesise", "biring:2", *(f"--fix={name}={value}" for name, value in fixed)]
    assert run(words) == 0
    told = capsys.readouterr().out
    assert "Markers are sent in the action of turning red." in told and "RIGHT" in told
    assert run([*words, "--timeout", "0.000001"]) == 3
    assert "UNKNOWN" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_chandy_and_lamports_rules_are_found_and_without_order_only_tags_help() -> None:
    both = tuple(parse(name)[0] for name in ("ring:3", "complete:3"))
    untagged = (("tags", "none"),)
    found = synthesise(Question(both, fixed=untagged))
    assert found.whole and words(FIRST) in rules_of(found)
    assert {right.cost.control_messages for right in found.right} == {9}  # one for each channel
    none = synthesise(Question(both[:1], relax="fifo", fixed=untagged))
    assert none.whole and not none.right
    tagged = synthesise(Question(both[:1], relax="fifo"))
    assert tagged.whole and words(LAI_YANG) in rules_of(tagged)
    assert {right.cost.control_messages for right in tagged.right} == {0}
