"""Theorem 13: non-interference. Each superposed step is an underlying step or none, and every underlying state stays
reachable.

Forget colours, markers and records of a running state, and a state of the underlying computation is left. For the
marker algorithm:

* `underlying step`: a step in which an action is taken moves that state by the action; any other step leaves it as it
  is. So every run of the superposed system is, underneath, a run of the program (from S0: `forgetting S0` is trivial,
  since forgetting is all there is to it).
* `nothing blocked`: let an action of the program be possible in the underlying state, channels being FIFO. There may
  be markers at the head of its machine's input channels. Then the machine can accept those, all at once, in a step that
  changes nothing underneath (`markers first`), and after it the action is possible in the superposed system
  (`then the action`). So every run of the program can be had with the snapshot algorithm running, from every state
  it can be in: nothing becomes unreachable, and no deadlock is added.

That the items such a step puts in channels are as it puts them is a definition (the sequence sent is what is sent).
Aligned barriers do not have the second property: a blocked channel blocks the program (`proofs.broken`, `aligned`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import z3
from z3 import And, Implies, Not, Or

from proofs import marker_invariants as inv
from proofs.assumptions import fifo, guards, no_duplication, no_loss, once, puts_down
from proofs.claims import Obligation, Parts, Theorem
from proofs.computation import Protocol, State, Step, after, destination, source
from proofs.language import CHANNEL, INT, Formula, Scope, exists, for_all
from proofs.premises import Premise, Role, formulas
from proofs.projections import moves, possible, same, same_ahead, underlying
from proofs.protocols import MARKER
from proofs.reading import read_steps
from proofs.transition import Transition, inductive, short


def _faultless(q: State, e: Step) -> tuple[Premise, ...]:
    return (*no_loss(q, e), *no_duplication(q, e))


_UNUSED = ("colours", "turns once", "a marker turns red", "markers at once", "no marker lost", "no marker duplicated")
"""`underlying step` holds whatever the snapshot algorithm does."""

_ONE_MARKER = ("marker at once", "marked by the red", "marker from the marked", "one marker", inv.POSITIONS)


def _underneath() -> Parts:
    t = Transition.of(MARKER, _faultless, but=_UNUSED)
    q, e, later = t.before, t.step, t.later
    positions = inv.premises(q, (inv.POSITIONS,))
    acts = Premise("an action", "an action is taken", e.acts, Role.CASE)
    idle = Premise("no action", "no action is taken", Not(e.acts), Role.CASE)
    below, above = underlying(q), underlying(later)
    return (
        t.obligation(
            "underlying step",
            "a step in which an action is taken is that action underneath",
            And(possible(below, e), moves(below, e, lambda c: e.place(q, c), above), same_ahead(e, below, q)),
            (acts, *positions),
            t.busy(),
            headline=True,
        ),
        t.obligation(
            "no underlying step",
            "any other step changes nothing underneath",
            same(below, above),
            (idle, *positions),
            (exists(CHANNEL, e.hears),),
            headline=True,
        ),
    )


Turns = Callable[[State, Step], Formula]


def _at_a_marker(q: State, e: Step) -> Formula:
    return exists(CHANNEL, e.hears)


class Clearing:
    """An action that is possible underneath, and the step that accepts the markers in its way."""

    def __init__(self, protocol: Protocol, turns: Turns) -> None:
        self.protocol, self.turns = protocol, turns
        self.state = State.any("0")
        self.action = Step.any("_action")
        self.clearing = Step.any("_markers")
        self.cleared = after(self.state, self.clearing, protocol)

    def at_head(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        """A marker is the oldest item in channel c."""
        q = self.state
        return And(q.holds_marker(c, i), for_all(INT, lambda j: Implies(And(q.within(c, j), j < i), q.gone(c, j))))

    def premises(self) -> tuple[Premise, ...]:
        q, e, first = self.state, self.action, self.clearing
        return (
            Premise(
                "possible underneath",
                "the action is possible in the underlying state, its channels being FIFO",
                And(
                    e.acts,
                    possible(underlying(q), e),
                    for_all(
                        CHANNEL,
                        INT,
                        lambda c, j: Implies(And(e.accepts(c), j < e.at(c)), Not(underlying(q).holds(c, j))),
                    ),
                    for_all(CHANNEL, lambda c: Implies(e.sends(c), source(c) == e.machine)),
                    for_all(CHANNEL, lambda c: Not(Or(e.hears(c), e.copied(c)))),
                    for_all(CHANNEL, INT, lambda c, i: Not(e.lost(c, i))),
                ),
                Role.CASE,
            ),
            Premise(
                "markers first",
                "the step before it is of the same machine, accepts every marker at the head of an input channel, and "
                "turns the machine red if it is white and the algorithm says so",
                And(
                    first.machine == e.machine,
                    Not(first.acts),
                    first.turns == And(Not(q.red(e.machine)), self.turns(q, first)),
                    for_all(
                        CHANNEL,
                        lambda c: And(
                            first.hears(c)
                            == And(destination(c) == e.machine, exists(INT, lambda i: self.at_head(c, i))),
                            Implies(first.hears(c), self.at_head(c, first.at(c))),
                            first.marks(c) == And(first.turns, source(c) == e.machine),
                            Not(first.copied(c)),
                        ),
                    ),
                    for_all(CHANNEL, INT, lambda c, i: Not(first.lost(c, i))),
                ),
                Role.CASE,
            ),
            *(replace(p, role=Role.CASE) for p in puts_down(q, first)),
        )

    def obligation(self, name: str, sentence: str, claim: Formula, given: tuple[Premise, ...]) -> Obligation:
        scope = Scope()

        def read(model: z3.ModelRef) -> str:
            return read_steps(
                model,
                scope,
                [("state", self.state), ("after the markers", self.cleared), ("wanted", self.cleared)],
                [("markers", self.state, self.clearing), ("action", self.cleared, self.action)],
            )

        return Obligation(
            name=name,
            sentence=sentence,
            premises=(*self.premises(), *given),
            claim=claim,
            read=read,
            interesting=(
                exists(CHANNEL, self.action.accepts),
                exists(CHANNEL, lambda c: And(self.clearing.hears(c), self.action.accepts(c))),
            ),
            bounds=(short(self.state, scope),),
            scope=scope,
            headline=True,
            run=Transition.of(self.protocol).run,
        )


def blocked_nowhere(protocol: Protocol, names: tuple[str, ...], turns: Turns = _at_a_marker) -> Parts:
    """Every action that is possible underneath is possible once the markers in its way are accepted."""
    x = Clearing(protocol, turns)
    q, e, first, cleared = x.state, x.action, x.clearing, x.cleared
    known = inv.premises(q, names)

    def rules(state: State, step: Step) -> Formula:
        """Rules of the algorithm and order of the channels; what is put in channels is a matter of definition."""
        return And(
            *formulas((*guards(state, step), once(state, step), *protocol.rules(state, step), *fifo(state, step)))
        )

    acting = Premise(
        "the action marks nothing",
        "the action turns no machine red and puts no markers",
        And(Not(e.turns), for_all(CHANNEL, lambda c: Not(e.marks(c)))),
        Role.CASE,
    )
    return (
        x.obligation(
            "markers first",
            "accepting the markers in the way is a step of the algorithm, and changes nothing underneath",
            And(rules(q, first), same(underlying(q), underlying(cleared))),
            known,
        ),
        x.obligation(
            "then the action",
            "after it the action is possible with the algorithm running",
            rules(cleared, e),
            (acting, *known),
        ),
    )


def theorem() -> Theorem:
    t = Transition.of(MARKER, no_loss, no_duplication, but=("colours", "no message duplicated", "no marker lost"))
    return Theorem(
        number=13,
        name="interference",
        title="non-interference: a superposed step is an underlying step or none; all underlying states stay reachable",
        source="EWD864a, superposition; Chandy & Lamport 1985, section 1",
        argument=(
            "induction over runs: of the superposed system for `underlying step`, of the program for `markers first` "
            "and `then the action`, starting from any state of the superposed system"
        ),
        parts=(*_underneath(), *blocked_nowhere(MARKER, _ONE_MARKER), inductive(t, inv.facts(_ONE_MARKER))),
    )
