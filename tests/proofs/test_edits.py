"""Proofs that were edited are refused by the kernel: steps deleted, bases deleted, lemmas strengthened, facts changed.

The structure of each proof is tried with solvers that say yes to everything: what is refused then, no solver is asked
about. What rests on a formula is tried with z3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import z3

import proofs
from proofs import (
    arriving,
    completing,
    kernel,
    progress,
    rearranged,
    t08_completion,
    t10_stability,
    t12_barriers,
    t14_sentence,
    t20_conservation,
    t21_exactly_once,
    t22_exchanges,
    t23_obtainable,
)
from proofs import marker_invariants as inv
from proofs.claims import Induction, Theorem
from proofs.deriving import derive
from proofs.kernel import Refused, Thm
from proofs.language import Formula
from proofs.registry import THEORIES, theorem

Decide = Callable[[Sequence[Formula]], bool]


def yes(formulas: Sequence[Formula]) -> bool:
    return True


def z3_says(formulas: Sequence[Formula]) -> bool:
    solver = z3.Solver()
    solver.set(timeout=3000)
    solver.add(*formulas)
    return str(solver.check()) == "unsat"


def proved(t: Theorem, decide: Decide, without: str = "") -> list[Thm]:
    shown = {
        o.name: kernel.solved(decide, o.premises, (), o.claim, o.sentence) for o in t.obligations if o.name != without
    }
    return derive(t, shown, decide)


@pytest.mark.parametrize("name", [name for name in THEORIES if not name.endswith("-sentence")])
def test_no_obligation_of_an_induction_can_be_missing(name: str) -> None:
    """Base cases and steps, each deleted from what was shown, and from the proof itself."""
    t = theorem(name)
    proved(t, yes)
    for part in t.parts:
        if not isinstance(part, Induction):
            continue
        missing = (part.bases[0], part.steps[-1])
        for obligation in missing:
            with pytest.raises(Refused, match="nothing was shown"):
                proved(t, yes, without=obligation.name)
        for fewer in (
            replace(part, bases=()),
            replace(part, steps=part.steps[1:]),
            replace(part, facts=part.facts[1:]),
        ):
            edited = replace(t, parts=tuple(fewer if p is part else p for p in t.parts))
            with pytest.raises(Refused, match="induction over the run"):
                proved(edited, yes)


@pytest.mark.parametrize(
    "name", ["white", "red", "markers", "record", "sharpness", "colour", "barriers", "interference"]
)
def test_no_induction_can_be_missing_whose_invariants_are_used(name: str) -> None:
    t = theorem(name)
    without = replace(t, parts=tuple(p for p in t.parts if not isinstance(p, Induction)))
    with pytest.raises((Refused, KeyError)):
        proved(without, yes)


@contextmanager
def edited(old: str, new: str, module: ModuleType, *importing: ModuleType) -> Iterator[None]:
    """The module with a piece of its source replaced, for as long as this lasts; and those that import it."""
    before = {m: dict(m.__dict__) for m in (module, *importing)}
    try:
        for m in before:
            source = Path(str(m.__file__)).read_text(encoding="utf-8")
            assert m is not module or source.count(old) == 1, (m.__name__, source.count(old), old)
            exec(compile(source.replace(old, new) if m is module else source, str(m.__file__), "exec"), m.__dict__)
        yield
    finally:
        for m, names in before.items():
            m.__dict__.clear()
            m.__dict__.update(names)
            assert sys.modules[m.__name__] is m


EDITS: list[tuple[str, str, str]] = [
    ("rank(m) >= 0 dropped", "And(rank(m) >= 0, Or(initiator(m), nearer(m)))", "Or(initiator(m), nearer(m))"),
    ("rank not strictly smaller", "rank(source(c)) < rank(m)", "rank(source(c)) <= rank(m)"),
    (
        "initiators need not turn",
        "given = [kernel.given(reachable), kernel.given(begins), ",
        "given = [kernel.given(reachable), ",
    ),
    (
        "nobody need be reachable",
        "for_all(MACHINE, lambda m: And(rank(m) >= 0, Or(initiator(m), nearer(m))))",
        "for_all(MACHINE, lambda m: rank(m) >= 0)",
    ),
    (
        "fairness of other channels",
        "exists(INT, lambda u: And(u >= t, step_at(self.run, u).takes(c)))",
        "exists(INT, lambda u: u >= t)",
    ),
    ("a lemma strengthened", "claim = Implies(And(_t >= 0, q.marked(_c)), closed)", "claim = Implies(_t >= 0, closed)"),
    (
        "another lemma strengthened",
        "claim = Implies(self.turns(source(_c)), self.closes(_c))",
        "claim = self.closes(_c)",
    ),
    ("no step of the positions", "reached(_i))\n        grown", "reached(_i + 1))\n        grown"),
]
IN_THE_END: list[tuple[str, str, str]] = [
    (
        "the latest instant not of all",
        "after_all = And(_u >= 0, for_all(x.sort(), lambda y: chosen(y) <= _u))",
        "after_all = _u >= 0",
    ),
    ("red stays: a used step deleted", '"red stays", "who is red stays red"', '"red", "who is red stays red"'),
    ("what lasts need not last", "self._later(stays, _t, _u, x), ", ""),
]
ARRIVING: list[tuple[str, str, str]] = [
    (
        "fairness of other messages",
        "takes(c), step_at(self.run, u).at(c) == i))",
        "takes(c)))",
    ),
    ("a channel that is empty once", "lambda u, i: Implies(u >= t, Not(", "lambda u, i: Implies(u == t, Not("),
    ("the red may send white", "[sends_red, red_on]", "[red_on]"),
    ("what was red may be white again", "[sends_red, red_on]", "[sends_red]"),
    ("machines need not turn red", "kernel.specialise(all_turn, source(_c))", "kernel.specialise(all_turn, _m)"),
]


CARRIED: list[tuple[str, str, str]] = [
    ("the prophecy is not believed", "[numbers.believed(_d + 1)]", "[]"),
    ("the projections do not meet", "[*at_end, kernel.given(one), ", "[*at_end, "),
    ("turning red may change it", "Implies(stays(t, t + 1), of(t) == of(t + 1))", "of(t) == of(t)"),
]
ONCE: list[tuple[str, str, str]] = [
    ("the barrier's place is not sent again", "return And(i >= 0, i < j)", "return And(i >= 0, i <= j)"),
    ("the recorded state has handled nothing", "number(end.early(c, i))", "z3.IntVal(0)"),
    ("channels need not be closed", "[*known, done, handled, ", "[*known, handled, "),
    ("nothing is known of the replay", "kernel.given(replay)]", "]"),
]
EXCHANGES: list[tuple[str, str, str]] = [
    ("a run is no nearer to its goal", "lemmas = [one_less, ordered, ", "lemmas = [ordered, "),
    ("inversions may remain", "lemmas = [one_less, ordered, ", "lemmas = [one_less, "),
    (
        "places beyond the run are exchanged",
        "exchange = And(at >= 0, at + 2 <= n, ",
        "exchange = And(at >= 0, at + 3 <= n, ",
    ),
    ("the two steps are not exchanged", "x.second.is_red(x.start), z3.If", "x.first.is_red(x.start), z3.If"),
]
OBTAINABLE: list[tuple[str, str, str]] = [
    (
        "what is accepted need not be white",
        'for name in ("early is white", inv.POSITIONS)',
        "for name in (inv.POSITIONS,)",
    ),
    ("accepted is counted twice", "_accepted(c, j) + more", "_accepted(c, j) + 2 * more"),
]
_COMPLETION = [
    *((*edit, (completing, t08_completion), "completion") for edit in EDITS),
    *((*edit, (progress, completing, t08_completion), "completion") for edit in IN_THE_END),
    *((*edit, (arriving, t14_sentence), "colour-sentence") for edit in ARRIVING),
    *((*edit, (t10_stability, t20_conservation), "conservation") for edit in CARRIED),
    *((*edit, (t21_exactly_once,), "exactly-once") for edit in ONCE),
    *((*edit, (t22_exchanges,), "exchanges") for edit in EXCHANGES),
    *((*edit, (t23_obtainable,), "obtainable") for edit in OBTAINABLE),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "modules", "name"), [pytest.param(*edit[1:], id=edit[0]) for edit in _COMPLETION]
)
def test_an_edit_of_the_proof_of_completion_is_refused(
    old: str, new: str, modules: tuple[ModuleType, ...], name: str
) -> None:
    with edited(old, new, *modules), pytest.raises((Refused, KeyError)):
        proved(theorem(name), z3_says)


def test_the_rank_of_completion_is_a_natural_number() -> None:
    """`rank(m) >= 0` dropped: solvers that say no to what is not so are enough to see it."""
    _, old, new = EDITS[0]

    def all_but(formulas: Sequence[Formula]) -> bool:
        return z3_says(formulas) if "rank" in str(formulas[-1]) else True

    with (
        edited(old, new, completing, t08_completion),
        pytest.raises(Refused, match="a rank is a natural number"),
    ):
        proved(t08_completion.theorem(), all_but)


def test_the_facts_of_the_projections_are_not_false_for_overtaking_barriers() -> None:
    """Theorem 4 once rested on `white records nothing` also there, which a barrier that overtakes does not keep."""
    (algorithm,) = (a for a in t14_sentence.ALGORITHMS if a.name == "overtaking-sentence")
    wrong = replace(algorithm, facts=(*algorithm.facts, *inv.facts(("white records nothing", "recorded is the rest"))))
    t = wrong.theorem(18)
    (steps,) = (
        p.steps for p in t.parts if isinstance(p, Induction) and any(f.name == "white records nothing" for f in p.facts)
    )
    (broken,) = (o for o in steps if o.name == "step: recorded is the rest")
    with pytest.raises(Refused, match="not shown"):
        kernel.solved(z3_says, broken.premises, (), broken.claim, broken.sentence)
    assert "recorded" not in " ".join(inv.PROJECTION_INVARIANTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", [a.name for a in t14_sentence.ALGORITHMS])
def test_each_algorithm_has_its_sentence(name: str) -> None:
    top = proved(theorem(name), z3_says)
    assert {str(s) for s in top[0].some} == {"order", "whites"}
    assert not any(h.name == "no red in white" for h in top[0].hypotheses)
    assert len(top) == 2  # the order, and that the snapshot completes


# `white before red` is shown of all algorithms once more, with the projections.
_OF_ITS_OWN = [f.name for f in t12_barriers.OVERTAKING_FACTS if f.name != "white before red"]


@pytest.mark.slow
@pytest.mark.parametrize("fact", _OF_ITS_OWN)
def test_no_fact_of_overtaking_barriers_is_idle(fact: str) -> None:
    (algorithm,) = (a for a in t14_sentence.ALGORITHMS if a.name == "overtaking-sentence")
    fewer = replace(algorithm, facts=tuple(f for f in algorithm.facts if f.name != fact))
    with pytest.raises((Refused, KeyError)):
        proved(fewer.theorem(18), z3_says)


NUMBERS: list[tuple[str, str, str]] = [
    ("a step of the wrong colour", "Implies(s + 1 < w, goes[0]", "Implies(s + 1 <= w, goes[0]"),
    ("an order that is not one", "And(inside, _white(u), whites(u) == s)", "inside"),
    ("red ones not counted from the white", "reds(u) == s - w", "reds(u) == s"),
    ("SSS elsewhere", "snapshot(order(w))", "snapshot(order(w - 1))"),
    (
        "the prophecy believed without an end",
        '"believed at the end": _believed(end)',
        '"believed at the end": z3.BoolVal(True)',
    ),
]


@pytest.mark.parametrize(("old", "new"), [pytest.param(*edit[1:], id=edit[0]) for edit in NUMBERS])
def test_an_edit_of_the_rearrangement_is_refused(old: str, new: str) -> None:
    with edited(old, new, rearranged), pytest.raises(Refused):
        rearranged._along(z3_says)


def test_the_package_is_where_it_is_edited() -> None:
    assert Path(str(completing.__file__)).parent == Path(str(proofs.__file__)).parent
