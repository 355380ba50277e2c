"""Properties of one's own, of every kind, in every engine, against a judge of runs that shares no code with them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from random import Random
from typing import Any

import pytest

from checker.check import check
from checker.engines import engine
from checker.engines.search_options import SearchOptions
from checker.judging.rejudge import rejudge
from model import Monitor, always, eventually, leads_to, never, on_action, on_cut, on_snapshot, sometimes
from model.action import Event
from model.claims import property_of
from model.errors import InputError
from model.properties import chosen
from model.property import Property
from model.system import State, System
from model.verdict import Outcome, Verdict
from tests.judging.whims import whim

Test = Callable[[Any], bool]


class Parity(Monitor):
    """Counts acts of a kind modulo some number; a value is an error, others are hot, as the seed says."""

    def __init__(self, draw: Random) -> None:
        self.claim = f"parity {draw.random()}"
        self.modulus, self.kind = draw.randrange(2, 4), draw.choice(("send", "white", "any"))
        self.bad = draw.randrange(self.modulus) if draw.random() < 0.5 else -1
        self.owing = {v for v in range(self.modulus) if draw.random() < 0.4}
        self.initial = 0

    def counts(self, event: Any) -> bool:
        return {"send": bool(event.sends), "white": not event.red, "any": True}[self.kind]

    def next(self, value: Any, event: Any) -> Hashable:
        return (value + self.counts(event)) % self.modulus

    def error(self, value: Any) -> bool:
        return bool(value == self.bad)

    def hot(self, value: Any) -> bool:
        return value in self.owing


def random_test(draw: Random, machines: int, channels: int) -> Test:
    """A predicate of a view, of one or two of its parts."""
    parts: list[Test] = [
        lambda view: bool(view.red[0]),
        lambda view: bool(view.red[machines - 1]),
        lambda view: bool(view.begun),
        lambda view: bool(view.complete),
        lambda view: view.recorded[0] is not None,
        lambda view: len(view.channels[channels - 1]) > 0,
        lambda view: sum(view.machines[0].sent) > 0,
        lambda view: sum(map(len, view.machines[machines - 1].accepted)) > 0,
    ]
    one, two = draw.choice(parts), draw.choice(parts)
    return draw.choice((one, lambda view: one(view) and two(view), lambda view: one(view) or not two(view)))


def random_properties(seed: int, system: System) -> dict[str, tuple[Property | Monitor, Any]]:
    """One of each kind: by name, the property and what the judge below needs of it."""
    draw, topology = Random(f"own {seed}"), system.topology

    def test() -> Test:
        return random_test(draw, topology.machines, len(topology.channels))

    a, b, c, d, e, f = (test() for _ in range(6))
    watching = Parity(draw)
    return {
        "holds always": (always("holds always", a), a),
        "holds never": (never("holds never", b), b),
        "holds sometimes": (sometimes("holds sometimes", c), c),
        "comes to hold": (eventually("comes to hold", d), d),
        "is followed": (leads_to("is followed", e, f), (e, f)),
        "acts so": (on_action("acts so", lambda act: not (act.red and act.sends)), None),
        "recorded so": (on_snapshot("recorded so", lambda sss: not sum(sss.machines[0].sent)), None),
        "cut so": (on_cut("cut so", lambda s0, sss, s1: s0.machines == s1.machines), None),
        watching.claim: (watching, watching),
    }


class Plain:
    """A state as the predicates see it, by the test's own means."""

    def __init__(self, system: System, state: State, begun: bool) -> None:
        self.machines = [local.state for local in state.machines]
        self.channels = [[m.payload for m in content if not m.control] for content in state.channels]
        self.red = [local.red for local in state.machines]
        self.recorded = [local.state if local.red else None for local in state.machines]
        self.begun, self.complete = begun, system.complete(state)


def brute(system: System, own: dict[str, tuple[Any, Any]]) -> dict[str, int | None]:
    """The length of the shortest violation of each (of `sometimes`, of the shortest run to what is sought)."""
    (start,) = system.initial_states()
    found: dict[str, int | None] = dict.fromkeys(own)
    watching: Parity = next(w for p, w in own.values() if isinstance(p, Parity))
    (first, then), sought = own["is followed"][1], own["comes to hold"][1]

    def remember(state: State, begun: bool, paid: bool, owed: bool, value: int, s0: Any) -> tuple[Any, ...]:
        view = Plain(system, state, begun)
        return state, begun, paid or sought(view), not then(view) and (owed or first(view)), value, s0

    here, seen, length = {remember(start, False, False, False, 0, None)}, set[Any](), 0
    while here:
        following = set()
        for node in here:
            state, begun, paid, owed, value, s0 = node
            view, events = Plain(system, state, begun), list(system.events(state))
            ended = all(event.fault is not None for event in events)
            broken = {
                "holds always": not own["holds always"][1](view),
                "holds never": own["holds never"][1](view),
                "holds sometimes": own["holds sometimes"][1](view),
                "comes to hold": ended and not paid,
                "is followed": ended and owed,
                watching.claim: value == watching.bad or (ended and value in watching.owing),
            }
            if system.complete(state):
                machines = [local.state for local in state.machines]
                broken["recorded so"] = bool(sum(machines[0].sent))
                broken["cut so"] = s0 is not None and list(s0) != machines
            for event in events:
                if any(m.acting and any(not x.control for _, x in m.sends) for m in event.moves):
                    found["acts so"] = min(length + 1, found["acts so"] or length + 1)
                after = system.step(state, event)
                start_here = s0
                if s0 is None and any(m.step.turns for m in event.moves):
                    start_here = tuple(local.state for local in state.machines)
                following.add(
                    remember(after, begun or begins(event), paid, owed, watched(watching, value, event), start_here)
                )
            for name, is_broken in broken.items():
                if is_broken and found[name] is None:
                    found[name] = length
        seen |= here
        here, length = following - seen, length + 1
    return found


def begins(event: Event) -> bool:
    return any(m.step.turns or any(x.control for _, x in m.sends) for m in event.moves)


def watched(watching: Parity, value: int, event: Event) -> int:
    for move in event.moves:
        counts = {"send": any(not m.control for _, m in move.sends), "white": not move.acting, "any": True}
        value = (value + counts[watching.kind]) % watching.modulus
    if not event.moves:  # a fault of a channel: no send, no colour
        value = (value + (watching.kind != "send")) % watching.modulus
    return value


def judged(name: str, seed: int, moody: bool = False) -> tuple[Verdict, dict[str, int | None], list[Property]]:
    system = whim(seed, moody)
    own = random_properties(seed, system)
    properties = chosen(system, [p for p, _ in own.values()])  # type: ignore[misc]
    verdict = engine(name)(
        system, properties, SearchOptions(runs=30) if name == "simulate" else SearchOptions(), quietly
    )
    return verdict, brute(system, own), properties


def quietly(states: int, queue: int, depth: int) -> None:
    """No progress."""


def lengths(verdict: Verdict, properties: list[Property]) -> dict[str, int | None]:
    """By claim; of `sometimes`, the length of the run shown."""
    shown = {w.property: len(w.trace) for w in verdict.witnesses}
    return {
        judged.claim: shown.get(judged.name) if judged.sought else found.length
        for judged, found in zip(properties, verdict.properties, strict=True)
    }


def compared(name: str, seeds: range, moody: bool) -> set[str]:
    """An engine that explores all agrees with the judge above; which kinds were violated."""
    kinds: set[str] = set()
    for seed in seeds:
        verdict, wanted, properties = judged(name, seed, moody)
        assert lengths(verdict, properties) == wanted, seed
        for claim, found in zip(properties, verdict.properties, strict=True):
            if found.counterexample is not None:
                kinds.add(" ".join(claim.claim.split()[:2]) if "parity" not in claim.claim else "parity")
                again = rejudge(claim, found.counterexample.trace)
                assert again.reason is not None, (seed, claim.claim)
                assert found.counterexample.explanation == again.reason
    return kinds


ALL_KINDS = 8
"""All but `sometimes`, which no run breaks."""


@pytest.mark.parametrize("moody", [False, True], ids=["free", "moody"])
@pytest.mark.parametrize("name", ["reference", "native"])
def test_random_properties_of_every_kind(name: str, moody: bool) -> None:
    assert len(compared(name, range(10), moody)) == ALL_KINDS


@pytest.mark.slow
@pytest.mark.parametrize("moody", [False, True], ids=["free", "moody"])
@pytest.mark.parametrize("name", ["reference", "native"])
def test_many_random_properties_of_every_kind(name: str, moody: bool) -> None:
    assert len(compared(name, range(10, 60), moody)) == ALL_KINDS


@pytest.mark.slow
def test_random_properties_on_spark() -> None:
    pytest.importorskip("pyspark")
    compared("spark", range(3), True)


def never_wrong(name: str, seeds: range, moody: bool) -> int:
    """An engine that may not know is never wrong; how often it knew."""
    told = 0
    for seed in seeds:
        verdict, wanted, properties = judged(name, seed, moody)
        for claim, found in zip(properties, verdict.properties, strict=True):
            if claim.sought or found.outcome is Outcome.UNKNOWN:
                continue
            told += 1
            where = name, seed, claim.claim
            assert (found.outcome is Outcome.VIOLATED) == (wanted[claim.claim] is not None), where
            assert name == "simulate" or found.length == wanted[claim.claim], where
    return told


@pytest.mark.parametrize("moody", [False, True], ids=["free", "moody"])
def test_random_runs_and_solvers_break_only_what_can_be_broken(moody: bool) -> None:
    assert never_wrong("simulate", range(5), moody) + never_wrong("z3", range(2), moody) > 10


@pytest.mark.slow
@pytest.mark.parametrize("moody", [False, True], ids=["free", "moody"])
def test_many_random_runs_and_solvers(moody: bool) -> None:
    assert never_wrong("simulate", range(5, 25), moody) + never_wrong("z3", range(2, 10), moody) > 60


@pytest.mark.parametrize("name", ["reference", "native"])
def test_liveness_on_runs_without_end_is_fair(name: str) -> None:
    # The token goes round for ever: each machine has it again and again, since a message that waits is accepted.
    fair = leads_to("P1 gets the token back", lambda v: not v.machines[1], lambda v: bool(v.machines[1]))
    never_again = eventually("P0 never has it", lambda v: not any(v.machines) and not any(v.channels))
    verdict = check("ring:2", "token", properties=[fair, never_again], engine=name)
    assert [p.outcome for p in verdict.properties] == [Outcome.HOLDS, Outcome.VIOLATED]
    found = verdict.properties[1].counterexample
    assert found is not None and found.trace.loop is not None
    assert rejudge(never_again, found.trace).reason == found.explanation


@pytest.mark.parametrize("name", ["reference", "native"])
def test_a_monitor_that_owes_for_ever(name: str) -> None:
    class Settles(Monitor):
        claim = "the token comes to rest"
        initial = 0

        def next(self, value: Any, event: Any) -> int:
            return 1 - value if event.sends else value

        def hot(self, value: Any) -> bool:
            return True

    verdict = check("ring:2", "token", properties=[Settles], engine=name)  # type: ignore[list-item]
    (found,) = verdict.properties
    # Before its snapshot is complete no run is fair for ever: what P0 may do by itself it must do.
    assert found.outcome is Outcome.VIOLATED and found.length == 3
    assert found.counterexample is not None
    (claim,) = chosen(verdict.system, [Settles])  # type: ignore[list-item]
    assert rejudge(claim, found.counterexample.trace).reason == found.counterexample.explanation


def test_what_is_sought_and_not_found_is_violated_by_no_run() -> None:
    gone = sometimes("all is lost", lambda v: not any(m.balance for m in v.machines) and not any(v.channels))
    for name in ("reference", "native"):
        (found,) = check("ring:2", properties=[gone], engine=name).properties
        assert (found.outcome, found.witness, found.counterexample) == (Outcome.VIOLATED, False, None)
        options = SearchOptions(max_depth=2)
        (found,) = check("ring:2", properties=[gone], engine=name, options=options).properties
        assert found.outcome is Outcome.UNKNOWN


def test_an_explanation_quotes_the_claim_and_shows_what_was_read() -> None:
    few = never("machine 1 is empty", lambda view: view.machines[1].balance == 0)
    for name in ("reference", "native", "z3"):
        (found,) = check("ring:2", properties=[few], engine=name).properties
        assert found.counterexample is not None
        assert found.counterexample.explanation == {
            "kind": "'machine 1 is empty' holds, as it never may",
            "claim": "machine 1 is empty",
            "read": {"machines[1]": {"balance": 0, "sends": 0}},
        }


@pytest.mark.parametrize("name", ["reference", "native"])
def test_an_explanation_says_of_what_a_claim_does_not_hold_or_that_it_does(name: str) -> None:
    begun = "in a snapshot a machine is empty"
    said = {
        always("money", lambda v: v.machines[1].balance > 0): "'money' does not hold",
        never("empty", lambda v: v.machines[1].balance == 0): "'empty' holds, as it never may",
        never(begun, lambda v: v.begun and v.machines[1].balance == 0): f"{begun!r} holds, as it never may",
        sometimes("none", lambda v: v.machines[1].balance == 0): "found: 'none'",
        on_action("no sends", lambda act: not act.sends): "'no sends' does not hold of this action",
        on_snapshot("kept", lambda sss: sss.machines[0] > 0): "'kept' does not hold of what is recorded",
        on_cut("still", lambda s0, sss, s1: s0 == s1): "'still' does not hold of this snapshot",
        property_of(FirstAction()): "'nothing happens' does not hold of the run",
    }
    verdict = check("ring:2", properties=list(said), engine=name)
    found = {p.name: p.counterexample.explanation["kind"] for p in verdict.properties if p.counterexample}
    found |= {w.property: w.explanation["kind"] for w in verdict.witnesses if w.property == "none"}
    assert found == {claim.name: words for claim, words in said.items() if claim is not None}


class FirstAction(Monitor):
    claim, initial = "nothing happens", 0

    def next(self, value: Any, event: Any) -> Hashable:
        return 1

    def error(self, value: Any) -> bool:
        return bool(value == 1)


def test_actions_and_recorded_states_are_judged_in_fewer_orders_too() -> None:
    acts = on_action("nobody sends when red", lambda act: not (act.red and act.sends))
    first = on_snapshot("machine 0 records a unit", lambda sss: sss.machines[0] > 0)
    some = on_snapshot("some machine records a unit", lambda sss: any(sss.machines) or any(sss.channels))
    for options in (SearchOptions(), SearchOptions(reduce=True)):
        found = check("ring:3", properties=[acts, first, some], engine="native", options=options).properties
        assert [p.outcome for p in found] == [Outcome.VIOLATED, Outcome.VIOLATED, Outcome.HOLDS]


@pytest.mark.parametrize("how", ["reduce", "symmetry"])
def test_what_fewer_orders_or_machines_do_not_decide_is_refused(how: str) -> None:
    options = SearchOptions(reduce=how == "reduce", symmetry=how == "symmetry")
    with pytest.raises(InputError, match=f"{how} on: property 'p' is not judged so"):
        check("ring:3", properties=[always("p", lambda v: True)], engine="native", options=options)


@pytest.mark.parametrize(("answers", "group"), [(1, 1 << 31), (1, 4)])
def test_kinds_too_many_for_a_table_are_numbered(answers: int, group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from checker.judging import observations

    monkeypatch.setattr(observations, "MOST_ANSWERS", answers)
    monkeypatch.setattr(observations, "MOST_IN_A_GROUP", group)
    for seed in range(5):
        verdict, wanted, properties = judged("native", seed)
        assert lengths(verdict, properties) == wanted, seed
