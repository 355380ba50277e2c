"""The table of local configurations has all that runs of that length do; and every such run satisfies the clauses."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.engines.symbolic.claims import Claims
from checker.engines.symbolic.local_configurations import Configurations
from checker.engines.symbolic.runs import Run, decode
from checker.engines.symbolic.unrolling import Unrolling
from checker.topologies import parse
from model.catalogue import build_system
from model.system import System
from tests.systems import systems

DEPTH = 5


def random_run(system: System, seed: int, most: int) -> list[int]:
    """The choices of a random run, as indices into the events of each state."""
    random, (state,) = Random(seed), system.initial_states()
    choices: list[int] = []
    while len(choices) < most:
        events = list(system.events(state))
        if not events:
            break
        choices.append(random.randrange(len(events)))
        state = system.step(state, events[choices[-1]])
    return choices


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.integers(0, 10**6))
def test_what_runs_do_is_in_the_table(system: System, seed: int) -> None:
    table = Configurations([[system]] * system.topology.machines)
    (state,) = system.initial_states()
    for time, choice in enumerate(random_run(system, seed, DEPTH), 1):
        state = system.step(state, list(system.events(state))[choice])
        table.grow()
        for m, local in enumerate(state.machines):
            assert table.machines[m].since[table.machines[m].numbers[0, local]] <= time
        for channel, content in enumerate(state.channels):
            assert all(table.messages[channel][message] <= time for message in content)
            assert len(content) <= table.capacity(channel)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.integers(0, 10**6))
def test_every_run_satisfies_the_clauses_and_is_the_one_decoded(system: System, seed: int) -> None:
    unrolling = Unrolling([[system]] * system.topology.machines)
    choices = random_run(system, seed, DEPTH)
    for _ in choices:
        unrolling.extend()
    run, literals = Run(unrolling), []
    for choice in choices:
        event = list(system.events(run.state))[choice]
        literals += run.literals(event)
        run.take(event)
    assert unrolling.clauses.check([*literals, *run.configuration()])
    assert decode(unrolling).events == run.events


def test_literals_of_a_wrong_run_are_refused() -> None:
    (network,) = parse("ring:2")
    system = build_system(network)
    unrolling = Unrolling([[system]] * 2)
    claims = Claims(unrolling)
    unrolling.extend()
    claims.advance()
    run = Run(unrolling)
    (turning,) = [event for event in system.events(run.state) if event.name == "turn red"]
    literals = run.literals(turning)
    run.take(turning)
    assert unrolling.clauses.check([*literals, *run.configuration()])
    other = next(event for event in system.events(Run(unrolling).state) if event.name == "send")
    assert not unrolling.clauses.check([*Run(unrolling).literals(other), *run.configuration()])
    assert not unrolling.clauses.check([claims.completes()])
