"""Runs from S0 in the language of the theory: what can happen, found by unrolling a few steps.

An induction that is never used proves nothing, and a counterexample to induction may start in a state that no run
reaches. So a theorem about an algorithm names *goals* that some run must reach (a snapshot completes with a message in
a channel), and a broken theory one that no run should (a red message accepted in a white action). The shortest run to
it is found in a small scope, from an S0 in which nothing was sent. Here a step may be many things at once, so runs
are shorter than those of an explorer that takes them one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from z3 import And, Not

from proofs.assumptions import accepts_no_red, initial, step
from proofs.computation import Protocol, State, Step, after, destination
from proofs.language import CHANNEL, INT, MACHINE, Formula, Scope, both, exists, for_all
from proofs.premises import Premise, Reader, formulas
from proofs.projections import exact
from proofs.reading import read_steps


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A run of some length as formulas: its states, one more than its steps, and what makes it a run."""

    states: tuple[State, ...]
    steps: tuple[Step, ...]
    formulas: tuple[Formula, ...]

    def last(self) -> State:
        return self.states[-1]

    def reader(self, scope: Scope) -> Reader:
        """The run as text: each state, and the step that leads on."""
        titles = ("S0", *(f"then {number}" for number in range(1, len(self.states))))
        states = tuple(zip(titles, self.states, strict=True))
        steps = [(f"step {number}", self.states[number - 1], e) for number, e in enumerate(self.steps, start=1)]
        return lambda model: read_steps(model, scope, states, steps)


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that a run of the algorithm reaches: `reached` says it of the run, at its end.

    `assumed` are assumptions on each step besides the algorithm's rules; `longest` bounds the search, in steps.
    """

    name: str
    sentence: str
    protocol: Protocol
    assumed: Callable[[State, Step], tuple[Premise, ...]]
    reached: Callable[[Unrolled], Formula]
    longest: int = 6
    scope: Scope = field(default_factory=lambda: Scope(written_out=True))

    def unroll(self, length: int) -> Unrolled:
        """Any run of that length from an S0 in which nothing was sent, two machines at least."""
        q = State.any("0")
        states, steps = [q], []
        given = [
            initial(q).formula,
            for_all(CHANNEL, lambda c: q.sent(c) == 0),
            exists(MACHINE, MACHINE, lambda m, n: m != n),
        ]
        for number in range(1, length + 1):
            e = Step.any(str(number))
            premises = (*step(states[-1], e), *self.protocol.rules(states[-1], e), *self.assumed(states[-1], e))
            given += formulas(premises)
            steps.append(e)
            states.append(after(states[-1], e, self.protocol))
        return Unrolled(tuple(states), tuple(steps), tuple(given))


def red_in_white(run: Unrolled) -> Formula:
    """The last step accepts a red message in a white action."""
    return Not(accepts_no_red(run.states[-2], run.steps[-1]))


def complete(run: Unrolled) -> Formula:
    """All machines are red and all channels closed."""
    q = run.last()
    return And(for_all(MACHINE, q.red), for_all(CHANNEL, q.closed))


def complete_with_a_message(run: Unrolled) -> Formula:
    """The snapshot is complete, and a message is recorded in a channel between two machines."""
    return And(complete(run), something_recorded(run))


def something_recorded(run: Unrolled) -> Formula:
    q = run.last()
    return exists(CHANNEL, INT, q.recorded)


def wrong_record(run: Unrolled) -> Formula:
    """The snapshot is complete, and the record of some channel is not exact."""
    return And(complete(run), Not(exact(run.last())))


def wrong_when_red(run: Unrolled) -> Formula:
    """All machines are red, and the record of some channel is not exact."""
    return And(for_all(MACHINE, run.last().red), Not(exact(run.last())))


def arrived_with_a_message(run: Unrolled) -> Formula:
    """All machines are red, no white message is in a channel, and a message is recorded."""
    q = run.last()
    nothing_white = for_all(CHANNEL, INT, lambda c, i: Not(q.holds_white(c, i)))
    return both(for_all(MACHINE, q.red), nothing_white, something_recorded(run))


def complete_after_messages(run: Unrolled) -> Formula:
    """The snapshot is complete, and a message was accepted by a white action on the way."""
    return And(complete(run), exists(CHANNEL, INT, run.last().early))


def complete_with_an_overtaken_message(run: Unrolled) -> Formula:
    """The snapshot is complete, and a message is recorded that is still in its channel."""
    q = run.last()
    return And(complete(run), exists(CHANNEL, INT, lambda c, i: And(q.recorded(c, i), q.holds(c, i))))


def blocked(run: Unrolled) -> Formula:
    """A white machine has a message waiting in an input channel from which it accepts nothing."""
    q = run.last()
    return exists(CHANNEL, INT, lambda c, i: both(q.closed(c), Not(q.red(destination(c))), q.holds_red(c, i)))
