"""Theorem 12, the part on completion: aligned barriers turn every machine of an acyclic dataflow red.

Two obligations, on the pattern of theorem 8. `last barrier` is about one machine: its inputs are numbered, and input n
has its barrier from instant `arrival(n)` on. `level` is about the network, where `turns(m)` says that m is red at
some instant.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not

from proofs.claims import ByHand, Obligation, Premise, Role
from proofs.computation import destination, source
from proofs.language import BOOL, CHANNEL, INT, MACHINE, Formula, Scope, constant, exists, for_all
from proofs.language import function as f
from proofs.reading import Names

input_ = f("is_input", INT, BOOL)
arrived = f("arrived_at", INT, INT, BOOL)
arrival = f("arrival", INT, INT)
red_at = f("red_at", INT, BOOL)
latest = constant("latest", INT)

turns = f("turns_at_some_instant", MACHINE, BOOL)
level_of = f("level", MACHINE, INT)
some_machine = constant("m", MACHINE)


def last_barrier() -> Obligation:
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


def level() -> Obligation:
    def inputs_turn(m: z3.ExprRef) -> Formula:
        return for_all(CHANNEL, lambda c: Implies(destination(c) == m, turns(source(c))))

    acyclic = Premise(
        "acyclic",
        "along every channel the level, the length of the longest path from a source, rises",
        And(
            for_all(MACHINE, lambda m: level_of(m) >= 0),
            for_all(CHANNEL, lambda c: level_of(source(c)) < level_of(destination(c))),
        ),
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
        for_all(MACHINE, lambda m: Implies(level_of(m) < level_of(some_machine), turns(m))),
        Role.HYPOTHESIS,
    )

    def read(model: z3.ModelRef) -> str:
        names = Names(model, Scope())
        machines = [
            f"{n}: level {names.number(level_of(m))}, {'turns red' if names.true(turns(m)) else 'never turns red'}"
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
