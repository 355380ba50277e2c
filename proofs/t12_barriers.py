"""Theorem 12: aligned barriers on acyclic dataflows imply the condition and empty channels; unaligned ones imply
theorems 4 and 5 with their channel states.

A barrier is a marker, a record a message; operators are machines, and sources are machines without input channels.

*Aligned.* A machine stops accepting from a channel whose barrier it has accepted, until it has accepted the barriers
of all its input channels; in the action that accepts the last one it records its state, puts barriers on its output
channels and is unblocked. `condition`: no red message is accepted in a white action. `empty channels`: of a channel
whose destination is red, every message sent white was accepted white, so nothing of it belongs to SSS, and with
theorems 4 and 5 the recorded states alone are a state between S0 and S1. That the graph is acyclic is not needed for
either; it is needed for completion:

* `last barrier`: if the barrier of each input channel arrives at some instant, the machine turns red at some instant.
  Here the inputs must be finitely many, or there need be no instant at which all have arrived.
* `level`: induction over the length of the longest path from a source, which exists since the graph is acyclic: every
  machine turns red, if every source does and every barrier is accepted (theorem 8, `marker arrives`).

*Unaligned.* The snapshot is taken at the first barrier: this is the marker algorithm, started by the sources, so the
claims are those of theorems 6 and 7; that only sources start is not needed.

*Unaligned and overtaking.* The barrier goes ahead of all records queued in the channel, which become channel state at
once; it is the next thing accepted there. The condition holds; and as soon as the barrier was put, the record of the
channel is exact (`exact once put`), long before the overtaken records arrive. That is all that theorem 4 asks.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs import marker_invariants as inv
from proofs.claims import ByHand, Obligation, Premise, Role, Theorem, formulas
from proofs.computation import Protocol, State, Step, accepts_no_red, destination, initial, source, white_message
from proofs.language import BOOL, CHANNEL, INT, MACHINE, Formula, Scope, constant, exists, for_all
from proofs.language import function as f
from proofs.projections import white_projection
from proofs.protocols import ALIGNED, MARKER, OVERTAKING, UNALIGNED, last_barrier_turns
from proofs.reading import Names
from proofs.t04_white import exact, standing
from proofs.t06_markers import reliable_fifo
from proofs.transition import Transition

_SHARED = (
    inv.POSITIONS,
    "marker at once",
    "marker on its way",
    "marker ahead",
    "red from the red",
    "white before red",
    "marked by the red",
    "marker from the marked",
    "white before the marker",
    "early is white",
)
"""Invariants of theorems 6 and 7 that all three algorithms have."""


class _Extra:
    """An invariant of one algorithm: proved like the named ones, under a name and sentence of its own."""

    def __init__(self, name: str, sentence: str, formula: object) -> None:
        assert callable(formula)
        self.name, self.sentence, self.formula = name, sentence, formula

    def premise(self, q: State) -> Premise:
        return Premise(self.name, self.sentence, self.formula(q), Role.HYPOTHESIS)


_BLOCKED_FIRST = _Extra(
    "red after all barriers",
    "a red machine has accepted the barriers of all its input channels",
    lambda q: for_all(CHANNEL, lambda c: Implies(q.red(destination(c)), q.closed(c))),
)
_RED_AT_LAST = _Extra(
    "all barriers in means red",
    "a machine that has input channels, and has accepted the barriers of all, is red",
    lambda q: for_all(
        CHANNEL,
        lambda c: Implies(
            for_all(CHANNEL, lambda d: Implies(destination(d) == destination(c), q.closed(d))), q.red(destination(c))
        ),
    ),
)
_EARLY_OR_WAITING = _Extra(
    "white: accepted white or waiting",
    "a message sent white was accepted white or is in its channel",
    lambda q: for_all(
        CHANNEL,
        INT,
        lambda c, i: Implies(And(q.within(c, i), white_message(c, i)), Or(q.early(c, i), q.holds(c, i))),
    ),
)
_RECORDED_OR_OVERTAKEN = _Extra(
    "recorded or overtaken",
    "recorded are the messages sent white and not accepted white that were accepted before the barrier or overtaken by it",
    lambda q: for_all(
        CHANNEL,
        INT,
        lambda c, i: q.recorded(c, i)
        == And(
            q.within(c, i), white_message(c, i), Not(q.early(c, i)), Or(q.gone(c, i), q.marked(c))
        ),
    ),
)


def induction(t: Transition, prefix: str, named: tuple[str, ...], extra: tuple[_Extra, ...]) -> list[Obligation]:
    """Named invariants and extra ones, together: in S0, and kept by every step."""
    known = (*inv.premises(t.before, named), *(x.premise(t.before) for x in extra))
    every = [(name, inv.sentence(name), lambda q, name=name: inv.formula(name, q)) for name in named]
    every += [(x.name, x.sentence, x.formula) for x in extra]
    found = []
    for name, sentence, formula in every:
        q = t.before
        found.append(
            standing(f"{prefix}, S0: {name}", f"at first, {sentence}", q, (initial(q),), formula(q))
        )
        found.append(
            t.obligation(f"{prefix}, step: {name}", f"a step keeps: {sentence}", formula(t.later), known, t.busy())
        )
    return found


def aligned_obligations(protocol: Protocol = ALIGNED) -> tuple[Obligation, ...]:
    t = Transition.of(protocol, reliable_fifo, but=("turns once",))
    q = t.before
    named = (*_SHARED, "closed is flushed")
    extra = (_BLOCKED_FIRST, _EARLY_OR_WAITING)
    known = (*inv.premises(q, named), *(x.premise(q) for x in extra))
    nothing = for_all(
        CHANNEL, INT, lambda c, i: Implies(q.red(destination(c)), Not(white_projection(q).holds(c, i)))
    )
    return (
        t.obligation(
            "aligned: condition",
            "no red message is accepted in a white action",
            accepts_no_red(q, t.step),
            known,
            t.busy(),
            headline=True,
        ),
        standing(
            "aligned: empty channels",
            "of a channel into a red machine, all that was sent white was accepted white",
            q,
            known,
            nothing,
            headline=True,
        ),
        *induction(t, "aligned", named, extra),
    )


def _red_at_last() -> tuple[Obligation, ...]:
    """The one rule that completion needs besides: accepting the last barrier turns a machine red."""
    t = Transition.of(ALIGNED, lambda q, e: (last_barrier_turns(q, e),), but=("turns once",))
    q, claim = t.before, _RED_AT_LAST
    return (
        standing(f"aligned, S0: {claim.name}", f"at first, {claim.sentence}", q, (initial(q),), claim.formula(q)),
        t.obligation(
            f"aligned, step: {claim.name}",
            f"a step keeps: {claim.sentence}",
            claim.formula(t.later),
            (claim.premise(q),),
            t.busy(),
            scope=Scope(written_out=True),
        ),
    )


def _unaligned() -> Obligation:
    t = Transition.of(UNALIGNED, but=("turns once",))
    q, e = t.before, t.step
    alike = for_all(
        CHANNEL, lambda c: Implies(e.accepts(c), UNALIGNED.records(q, e, c) == MARKER.records(q, e, c))
    )
    return t.obligation(
        "unaligned: markers",
        "a step with unaligned barriers is a step of the marker algorithm, and records the same",
        And(*formulas(MARKER.rules(q, e)), alike),
        (),
        t.busy(),
    )


def _exact_where(q: State, done: object) -> Formula:
    assert callable(done)
    white = white_projection(q)
    return for_all(CHANNEL, INT, lambda c, i: Implies(done(c), q.recorded(c, i) == white.holds(c, i)))


def overtaking_obligations() -> tuple[Obligation, ...]:
    def channels(q: State, e: Step) -> tuple[Premise, ...]:
        """No FIFO but what the rule about barriers says."""
        return tuple(p for p in reliable_fifo(q, e) if not p.name.startswith("no overtaking"))

    t = Transition.of(OVERTAKING, channels, but=("turns once",))
    q = t.before
    named = (*_SHARED, "closed by the red")
    extra = (_RECORDED_OR_OVERTAKEN,)
    known = (*inv.premises(q, named), *(x.premise(q) for x in extra))
    everywhere = Premise("all are red", "all machines are red", for_all(MACHINE, q.red), Role.CASE)
    return (
        t.obligation(
            "overtaking: condition",
            "no red message is accepted in a white action",
            accepts_no_red(q, t.step),
            known,
            t.busy(),
            headline=True,
        ),
        standing(
            "overtaking: exact once put",
            "as soon as its barrier was put, the record of a channel is exact; so with all machines red, all are",
            q,
            (*known, everywhere),
            And(_exact_where(q, q.marked), exact(q)),
            headline=True,
        ),
        *induction(t, "overtaking", named, extra),
    )


# Completion of aligned barriers. One machine, its inputs numbered; instants are numbers.
input_ = f("is_input", INT, BOOL)
arrived = f("arrived_at", INT, INT, BOOL)
arrival = f("arrival", INT, INT)
red_at = f("red_at", INT, BOOL)
latest = constant("latest", INT)

turns = f("turns_at_some_instant", MACHINE, BOOL)
level = f("level", MACHINE, INT)
some_machine = constant("m", MACHINE)


def _last_barrier() -> Obligation:
    each = Premise(
        "each arrives",
        "theorem 8, `marker arrives`: the barrier of each input has arrived from some instant on",
        for_all(
            INT,
            INT,
            lambda n, t: Implies(And(input_(n), t >= arrival(n)), And(arrival(n) >= 0, arrived(t, n))),
        ),
        Role.LEMMA,
    )

    def all_in(t: z3.ArithRef) -> Formula:
        return Implies(And(t >= 0, for_all(INT, lambda n: Implies(input_(n), arrived(t, n)))), red_at(t))

    turn = Premise(
        "all barriers in means red",
        "the invariant of that name, at every instant; at the latest arrival once more, where it is used",
        And(for_all(INT, all_in), all_in(latest)),
        Role.LEMMA,
    )
    finite = Premise(
        "finitely many inputs",
        "each machine has finitely many input channels, so there is a latest arrival",
        And(latest >= 0, for_all(INT, lambda n: Implies(input_(n), arrival(n) <= latest))),
    )

    by_hand = ByHand(
        "inputs n = 0, 1, 2, ... without end; the barrier of input n arrives at instant n; there is no instant at "
        "which all have arrived, and the machine is never red",
        (
            (input_, z3.Var(0, INT) >= 0),
            (arrival, z3.Var(0, INT)),
            (arrived, z3.Var(0, INT) >= z3.Var(1, INT)),
            (red_at, z3.BoolVal(False)),
        ),
    )
    return Obligation(
        name="aligned: last barrier",
        sentence="if the barrier of each input arrives at some instant, the machine turns red at some instant",
        premises=(each, turn, finite),
        claim=exists(INT, lambda t: And(t >= 0, red_at(t))),
        read=lambda model: f"latest arrival: instant {model.eval(latest, model_completion=True)}",
        headline=True,
        by_hand={"finitely many inputs": by_hand},
    )


def _level() -> Obligation:
    def inputs_turn(m: z3.ExprRef) -> Formula:
        return for_all(CHANNEL, lambda c: Implies(destination(c) == m, turns(source(c))))

    acyclic = Premise(
        "acyclic",
        "along every channel the level, the length of the longest path from a source, rises",
        for_all(CHANNEL, lambda c: level(source(c)) < level(destination(c))),
    )
    sources = Premise(
        "sources inject",
        "each machine without input channels eventually turns red",
        for_all(MACHINE, lambda m: Implies(Not(exists(CHANNEL, lambda c: destination(c) == m)), turns(m))),
    )
    lemma = Premise(
        "last barrier",
        "a machine with input channels turns red at some instant if all machines before it do",
        for_all(
            MACHINE,
            lambda m: Implies(And(exists(CHANNEL, lambda c: destination(c) == m), inputs_turn(m)), turns(m)),
        ),
        Role.LEMMA,
    )
    lower = Premise(
        "lower levels",
        "every machine of lower level turns red at some instant",
        for_all(MACHINE, lambda m: Implies(level(m) < level(some_machine), turns(m))),
        Role.HYPOTHESIS,
    )

    def read(model: z3.ModelRef) -> str:
        names = Names(model, Scope())
        machines = [
            f"{n}: level {names.number(level(m))}, {'turns red' if names.true(turns(m)) else 'never turns red'}"
            for n, m in names.elements(MACHINE).items()
        ]
        channels = [f"{names.name(source(c))}>{names.name(destination(c))}" for c in names.elements(CHANNEL).values()]
        return "; ".join([*machines, "channels " + ", ".join(channels)])

    return Obligation(
        name="aligned: level",
        sentence="a machine turns red at some instant if all machines of lower level do",
        premises=(acyclic, sources, lemma, lower),
        claim=turns(some_machine),
        read=read,
        scope=Scope(written_out=True),
        headline=True,
    )


def theorem() -> Theorem:
    return Theorem(
        number=12,
        name="barriers",
        title="aligned barriers imply the condition and empty channels, and complete on acyclic dataflows; unaligned "
        "ones imply theorems 4 and 5 with their channel states",
        source="Carbone et al. 2015 (ABS), section 4; Flink, unaligned checkpoints; EWD864a for the condition",
        argument=(
            "induction over the run for the invariants of each of the three algorithms; induction over the level for "
            "completion, with `marker arrives` of theorem 8. The claims are the premises of theorems 4 and 5"
        ),
        obligations=(
            *aligned_obligations(),
            _last_barrier(),
            _level(),
            *_red_at_last(),
            _unaligned(),
            *overtaking_obligations(),
        ),
        uses=("markers", "record", "completion"),
    )
