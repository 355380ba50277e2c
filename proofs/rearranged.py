"""Every run can be rearranged, white actions first, so that it passes through the snapshot: the sentence and its proof.

Let the condition hold in a run from S0 up to some instant `end`, and let `W` of its steps until then be white. There
is an `order` of its steps, each once, white ones first, those of each machine in the order in which they were taken.
Taken in this order they lead from S0 to the state at `end`. On the way the machines are in the *white projection* of
the state at `order(s)` before the s-th step, while s < W, and in its *red projection* from W on; at W this is SSS.

The proof is in two halves. `_order` is about numbers alone: it counts white steps, and knows of the projections only
that white steps move one and leave the other alone. `Rearrangement` shows that the theory's projections are such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import z3
from z3 import And, Implies, Not, Or

from proofs import kernel
from proofs import marker_invariants as inv
from proofs.assumptions import initial
from proofs.claims import Parts
from proofs.computation import State, Step
from proofs.deriving import Derivation, by_induction, together
from proofs.kernel import Dynamics, Thm
from proofs.language import (
    BOOL,
    CHANNEL,
    INT,
    LOCAL,
    MACHINE,
    Formula,
    Meaning,
    constant,
    exists,
    for_all,
    function,
    interpret,
)
from proofs.premises import Premise, Role
from proofs.projections import (
    Prophecy,
    Underlying,
    moves,
    possible,
    red_projection,
    same,
    same_ahead,
    underlying,
    white_projection,
)
from proofs.protocols import MAGIC
from proofs.t04_white import faults
from proofs.t05_red import ends
from proofs.transition import Transition, inductive, standing, state_at, step_at

end = constant("end", INT)
order = function("order", INT, INT)
whites = function("whites", INT, INT)
_d, _r, _s, _t, _u = (constant(name, INT) for name in ("d", "r", "s", "t", "u"))

# What the half on numbers knows: colours, and relations between states of the projections at two instants.
_white = function("white step", INT, BOOL)
_believed = function("believed", INT, BOOL)
STAYS = {side: function(f"{side} stays", INT, INT, BOOL) for side in ("white", "red", "across")}
GOES = {side: function(f"{side} goes", INT, INT, INT, BOOL) for side in ("white", "red", "across")}
_starts = {side: function(f"{side} is S0", INT, BOOL) for side in ("white", "red")}
_snapshot = {side: function(f"{side} is SSS", INT, BOOL) for side in ("white", "red")}


def reds(t: z3.ArithRef) -> z3.ArithRef:
    return t - whites(t)


def _all(number: int, body: Callable[..., Formula]) -> Formula:
    return for_all(*[INT] * number, body)


def _follows(first: z3.FuncDeclRef, second: z3.FuncDeclRef, third: z3.FuncDeclRef, reach: int) -> Formula:
    """What relates a to b by `first`, and b to c by `second`, relates a to c by `third`; `reach` leading arguments."""
    return _all(reach + 2, lambda *x: Implies(And(first(*x[:-1]), second(*x[-2:])), third(*x[:-2], x[-1])))


COUNTING = kernel.recursive(whites, z3.IntVal(0), _t, whites(_t) + z3.If(_white(_t), 1, 0))
KNOWN = {
    "end": end >= 0,
    "white steps move": kernel.at_all_instants(Implies(_white(_t), GOES["white"](_t, _t, _t + 1)), _t),
    "red steps leave it": kernel.at_all_instants(Implies(Not(_white(_t)), STAYS["white"](_t, _t + 1)), _t),
    "red steps move": kernel.at_all_instants(
        Implies(And(Not(_white(_t)), _believed(_t + 1)), GOES["red"](_t, _t, _t + 1)), _t
    ),
    "white steps leave it": kernel.at_all_instants(
        Implies(And(_white(_t), _believed(_t + 1)), STAYS["red"](_t, _t + 1)), _t
    ),
    "believed before": kernel.at_all_instants(Implies(_believed(_t + 1), _believed(_t)), _t),
    "believed at the end": _believed(end),
    "one SSS": Implies(_believed(z3.IntVal(0)), STAYS["across"](end, z3.IntVal(0))),
    "S0": _starts["white"](z3.IntVal(0)),
    "SSS": _snapshot["white"](end),
    "white: reflexive": _all(1, lambda a: STAYS["white"](a, a)),
    "red: reflexive": _all(1, lambda a: STAYS["red"](a, a)),
    "white: transitive": _follows(STAYS["white"], STAYS["white"], STAYS["white"], 1),
    "red: transitive": _follows(STAYS["red"], STAYS["red"], STAYS["red"], 1),
    "white: goes": _follows(GOES["white"], STAYS["white"], GOES["white"], 2),
    "red: goes": _follows(GOES["red"], STAYS["red"], GOES["red"], 2),
    "across: goes": _follows(GOES["white"], STAYS["across"], GOES["across"], 2),
    "across: goes on": _follows(GOES["across"], STAYS["red"], GOES["across"], 2),
    **{
        f"{what}: {way}": _follows(state[one], STAYS[way], state[other], 0)
        for what, state in (("S0", _starts), ("SSS", _snapshot))
        for way, one, other in (("white", "white", "white"), ("across", "white", "red"), ("red", "red", "red"))
    },
}
"""What is known, by name; shown of the theory's projections by `Rearrangement`."""


def known(name: str) -> Thm:
    role = Role.CASE if name == "end" else Role.HYPOTHESIS
    return kernel.given(Premise(name, name, KNOWN[name], role))


def _at(theorem: Thm, *terms: z3.ExprRef) -> Thm:
    """A fact at these places: solvers are given what they need, and not left to look for it."""
    return kernel.specialise(theorem, *terms)


class Numbers:
    """The half on numbers: lemmas about the count of white steps, and about what stays while none is taken."""

    def __init__(self, decide: kernel.Decide) -> None:
        self.decide = decide
        counting = Premise("counting", "whites(t) counts the white steps before t", COUNTING, Role.DEFINITION)
        base, onwards = (kernel.solved(decide, (counting,), (), part, "counting") for part in COUNTING.children())
        self.onwards = onwards
        self.few = self._each(And(whites(_d) >= 0, whites(_d) <= _d), [base], [_at(onwards, _d)])
        more = And(whites(_t) <= whites(_t + _d), whites(_t + _d) <= whites(_t) + _d)
        self._rising = kernel.generalise(self._each(Implies(_t >= 0, more), [], [_at(onwards, _t + _d)]), _t)
        self.white_place = self._place(base, _white, whites)
        self.red_place = self._place(base, lambda u: Not(_white(u)), reds)
        self._white_stays = self._staying("white", "red steps leave it", whites, [])
        backwards = Implies(_d <= end, _believed(end - _d))
        before = [_at(known("believed before"), end - (_d + 1)), known("end")]
        self._believed = self._each(backwards, [known("believed at the end")], before)
        self._red_stays = self._staying("red", "white steps leave it", reds, [self.believed(_t + _d + 1)])

    def _each(self, claim: Formula, base: Sequence[Thm], step: Sequence[Thm]) -> Thm:
        return by_induction(self.decide, claim, _d, base, step, "by induction over the number of steps")

    def _place(self, base: Thm, colour: Callable[..., Formula], number: Callable[..., z3.ArithRef]) -> Thm:
        """Each number below the count is that of a step of this colour."""
        found = exists(INT, lambda u: And(u >= 0, u < _d, colour(u), number(u) == _s))
        claim = Implies(And(_s >= 0, _s < number(_d)), found)
        return kernel.generalise(self._each(claim, [base], [_at(self.onwards, _d), _at(self.few, _d)]), _s)

    def _staying(self, side: str, leaves: str, number: Callable[..., z3.ArithRef], more: Sequence[Thm]) -> Thm:
        """While no step of its colour is taken, a projection stays."""
        stays, inside = STAYS[side], _t + _d <= end if side == "red" else z3.BoolVal(True)
        claim = Implies(And(_t >= 0, inside, number(_t + _d) == number(_t)), stays(_t, _t + _d))
        step = [
            _at(self.onwards, _t + _d),
            *self.rising(_t, _d),
            _at(known(leaves), _t + _d),
            _at(known(f"{side}: transitive"), _t, _t + _d, _t + _d + 1),
            *more,
        ]
        return kernel.generalise(self._each(claim, [_at(known(f"{side}: reflexive"), _t)], step), _t)

    def rising(self, t: z3.ArithRef, d: z3.ArithRef) -> list[Thm]:
        return [_at(_at(self._rising, t), d), _at(self.onwards, t)]

    def believed(self, t: z3.ArithRef) -> Thm:
        return _at(self._believed, end - t)

    def white_stays(self, t: z3.ArithRef, u: z3.ArithRef) -> Thm:
        return _at(_at(self._white_stays, t), u - t)

    def red_stays(self, t: z3.ArithRef, u: z3.ArithRef) -> Thm:
        return _at(_at(self._red_stays, t), u - t)


def _chosen(s: z3.ArithRef, u: z3.ArithRef) -> Formula:
    """Step u of the run comes at place s of the rearranged one."""
    w, inside = whites(end), And(u >= 0, u < end)
    return And(
        Implies(And(s >= 0, s < w), And(inside, _white(u), whites(u) == s)),
        Implies(And(s >= w, s < end), And(inside, Not(_white(u)), reds(u) == s - w)),
        Implies(s == end, u == end),
    )


ORDER = for_all(INT, lambda s: _chosen(s, order(s)))


def along(
    white: Callable[[z3.ArithRef], Formula],
    goes: Sequence[Callable[..., Formula]],
    starts: Sequence[Callable[..., Formula]],
    snapshot: Callable[..., Formula],
) -> Formula:
    """The sentence: what the order is, and what happens along it. White, across and red `goes`; `starts` likewise."""
    w, n = whites(end), end

    def steps(s: z3.ArithRef) -> Formula:
        o, following = order(s), order(s + 1)
        return Implies(
            And(s >= 0, s < n),
            And(
                And(o >= 0, o < n, white(o) == (s < w)),
                Implies(s + 1 < w, goes[0](o, o, following)),
                Implies(s + 1 == w, goes[1](o, o, following)),
                Implies(s >= w, goes[2](o, o, following)),
            ),
        )

    def in_order(s: z3.ArithRef, r: z3.ArithRef) -> Formula:
        alike = Or(r < w, s >= w)
        return Implies(And(s >= 0, s < r, r < n), And(order(s) != order(r), Implies(alike, order(s) < order(r))))

    return And(
        And(w >= 0, w <= n, order(n) == n),
        for_all(INT, steps),
        for_all(INT, INT, in_order),
        for_all(INT, lambda t: Implies(And(t >= 0, t < n), exists(INT, lambda s: And(s >= 0, s < n, order(s) == t)))),
        Implies(w > 0, starts[0](order(z3.IntVal(0)))),
        Implies(w == 0, starts[1](order(z3.IntVal(0)))),
        snapshot(order(w)),
    )


def _along(decide: kernel.Decide) -> tuple[Thm, Thm]:
    """The sentence on numbers, of an order; and that there is one."""
    n, zero, w = Numbers(decide), z3.IntVal(0), whites(end)
    claims = along(
        lambda t: _white(t),
        [GOES["white"], GOES["across"], GOES["red"]],
        [_starts["white"], _starts["red"]],
        _snapshot["red"],
    )
    size, steps, in_order, onto, start, start_red, snapshot = claims.children()
    picked = kernel.given(Premise("order", "order(s) is the step at place s", ORDER, Role.DEFINITION))
    o, following, other = order(_s), order(_s + 1), order(_r)
    common = [_at(n.few, end), known("end"), _at(picked, _s)]
    one_sss = [known("one SSS"), n.believed(zero)]
    first_red = [_at(picked, w), n.red_stays(zero, order(w)), _at(n.few, zero), _at(n.few, order(w))]

    def shown(claim: Formula, lemmas: Sequence[Thm], what: str) -> Thm:
        return kernel.solved(decide, (), lemmas, claim, what)

    def of_all(claim: Formula, constants: Sequence[z3.ExprRef], lemmas: Sequence[Thm], what: str) -> Thm:
        body = z3.substitute_vars(claim.body(), *reversed(constants))
        return kernel.generalise(shown(body, lemmas, what), *constants)

    moving = [
        *common,
        _at(picked, _s + 1),
        *n.rising(following, o - following),
        _at(n.onwards, o),
        _at(known("white steps move"), o),
        _at(known("red steps move"), o),
        n.believed(o + 1),
        n.white_stays(o + 1, following),
        n.red_stays(o + 1, following),
        _at(known("white: goes"), o, o, o + 1, following),
        _at(known("red: goes"), o, o, o + 1, following),
        n.white_stays(o + 1, end),
        _at(known("white: goes"), o, o, o + 1, end),
        _at(known("across: goes"), o, o, end, zero),
        _at(known("across: goes on"), o, o, zero, following),
        n.red_stays(zero, following),
        _at(n.few, zero),
        *one_sss,
    ]
    apart = [*common, _at(picked, _r), *n.rising(other, o - other)]
    back = z3.If(_white(_t), whites(_t), w + reds(_t))
    place, found = order(back), And(back >= 0, back < end, order(back) == _t)
    both_ways = [
        *n.rising(place + 1, _t - place - 1),
        *n.rising(_t + 1, place - _t - 1),
        *n.rising(_t + 1, end - _t - 1),
    ]
    turning = [
        *both_ways,
        _at(n.onwards, place),
        _at(n.onwards, _t),
        _at(n.few, _t),
        _at(n.few, end),
        _at(picked, back),
    ]
    placed = shown(Implies(And(_t >= 0, _t < end), found), [*turning, known("end")], "each step has its place")
    from_s0 = [known("S0"), n.white_stays(zero, order(zero)), _at(known("S0: white"), zero, order(zero))]
    crossing = [
        n.white_stays(zero, end),
        _at(known("S0: white"), zero, end),
        _at(known("S0: across"), end, zero),
        _at(known("S0: red"), zero, order(w)),
        _at(known("S0: red"), zero, order(zero)),
    ]
    zeroth = [_at(picked, zero), _at(n.few, end), _at(n.few, zero), known("end")]
    sss = [known("SSS"), _at(known("SSS: across"), end, zero), _at(known("SSS: red"), zero, order(w))]
    pieces = [
        shown(size, [_at(n.few, end), _at(picked, end), known("end")], "the order is one of the steps up to the end"),
        of_all(steps, [_s], moving, "along the order, each step leads from one projection to the next"),
        of_all(in_order, [_s, _r], apart, "steps of one colour keep their order"),
        of_all(onto, [_t], [placed], "each step comes in the order"),
        shown(start, [*zeroth, *from_s0], "the order starts in S0"),
        shown(start_red, [*zeroth, *from_s0, *crossing, *one_sss, *first_red], "also where no step is white"),
        shown(snapshot, [*zeroth, *first_red, *one_sss, *sss], "the order passes through SSS"),
    ]
    whole = together(
        decide, pieces, "white steps first, in an order along which the projections lead from S0 through SSS"
    )
    body = z3.substitute_vars(there_is_order().body(), _s)
    enough = [_at(_at(n.white_place, _s), end), _at(_at(n.red_place, _s - w), end), _at(n.few, end), known("end")]
    there_is = kernel.generalise(shown(body, enough, "each place has its step"), _s)
    return whole, there_is


def there_is_order() -> Formula:
    return for_all(INT, lambda s: exists(INT, lambda u: _chosen(s, u)))


# The half on projections. `_first`, `_second`, `_third` are any states of the underlying computation.
_first, _second, _third = (
    Underlying(function(f"local_{k}", MACHINE, LOCAL), function(f"holds_{k}", CHANNEL, INT, BOOL)) for k in range(3)
)


def goes(u: Underlying, e: Step, q: State, v: Underlying) -> Formula:
    """The step leads from u to v: by its action, which the channels allow in u if they do in q; or nothing happens."""
    acts = And(possible(u, e), moves(u, e, lambda c: e.place(q, c), v), same_ahead(e, u, q))
    return And(Implies(e.acts, acts), Implies(Not(e.acts), same(u, v)))


def _case(name: str, formula: Formula) -> Premise:
    return Premise(name, name, formula, Role.CASE)


def parts() -> Parts:
    """What one step does to both projections, and what they are at the ends of a run: the condition is all it takes."""
    t, prophecy = Transition.of(MAGIC, faults), Prophecy.any()
    q, e, later = t.before, t.step, t.later
    known = inv.premises(q, inv.PROJECTION_INVARIANTS)
    white, red = _case("white", Not(e.is_red(q))), _case("red", Not(Not(e.is_red(q))))
    believed = _case("believed", prophecy.agrees(later))
    proper = Premise("proper", "white actions accepted only what they sent", prophecy.proper(), Role.LEMMA)
    whites_, reds_ = (
        (white_projection(q), white_projection(later)),
        (red_projection(q, prophecy), red_projection(later, prophecy)),
    )
    claims = (
        ("white steps move", goes(whites_[0], e, q, whites_[1]), (white,), ()),
        ("red steps leave it", same(*whites_), (red,), ()),
        ("red steps move", goes(reds_[0], e, q, reds_[1]), (red, believed), (proper,)),
        ("white steps leave it", same(*reds_), (white, believed), (proper,)),
        ("believed before", prophecy.agrees(q), (believed,), (proper,)),
    )
    steps = (
        t.obligation(f"projections: {name}", name, claim, (*cases, *lemmas, *known), t.busy())
        for name, claim, cases, lemmas in claims
    )
    start = standing(
        "projections: S0", "the white projection starts at S0", q, (initial(q),), same(whites_[0], underlying(q))
    )
    stay = for_all(MACHINE, lambda m: Implies(Or(q.red(m), And(e.is_red(q), m == e.machine)), later.red(m)))
    for_ever = t.obligation("projections: red stays", "who is red in a step is red after it", stay)
    invariants = inductive(t, inv.facts(inv.PROJECTION_INVARIANTS), prefix="projections, ")
    return (*steps, start, for_ever, *ends(q, prophecy, "projections: "), invariants)


class Rearrangement:
    """The sentence for the runs of one algorithm, from what was shown of its steps."""

    def __init__(self, d: Derivation, run: Dynamics) -> None:
        self.d, self.run, self.prophecy = d, run, Prophecy.any()
        self.last = state_at(self.run, end)
        done = white_projection(self.last)
        self.ending = {
            self.prophecy.recorded_state: done.local,
            self.prophecy.sent: self.last.sent,
            self.prophecy.early: self.last.early,
        }

    def white(self, t: z3.ArithRef) -> Underlying:
        return white_projection(state_at(self.run, t))

    def red(self, t: z3.ArithRef) -> Underlying:
        q = red_projection(state_at(self.run, t), self.prophecy)
        meaning = self.ending
        return Underlying(lambda m: interpret(q.local(m), meaning), lambda c, i: interpret(q.holds(c, i), meaning))

    def snapshot(self) -> Underlying:
        """SSS, as it is recorded at the end."""
        return Underlying(self.last.recorded_state, self.last.recorded)

    def meaning(self) -> dict[z3.FuncDeclRef, Meaning]:
        """What the half on numbers speaks of."""
        white, red = self.white, self.red

        def moved(left: Callable[..., Underlying], right: Callable[..., Underlying]) -> Meaning:
            return lambda k, a, b: goes(left(a), step_at(self.run, k), state_at(self.run, k), right(b))

        first = underlying(state_at(self.run, z3.IntVal(0)))
        sides = {"white": (white, white), "red": (red, red), "across": (white, red)}
        return {
            _white: lambda t: Not(step_at(self.run, t).is_red(state_at(self.run, t))),
            _believed: lambda t: interpret(self.prophecy.agrees(state_at(self.run, t)), self.ending),
            **{STAYS[k]: (lambda a, b, x=x, y=y: same(x(a), y(b))) for k, (x, y) in sides.items()},
            **{GOES[k]: moved(x, y) for k, (x, y) in sides.items()},
            **{_starts[k]: (lambda a, x=x: same(x(a), first)) for k, x in (("white", white), ("red", red))},
            **{_snapshot[k]: (lambda a, x=x: same(x(a), self.snapshot())) for k, x in (("white", white), ("red", red))},
        }

    def lemmas(self, exact: Thm | None) -> list[Thm]:
        """What the half on numbers takes for known, of the projections; `exact`: the record at the end is."""
        found = {k.removeprefix("projections: "): t for k, t in self.d.lifted.items() if k.startswith("projections: ")}
        found = {k: kernel.instance(t, self.ending) for k, t in found.items()}
        true = interpret(self.prophecy.comes_true(self.last), self.ending)
        comes_true = kernel.solved(self.d.decide, (), (), true, "the prophecy is what comes to be")

        def at_end(name: str) -> Thm:
            there = kernel.assume(kernel.specialise(found[name], end), "end")
            return kernel.use(kernel.assume(there, "the end"), comes_true)

        one, agrees, last = at_end("one SSS"), at_end("end agrees"), at_end("ends at S1")
        _, proper = one.conclusion.children()
        shown = kernel.solved(self.d.decide, (), (one,), proper, "white actions accepted only what they sent")
        steps = [kernel.use(t, shown) if any(h.formula.eq(proper) for h in t.hypotheses) else t for t in found.values()]
        meaning = self.meaning()

        def glue(name: str, *known: Thm) -> Thm:
            return kernel.solved(self.d.decide, (), known, interpret(KNOWN[name], meaning), f"projections: {name}")

        glued = [glue("one SSS", one, found["starts at SSS"]), agrees]
        glued += [glue("SSS", exact)] if exact is not None else []
        self.ends = last
        return [*steps, *glued, *self._closures()]

    def _closures(self) -> list[Thm]:
        """Being the same is an equivalence, and what a step leads from and to is known up to it."""
        u, v, x = _first, _second, _third
        q, e = State.any("0"), Step.any()
        decide, moved = self.d.decide, goes(u, e, q, v)
        reflexive = kernel.solved(decide, (), (), same(u, u), "a state is the same as itself")
        onward = Implies(And(same(u, v), same(v, x)), same(u, x))
        transitive = kernel.solved(decide, (), (), onward, "the same as the same is the same")
        back = Implies(And(same(u, x), same(u, v)), same(v, x))
        euclidean = kernel.solved(decide, (), (), back, "what is the same as one thing is the same")
        leads = Implies(And(moved, same(v, x)), goes(u, e, q, x))
        led = kernel.solved(decide, (), (), leads, "a step leads to whatever is the same")
        white, red, a, b, c, k = self.white, self.red, *(constant(f"{n}_", INT) for n in "abck")
        first = underlying(state_at(self.run, z3.IntVal(0)))

        def of(theorem: Thm, *states: Underlying, step: z3.ArithRef | None = None, by: Sequence[z3.ExprRef]) -> Thm:
            parts = zip((u, v, x), states, strict=False)
            meaning = {f: g for s, r in parts for f, g in ((s.local, r.local), (s.holds, r.holds))}
            return kernel.generalise(
                kernel.instance(theorem, meaning | (self.run.at(step) if step is not None else {})), *by
            )

        def three(side: tuple[Callable[..., Underlying], ...]) -> list[Underlying]:
            return [state(t) for state, t in zip(side, (a, b, c), strict=True)]

        ways = ((white, white, white), (red, red, red), (white, white, red), (white, red, red))
        fixed = ((white, white), (white, red), (red, red))
        return [
            *(of(reflexive, side(a), by=[a]) for side in (white, red)),
            *(of(transitive, *three(side), by=[a, b, c]) for side in ways[:2]),
            *(of(led, *three(side), step=k, by=[k, a, b, c]) for side in ways),
            *(of(euclidean, x(a), y(b), z, by=[a, b]) for x, y in fixed for z in (first, self.snapshot())),
        ]

    def _machines(self, whole: Thm) -> Thm:
        """The steps of each machine keep their order: its white ones come before its red ones in the run as well."""
        decide, m, run = self.d.decide, constant("m", MACHINE), self.run
        stays = self.d.lifted["projections: red stays"]

        def red(t: z3.ArithRef) -> Formula:
            return state_at(run, t).red(m)

        claim = Implies(And(_t >= 0, red(_t)), red(_t + _d))
        at = kernel.specialise(stays, _t + _d)
        ever = kernel.generalise(by_induction(decide, claim, _d, [], [at], "who is red stays red"), _t, m)
        o, r = order(_s), order(_r)
        alike = step_at(run, o).machine == step_at(run, r).machine
        claim = Implies(And(_s >= 0, _s < _r, _r < end, alike), o < r)
        parts = [kernel.solved(decide, (), (whole,), part, "of the order") for part in whole.conclusion.children()]
        steps, in_order = parts[1], parts[2]
        known = [
            *(kernel.specialise(steps, x) for x in (_s, _r)),
            kernel.specialise(in_order, _s, _r),
            kernel.specialise(stays, r),
            kernel.specialise(kernel.specialise(ever, r + 1, step_at(run, r).machine), o - r - 1),
        ]
        return kernel.generalise(kernel.solved(decide, (), known, claim, "each machine keeps its order"), _s, _r)

    def of_the_run(self, numbers: Thm, exact: Thm | None = None) -> Thm:
        """What was shown on numbers, of the projections of the run."""
        whole = kernel.instance(numbers, self.meaning())
        needed = [t for t in self.lemmas(exact) if any(t.conclusion.eq(h.formula) for h in whole.hypotheses)]
        return kernel.use(whole, *needed)

    def sentence(self, exact: Thm, condition: Thm, title: str) -> Thm:
        """For every run there is one with the same steps, white ones first, through SSS to the same end."""
        order_of_numbers, there_is = _along(self.d.decide)
        there_is, whole = kernel.instance(there_is, self.meaning()), self.of_the_run(order_of_numbers, exact)
        whole = together(self.d.decide, [whole, self._machines(whole), self.ends], title)
        whole = kernel.use(whole, condition)
        relation = interpret(_chosen(_s, _u), self.meaning())
        chosen = kernel.choose(there_is, whole, order, _s, _u, relation, title)
        white = self.meaning()[_white]
        return kernel.recursion(chosen, whites, z3.IntVal(0), _t, whites(_t) + z3.If(white(_t), 1, 0), title)
