"""Each rule of the kernel gives what it should, and refuses every misuse; nothing else makes a theorem."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import z3
from z3 import And, Implies, Not, Or

from proofs import kernel
from proofs.kernel import Dynamics, Refused, Thm
from proofs.language import BOOL, INT, MACHINE, Formula, constant, exists, for_all, function, interpret
from proofs.premises import Premise, Role

p, q = (z3.Bool(name) for name in "pq")
x, y, t, n = (z3.Int(name) for name in ("x", "y", "t", "n"))
m = constant("m", MACHINE)
holds, other = (function(name, INT, BOOL) for name in ("holds", "other"))
size = function("size", MACHINE, INT)
done = function("done", MACHINE, BOOL)


def decide(formulas: Sequence[Formula]) -> bool:
    solver = z3.Solver()
    solver.add(*formulas)
    return str(solver.check()) == "unsat"


def given(*formulas: Formula) -> list[Premise]:
    return [Premise(str(f), str(f), f, Role.ASSUMPTION) for f in formulas]


def shown(claim: Formula, *assumed: Formula) -> Thm:
    return kernel.solved(decide, given(*assumed), (), claim, str(claim))


def hypotheses(theorem: Thm) -> set[str]:
    return {str(h.formula) for h in theorem.hypotheses}


def refuses(rule: Callable[[], object], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        rule()


def test_a_theorem_cannot_be_made_by_hand() -> None:
    refuses(lambda: Thm((), z3.BoolVal(False), "solvers", "anything"), "not by hand")
    refuses(lambda: Thm((), z3.BoolVal(False), "solvers", "anything", (), (), object()), "not by hand")


def test_what_the_solvers_do_not_show_is_refused() -> None:
    assert hypotheses(shown(q, p, Implies(p, q))) == {"p", "Implies(p, q)"}
    refuses(lambda: shown(q, p), "not shown")


def test_a_lemma_is_used_by_its_very_formula() -> None:
    lemma, theorem = shown(p, p, q), shown(Or(p, q), p)
    assert hypotheses(kernel.use(theorem, lemma)) == {"p", "q"}
    refuses(lambda: kernel.use(theorem, shown(And(p, q), p, q)), "does not assume")
    refuses(lambda: kernel.use(theorem, shown(q, q)), "does not assume")
    refuses(lambda: kernel.use(theorem, "p"), "no theorem")  # type: ignore[arg-type]


def test_discharge_and_assume_undo_each_other() -> None:
    theorem = kernel.discharge(shown(q, p, Implies(p, q)), [p])
    assert str(theorem.conclusion) == "Implies(p, q)" and hypotheses(theorem) == {"Implies(p, q)"}
    assert hypotheses(kernel.assume(theorem, "p")) == {"p", "Implies(p, q)"}
    refuses(lambda: kernel.assume(shown(p, p), "p"), "no implication")


def test_an_instance_replaces_everywhere() -> None:
    theorem = kernel.instance(shown(holds(x), for_all(INT, lambda i: holds(i))), {holds: lambda i: i >= x})
    assert hypotheses(theorem) == {"ForAll(i0_0, i0_0 >= x)"} and str(theorem.conclusion) == "x >= x"
    finite = kernel.finitely_many(MACHINE).formula
    refuses(lambda: kernel.instance(shown(p, p), {finite.decl(): lambda: z3.BoolVal(True)}), "meaning of its own")
    with pytest.raises(ValueError, match="sort"):
        kernel.instance(shown(holds(x), holds(x)), {holds: lambda i: i})


def test_no_variable_is_captured() -> None:
    """`holds` becomes a formula over a constant that is quantified over where it stands."""
    inside = for_all(INT, lambda i: Implies(holds(i), exists(INT, lambda j: And(holds(j), j == i))))
    replaced = interpret(inside, {holds: lambda i: for_all(INT, lambda j: Implies(j > i, other(j)))})
    assert decide([Not(replaced)])


def test_generalise_wants_a_constant_of_which_nothing_is_assumed() -> None:
    assert decide([kernel.generalise(shown(x + 1 > x), x).conclusion, z3.BoolVal(False)])
    refuses(lambda: kernel.generalise(shown(x >= 0, x >= 0), x), "speaks of x")
    finite = kernel.discharge(kernel.maximum(MACHINE, size, "bounded"), [kernel.finitely_many(MACHINE).formula])
    refuses(lambda: kernel.generalise(finite, kernel.finitely_many(MACHINE).formula), "meaning of its own")


def test_specialise_exhibit_and_obtain() -> None:
    every = kernel.generalise(shown(x + 1 > x), x)
    assert str(kernel.specialise(every, n).conclusion) == "n + 1 > n"
    refuses(lambda: kernel.specialise(every, m), "other sorts")
    refuses(lambda: kernel.specialise(shown(p, p), n), "not about everything")
    there_is = kernel.exhibit(shown(holds(n), holds(n)), x, holds(x), n)
    refuses(lambda: kernel.exhibit(shown(holds(n), holds(n)), x, holds(x), n + 1), "exhibit")
    some = shown(exists(INT, lambda i: Or(holds(i), other(i))), holds(x))
    assert hypotheses(kernel.obtain(there_is, x, holds(x), some)) == {"holds(n)"}
    refuses(lambda: kernel.obtain(there_is, x, other(x), some), "obtain")
    refuses(lambda: kernel.obtain(there_is, x, holds(x), shown(holds(x), holds(x))), "the thing itself")
    more = shown(And(p, exists(INT, holds)), holds(x), p, x > 3)
    refuses(lambda: kernel.obtain(there_is, x, holds(x), more), "speaks of x")


def test_induction() -> None:
    step = for_all(INT, lambda i: Implies(And(i >= 0, holds(i)), holds(i + 1)))
    base, then = shown(holds(0), holds(0)), shown(holds(t + 1), step, t >= 0, holds(t))
    assert (
        str(kernel.induction(base, then, t, holds(t), "").conclusion) == "ForAll(i0_0, Implies(i0_0 >= 0, holds(i0_0)))"
    )
    refuses(lambda: kernel.induction(shown(holds(1), holds(1)), then, t, holds(t), ""), "base")
    refuses(lambda: kernel.induction(base, shown(holds(t + 2), holds(t + 2)), t, holds(t), ""), "step")
    more = shown(holds(t + 1), step, t >= 0, holds(t), t > 5)
    refuses(lambda: kernel.induction(base, more, t, holds(t), ""), "speaks of t")
    refuses(lambda: kernel.induction(base, shown(holds(t + 1), other(t), holds(t + 1)), t, holds(t), ""), "speaks of t")


def test_descent_wants_a_measure_that_is_bounded_below_and_strictly_smaller() -> None:
    bounded = shown(for_all(MACHINE, lambda a: size(a) >= 0), for_all(MACHINE, lambda a: size(a) >= 0))
    smaller = kernel.smaller(m, size(m), done(m))
    anything = for_all(
        MACHINE, lambda a: Implies(for_all(MACHINE, lambda b: Implies(size(b) < size(a), done(b))), done(a))
    )
    step = shown(done(m), anything, smaller)
    assert hypotheses(kernel.descent(bounded, step, m, size(m), done(m), "")) == {
        str(for_all(MACHINE, lambda a: size(a) >= 0)),
        str(anything),
    }
    unbounded = shown(for_all(MACHINE, lambda a: size(a) >= -1), for_all(MACHINE, lambda a: size(a) >= -1))
    refuses(lambda: kernel.descent(unbounded, step, m, size(m), done(m), ""), "bounded below")
    not_strictly = for_all(MACHINE, lambda a: Implies(size(a) <= size(m), done(a)))
    refuses(lambda: kernel.descent(bounded, shown(done(m), not_strictly), m, size(m), done(m), ""), "speaks of m")
    refuses(lambda: kernel.descent(bounded, shown(size(m) > 0, size(m) > 0), m, size(m), done(m), ""), "step")


def test_a_maximum_is_of_a_finite_set() -> None:
    assert hypotheses(kernel.maximum(MACHINE, size, "")) == {"finitely many machines"}
    refuses(
        lambda: Dynamics((kernel.finitely_many(MACHINE).formula.decl(),), (p.decl(),), (), (lambda: p,)), "of its own"
    )


def test_choose_wants_something_to_choose_and_a_new_symbol() -> None:
    chosen = function("chosen", INT, INT)
    there_is = kernel.generalise(shown(exists(INT, lambda j: j > x)), x)
    picked = for_all(INT, lambda i: chosen(i) > i)
    theorem = shown(exists(INT, lambda j: j > 7), picked)
    assert hypotheses(kernel.choose(there_is, theorem, chosen, x, y, y > x, "")) == set()
    named = kernel.choose(there_is, shown(chosen(3) > 3, picked), chosen, x, y, y > x, "")
    assert named.some == (chosen,)
    refuses(lambda: kernel.use(named, theorem), "stands at the top")
    refuses(lambda: kernel.choose(there_is, theorem, chosen, x, y, y > x + 1, ""), "choose")
    refuses(lambda: kernel.choose(there_is, shown(p, p), chosen, x, y, y > x, ""), "does not assume")
    twice = shown(chosen(0) > 5, picked, chosen(0) == 9)
    refuses(lambda: kernel.choose(there_is, twice, chosen, x, y, y > x, ""), "speaks of chosen")


def test_recursion_defines_by_the_value_before() -> None:
    double = function("double", INT, INT)
    equations = kernel.recursive(double, z3.IntVal(0), t, double(t) + 2)
    theorem = shown(exists(INT, lambda i: i == 4), equations)
    assert hypotheses(kernel.recursion(theorem, double, z3.IntVal(0), t, double(t) + 2, "")) == set()
    wrong = kernel.recursive(double, z3.IntVal(0), t, double(t + 1) + 1)
    false = shown(z3.BoolVal(False), wrong)
    refuses(lambda: kernel.recursion(false, double, z3.IntVal(0), t, double(t + 1) + 1, ""), "more of itself")
    assumed = shown(z3.BoolVal(False), equations, double(1) == 3)
    refuses(lambda: kernel.recursion(assumed, double, z3.IntVal(0), t, double(t) + 2, ""), "speaks of double")


light, later_light, switch = (z3.Bool(name) for name in ("light0", "light1", "switch"))
RUN = Dynamics((light.decl(),), (later_light.decl(),), (switch.decl(),), (lambda: Or(light, switch),))


def test_an_invariant_of_a_run_has_a_base_and_a_step() -> None:
    fact = Premise("on", "the light is on", light, Role.HYPOTHESIS)
    base, step = shown(light, light), shown(Or(light, switch), light)
    (always,) = kernel.over_run(RUN, [fact], [base], [step])
    assert str(always.conclusion) == "ForAll(i0_0, Implies(i0_0 >= 0, light@(i0_0)))"
    assert "light@(0)" in hypotheses(always)
    refuses(lambda: kernel.over_run(RUN, [fact], [], [step]), "a base and a step for each")
    refuses(lambda: kernel.over_run(RUN, [fact], [shown(p, p)], [step]), "base of")
    refuses(lambda: kernel.over_run(RUN, [fact], [base], [shown(light, light)]), "step of")
    refuses(
        lambda: kernel.over_run(RUN, [fact], [shown(light, switch, Implies(switch, light))], [step]), "speaks of switch"
    )
    off = Premise("off", "the light is off", Not(light), Role.HYPOTHESIS)
    refuses(lambda: kernel.over_run(RUN, [off], [shown(Not(light), Not(light))], [step]), "step of")


def test_what_is_assumed_of_one_step_is_assumed_of_all() -> None:
    theorem = shown(Implies(switch, Or(light, switch)))
    always = kernel.every_instant(theorem, RUN, Implies(switch, later_light))
    assert "light@(i" in str(always.conclusion).replace("\n", "") and len(always.hypotheses) == 1
    refuses(lambda: kernel.every_instant(theorem, RUN, Implies(switch, light)), "every instant")
    refuses(lambda: kernel.every_instant(shown(light, light, later_light), RUN, light), "speaks of light1")


def test_the_symbols_of_a_run_are_all_different() -> None:
    refuses(lambda: Dynamics((light.decl(),), (light.decl(),), (), (lambda: light,)), "not all different")
    clash = z3.Bool("light")
    refuses(
        lambda: Dynamics((light.decl(),), (later_light.decl(),), (clash.decl(),), (lambda: light,)), "not all different"
    )
