"""Theorem 21: exactly once: after a failure, with aligned barriers and replay, each record has its effect once.

The snapshot of a run with aligned barriers is complete at `end`. Then something fails. All machines are set back to
their recorded states, nothing is in a channel (theorem 12), and on each channel is sent again what was sent from the
barrier on (`replay`: the sources remember how far they were; what stands between operators follows from that). In the
restored run a position ahead of the barrier is the same record as before.

`times(t, c, i)` says how often record i of channel c had an effect by instant t of the restored run: once if a white
action accepted it before the failure, for then its effect is in the recorded state; and once more whenever the restored
run accepts it. Claim: it is 1 for a record that has left its channel, and 0 for one that has not; for the recorded
state has handled exactly what stood ahead of the barrier (`handled before the barrier`).
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not

from proofs import kernel
from proofs import marker_invariants as inv
from proofs.claims import Parts, Theorem
from proofs.computation import State, content, marker, red_message, tinted
from proofs.deriving import Derivation, by_induction, only
from proofs.kernel import Thm
from proofs.language import CHANNEL, INT, Formula, Meaning, constant, exists, for_all, function, number
from proofs.premises import Fact, Premise, Role
from proofs.protocols import ALIGNED, MAGIC
from proofs.runs import Goal, complete_after_messages
from proofs.t04_white import faults
from proofs.t06_markers import reliable_fifo
from proofs.t12_barriers import ALIGNED_FACTS
from proofs.transition import Transition, inductive, standing, state_at, step_at

_t, _i, _end = (constant(name, INT) for name in ("t", "i", "end"))
_c = constant("c", CHANNEL)
_times = function("times", INT, CHANNEL, INT, INT)

_RED_BEHIND = Fact(
    "red behind the barrier",
    "no red record stands ahead of a barrier",
    lambda q: for_all(
        CHANNEL,
        INT,
        INT,
        lambda c, i, j: Implies(And(q.within(c, i), q.within(c, j), red_message(c, i), marker(c, j)), j < i),
    ),
)
_CLOSED_BY_ONE = Fact(
    "closed by a barrier",
    "a closed channel has brought a barrier",
    lambda q: for_all(
        CHANNEL, lambda c: Implies(q.closed(c), exists(INT, lambda j: And(q.within(c, j), marker(c, j))))
    ),
)
_FACTS = (*ALIGNED_FACTS, *inv.facts(("one marker",)), _RED_BEHIND, _CLOSED_BY_ONE)


def _ahead(i: z3.ArithRef, j: z3.ArithRef) -> Formula:
    return And(i >= 0, i < j)


def _parts() -> Parts:
    """Of the run that fails, what its snapshot has handled; of the restored run, that a record leaves when accepted."""
    failed = Transition.of(ALIGNED, reliable_fifo)
    restored = Transition.of(MAGIC, faults, but=("colours", "turns once", "no red in white"))
    q, r, e = failed.before, restored.before, restored.step
    known = tuple(fact.premise(q) for fact in _FACTS)

    def handled(c: z3.ExprRef, i: z3.ArithRef, j: z3.ArithRef) -> Formula:
        return Implies(And(q.closed(c), q.within(c, j), marker(c, j)), q.early(c, i) == _ahead(i, j))

    def leaves(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        now = And(e.accepts(c), e.at(c) == i)
        left = restored.later.gone(c, i) == z3.Or(r.gone(c, i), now)
        return Implies(Not(marker(c, i)), And(left, Implies(now, Not(r.gone(c, i)))))

    return (
        standing(
            "handled before the barrier",
            "of a channel that is closed, white actions accepted exactly what stood ahead of its barrier",
            q,
            known,
            for_all(CHANNEL, INT, INT, handled),
            headline=True,
        ),
        restored.obligation(
            "leaves once",
            "a record leaves its channel when it is accepted, once, and in no other way",
            for_all(CHANNEL, INT, leaves),
            interesting=restored.busy(),
        ),
        inductive(failed, _FACTS),
    )


def _conclude(d: Derivation) -> list[Thm]:
    """By induction over the instants of the restored run."""
    run = Transition.of(MAGIC, faults).run
    others = {s: _before_the_failure(s) for s in (*map(run.timed, (*run.state, *run.step)), marker, tinted, content)}
    meaning: dict[z3.FuncDeclRef, Meaning] = {s: (lambda *x, f=f: f(*x)) for s, f in others.items()}

    def at_end(theorem: Thm) -> Thm:
        return kernel.specialise(kernel.assume(kernel.specialise(kernel.instance(theorem, meaning), _end), "end"), _c)

    handled = kernel.instance(d.lifted["handled before the barrier"], meaning)
    handled = kernel.assume(kernel.specialise(handled, _end), "end")
    closed_by_one = at_end(d.invariants[_CLOSED_BY_ONE.name])
    end = _failed(others, run, _end)
    complete = Premise("complete", "the snapshot was complete", for_all(CHANNEL, end.closed), Role.CASE)

    def replayed(c: z3.ExprRef, i: z3.ArithRef, j: z3.ArithRef) -> Formula:
        barrier_at_j = And(j >= 0, j < end.sent(c), others[marker](c, j))
        return Implies(barrier_at_j, state_at(run, z3.IntVal(0)).gone(c, i) == _ahead(i, j))

    replay = Premise(
        "replay",
        "on each channel the restored run begins with what stood behind the barrier, and with nothing else",
        for_all(CHANNEL, INT, INT, replayed),
    )
    counted = [
        Premise("times", "at first, what is in the recorded state", _first_times(end), Role.DEFINITION),
        Premise("times", "once more when it is accepted", _more_times(run), Role.DEFINITION),
    ]
    known = [kernel.specialise(kernel.given(counted[0]), _c, _i), kernel.given(replay)]
    done = kernel.specialise(kernel.given(complete), _c)
    leaves = kernel.specialise(kernel.assume(kernel.specialise(d.lifted["leaves once"], _t), "an instant"), _c, _i)
    leaves = kernel.discharge(leaves, [_t >= 0])
    more = kernel.specialise(kernel.given(counted[1]), _t, _c, _i)
    claim = Implies(Not(marker(_c, _i)), _times(_t, _c, _i) == number(state_at(run, _t).gone(_c, _i)))
    base = [*known, done, handled, closed_by_one]
    once = by_induction(d.decide, claim, _t, base, [leaves, more], "each record has its effect exactly once")
    return [only(kernel.generalise(once, _c, _i), _end >= 0, complete.formula)]


def _before_the_failure(symbol: z3.FuncDeclRef) -> z3.FuncDeclRef:
    sorts = [symbol.domain(k) for k in range(symbol.arity())]
    renamed: z3.FuncDeclRef = function(f"{symbol} failed", *sorts, symbol.range())
    return renamed


def _failed(others: dict[z3.FuncDeclRef, z3.FuncDeclRef], run: kernel.Dynamics, t: z3.ArithRef) -> State:
    """The state of the run that fails, at an instant."""

    def at(symbol: z3.FuncDeclRef) -> Meaning:
        return lambda *x: symbol(t, *x)

    return State(*(at(others[run.timed(s)]) for s in run.state))


def _first_times(end: State) -> Formula:
    return for_all(CHANNEL, INT, lambda c, i: _times(z3.IntVal(0), c, i) == number(end.early(c, i)))


def _more_times(run: kernel.Dynamics) -> Formula:
    def more(t: z3.ArithRef, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        e = step_at(run, t)
        accepted = number(And(e.accepts(c), e.at(c) == i))
        return Implies(t >= 0, _times(t + 1, c, i) == _times(t, c, i) + accepted)

    return for_all(INT, CHANNEL, INT, more)


def theorem() -> Theorem:
    return Theorem(
        number=21,
        name="exactly-once",
        title="after a failure, with aligned barriers and replay, each record has its effect once",
        source="Carbone et al. 2015 (ABS), section 5; Flink, exactly-once state",
        argument="the invariants by induction over the run that fails; the count by induction over the restored run",
        parts=_parts(),
        conclude=_conclude,
        goals=(
            Goal(
                "exactly-once: a snapshot",
                "all machines turn red and all channels are closed, after a record was processed",
                ALIGNED,
                reliable_fifo,
                complete_after_messages,
            ),
        ),
        uses=("barriers",),
        composed=True,
    )
