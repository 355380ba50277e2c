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


def text(formula: Formula) -> str:
    return " ".join(str(formula).split())


def hypotheses(theorem: Thm) -> set[str]:
    return {text(h.formula) for h in theorem.hypotheses}


def refuses(rule: Callable[[], object], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        rule()


def test_a_theorem_cannot_be_made_by_hand() -> None:
    refuses(lambda: Thm((), z3.BoolVal(False), "solvers", "anything"), "not by hand")
    refuses(lambda: Thm((), z3.BoolVal(False), "solvers", "anything", (), (), "", object()), "not by hand")


def test_what_the_solvers_do_not_show_is_refused() -> None:
    assert hypotheses(shown(q, p, Implies(p, q))) == {"p", "Implies(p, q)"}
    refuses(lambda: shown(q, p), "not shown")


def test_what_a_lemma_rests_on_the_theorem_rests_on() -> None:
    lemma = shown(Or(p, q), p)
    theorem = kernel.solved(decide, given(Not(q)), [lemma], p, "p")
    assert hypotheses(theorem) == {"Not(q)", "p"}
    assert hypotheses(kernel.use(shown(x > 0, Or(p, q), Implies(Or(p, q), x > 0)), lemma)) == {
        "Implies(Or(p, q), x > 0)",
        "p",
    }
    refuses(lambda: kernel.solved(decide, given(Not(q)), [], p, "p"), "not shown")


def test_what_was_chosen_stands_at_the_top() -> None:
    """`some f: C` is not C: no rule takes it further."""
    f, claim = function("f", INT, INT), for_all(INT, lambda i: function("f", INT, INT)(i) > i)
    above = kernel.generalise(shown(exists(INT, lambda j: j > x)), x)
    top = kernel.choose(above, shown(claim, claim), f, x, y, y > x, "")
    plain, picked = shown(q, q), for_all(INT, lambda i: other(i))
    rules: list[Callable[[], object]] = [
        lambda: kernel.solved(decide, given(claim), [top], claim, ""),
        lambda: kernel.use(top, top),
        lambda: kernel.use(shown(q, claim, q), top),
        lambda: kernel.discharge(top, [q]),
        lambda: kernel.assume(top, ""),
        lambda: kernel.specialise(top, x),
        lambda: kernel.instance(top, {}),
        lambda: kernel.generalise(top, x),
        lambda: kernel.induction(top, plain, t, q, ""),
        lambda: kernel.induction(plain, top, t, q, ""),
        lambda: kernel.descent(top, plain, m, size(m), q, ""),
        lambda: kernel.descent(plain, top, m, size(m), q, ""),
        lambda: kernel.choose(top, shown(q, q, picked), other, x, y, q, ""),
        lambda: kernel.every_instant(top, RUN, claim),
        lambda: kernel.over_run(RUN, given(claim), [top], [plain]),
        lambda: kernel.over_run(RUN, given(claim), [plain], [top]),
    ]
    for rule in rules:
        refuses(rule, "stands at the top")


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


def test_specialise_wants_something_about_everything() -> None:
    every = kernel.generalise(shown(x + 1 > x), x)
    assert str(kernel.specialise(every, n).conclusion) == "n + 1 > n"
    bounded = kernel.generalise(shown(x <= y, for_all(INT, lambda i: i <= y)), x)
    assert hypotheses(bounded) == hypotheses(kernel.specialise(bounded, n)) == {"ForAll(i0_0, i0_0 <= y)"}
    refuses(lambda: kernel.specialise(every, m), "other sorts")
    refuses(lambda: kernel.specialise(shown(p, p), n), "not about everything")


def test_what_has_a_meaning_of_its_own_stands_for_nothing_else() -> None:
    """A term, an operation of arithmetic, or that a set is finite: of these something is assumed, though unsaid."""
    three = shown(x + 1 == 4, x == 3)
    refuses(lambda: kernel.generalise(three, x + 1), "meaning of its own")
    refuses(lambda: kernel.generalise(shown(n * 0 == 0), z3.IntVal(0)), "meaning of its own")
    minus, less = (-x).decl(), shown(z3.BoolVal(False), for_all(INT, lambda i: -i > i))
    above = kernel.generalise(shown(exists(INT, lambda j: j > x)), x)
    refuses(lambda: kernel.choose(above, less, minus, x, y, y > x, ""), "meaning of its own")
    equations = kernel.recursive(minus, z3.IntVal(0), t, minus(t) + 1)
    refuses(
        lambda: kernel.recursion(shown(z3.BoolVal(False), equations), minus, z3.IntVal(0), t, minus(t) + 1, ""),
        "meaning of its own",
    )
    refuses(lambda: kernel.induction(shown(p, p), shown(p, p), z3.IntVal(0), p, ""), "meaning of its own")
    bounded = shown(for_all(BOOL, lambda b: z3.If(b, 0, 0) >= 0))
    finite = kernel.finitely_many(MACHINE).formula
    implied = kernel.discharge(kernel.maximum(MACHINE, size, "bounded"), [finite])
    zero = z3.If(finite, z3.IntVal(0), z3.IntVal(0))
    refuses(lambda: kernel.descent(bounded, implied, finite, zero, implied.conclusion, ""), "meaning of its own")
    refuses(lambda: Dynamics((light.decl(),), (z3.BoolVal(True).decl(),), (), (lambda: p,)), "meaning of its own")


def test_a_meaning_is_one_and_the_same_wherever_it_is_asked_for() -> None:
    answers = iter((z3.BoolVal(False), z3.BoolVal(True)))
    theorem = kernel.instance(shown(Or(p, q), p), {p.decl(): lambda: next(answers)})
    assert hypotheses(theorem) == {"False"} and str(theorem.conclusion) == "Or(False, q)"
    flips = iter((z3.BoolVal(False), z3.BoolVal(True)))
    run = Dynamics((light.decl(),), (later_light.decl(),), (), (lambda: next(flips),))
    assert run.written_out(later_light).eq(run.written_out(later_light))


def test_no_variable_stands_free() -> None:
    loose = z3.Var(0, INT)
    every = kernel.generalise(shown(x + 1 > x), x)
    refuses(lambda: kernel.specialise(every, loose + 1), "stands free")
    refuses(lambda: kernel.given(given(loose > 3)[0]), "stands free")
    refuses(lambda: kernel.discharge(shown(q, q), [loose > 3]), "stands free")
    assert hypotheses(kernel.given(given(for_all(INT, holds))[0])) == {"ForAll(i0_0, holds(i0_0))"}


def test_induction() -> None:
    step = for_all(INT, lambda i: Implies(And(i >= 0, holds(i)), holds(i + 1)))
    base, then = shown(holds(0), holds(0)), shown(holds(t + 1), step, t >= 0, holds(t))
    assert (
        str(kernel.induction(base, then, t, holds(t), "").conclusion) == "ForAll(i0_0, Implies(i0_0 >= 0, holds(i0_0)))"
    )
    assert hypotheses(kernel.induction(base, then, t, holds(t), "")) == {"holds(0)", text(step)}
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
        text(for_all(MACHINE, lambda a: size(a) >= 0)),
        text(anything),
    }
    unbounded = shown(for_all(MACHINE, lambda a: size(a) >= -1), for_all(MACHINE, lambda a: size(a) >= -1))
    refuses(lambda: kernel.descent(unbounded, step, m, size(m), done(m), ""), "bounded below")
    not_strictly = for_all(MACHINE, lambda a: Implies(size(a) <= size(m), done(a)))
    refuses(lambda: kernel.descent(bounded, shown(done(m), not_strictly), m, size(m), done(m), ""), "speaks of m")
    refuses(lambda: kernel.descent(bounded, shown(size(m) > 0, size(m) > 0), m, size(m), done(m), ""), "step")
    of_m = shown(done(m), smaller, Implies(smaller, done(m)))
    refuses(lambda: kernel.descent(bounded, of_m, m, size(m), done(m), ""), "speaks of m")


def test_descent_is_by_whole_numbers() -> None:
    """Fractions can fall for ever above zero."""
    share = function("share", MACHINE, z3.RealSort())
    above = for_all(MACHINE, lambda a: share(a) >= 0)
    step = shown(done(m), kernel.smaller(m, share(m), done(m)), for_all(MACHINE, done))
    refuses(lambda: kernel.descent(shown(above, above), step, m, share(m), done(m), ""), "no sort of whole numbers")


def test_two_sorts_are_not_finite_together() -> None:
    other_sort = z3.DeclareSort("machine")
    assert not kernel.finitely_many(other_sort).formula.eq(kernel.finitely_many(MACHINE).formula)


def test_a_maximum_is_of_a_finite_set() -> None:
    assert hypotheses(kernel.maximum(MACHINE, size, "")) == {"finitely many Machines"}
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
    itself = kernel.generalise(shown(exists(INT, lambda j: j != chosen(x))), x)
    never = shown(z3.BoolVal(False), for_all(INT, lambda i: chosen(i) != chosen(i)))
    refuses(lambda: kernel.choose(itself, never, chosen, x, y, y != chosen(x), ""), "occurs in what it is chosen by")


def test_what_there_is_by_assumption_is_chosen_by_assumption() -> None:
    chosen, later = function("chosen", INT, INT), function("later", INT, INT)
    there_is = kernel.generalise(shown(exists(INT, holds), for_all(INT, holds)), x)
    picked = for_all(INT, lambda i: holds(chosen(i)))
    theorem = kernel.choose(there_is, shown(holds(chosen(2)), picked, q), chosen, x, y, holds(y), "")
    assert hypotheses(theorem) == {"q", "ForAll(i0_0, holds(i0_0))"} and theorem.some == (chosen,)
    both = shown(And(holds(chosen(2)), holds(later(2))), picked, for_all(INT, lambda i: holds(later(i))))
    one = kernel.choose(there_is, both, chosen, x, y, holds(y), "")
    assert set(kernel.choose(there_is, one, later, x, y, holds(y), "").some) == {chosen, later}


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
    kept = shown(Or(light, switch), light, p, Implies(p, q), Implies(Not(switch), Or(switch, light)))
    (kept_so,) = kernel.over_run(RUN, [fact], [shown(light, light, Or(p, light))], [kept])
    assert hypotheses(kept_so) == {
        "light@(0)",
        "Or(p, light@(0))",
        "p",
        "Implies(p, q)",
        "ForAll(i0_0, Implies(i0_0 >= 0, Implies(Not(switch@(i0_0)), Or(switch@(i0_0), light@(i0_0)))))",
        "ForAll(i0_0, Implies(i0_0 >= 0, light@(i0_0 + 1) == Or(light@(i0_0), switch@(i0_0))))",
    }
    foresight = shown(Or(light, switch), light, later_light)
    refuses(lambda: kernel.over_run(RUN, [fact], [base], [foresight]), "speaks of light1")
    off = Premise("off", "the light is off", Not(light), Role.HYPOTHESIS)
    refuses(lambda: kernel.over_run(RUN, [off], [shown(Not(light), Not(light))], [step]), "step of")


def test_what_is_assumed_of_one_step_is_assumed_of_all() -> None:
    theorem = shown(Implies(switch, Or(light, switch)))
    always = kernel.every_instant(theorem, RUN, Implies(switch, later_light))
    now, then = "switch@(i0_0)", "light@(i0_0 + 1)"
    assert text(always.conclusion) == f"ForAll(i0_0, Implies(i0_0 >= 0, Implies({now}, {then})))"
    assert len(always.hypotheses) == 1
    where = kernel.every_instant(shown(Or(light, switch), switch, Or(p, switch)), RUN, later_light)
    assert "ForAll(i0_0, Implies(i0_0 >= 0, switch@(i0_0)))" in hypotheses(where) and len(where.hypotheses) == 3
    refuses(lambda: kernel.every_instant(theorem, RUN, Implies(switch, light)), "every instant")
    refuses(lambda: kernel.every_instant(shown(light, light, later_light), RUN, light), "speaks of light1")


def test_the_symbols_of_a_run_are_all_different() -> None:
    refuses(lambda: Dynamics((light.decl(),), (light.decl(),), (), (lambda: light,)), "not all different")
    clash = z3.Bool("light")
    refuses(
        lambda: Dynamics((light.decl(),), (later_light.decl(),), (clash.decl(),), (lambda: light,)), "not all different"
    )
