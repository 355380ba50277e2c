"""Algorithms with one rule or assumption changed: of each the kernel refuses an obligation that has a counterexample.

These are the obligations that an algorithm's sentence has of its own: invariants, the condition, the exact record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import z3
from z3 import Not

from proofs import kernel, mutants
from proofs.claims import Obligation, flat
from proofs.computation import Protocol
from proofs.kernel import Refused
from proofs.language import Formula, Scope
from proofs.premises import formulas
from proofs.t14_sentence import ALGORITHMS, Algorithm

BY_NAME = {a.name.removesuffix("-sentence"): a for a in ALGORITHMS}


def solves(formulas: Sequence[Formula]) -> str:
    solver = z3.Solver()
    solver.set(timeout=3000)
    solver.add(*formulas)
    return str(solver.check())


def without_rule(protocol: Protocol, name: str) -> Protocol:
    assert any(p.name == name for p in _rules(protocol))
    return replace(protocol, rules=lambda q, e: tuple(p for p in protocol.rules(q, e) if p.name != name))


def _rules(protocol: Protocol) -> tuple[kernel.Premise, ...]:
    from proofs.computation import State, Step

    return protocol.rules(State.any("0"), Step.any())


def without_assumption(algorithm: Algorithm, name: str) -> Algorithm:
    return replace(algorithm, assumed=lambda q, e: tuple(p for p in algorithm.assumed(q, e) if p.name != name))


NEVER = z3.BoolVal(False)
CHANGED: list[tuple[str, Protocol]] = [
    ("marker", mutants.LATE_MARKER),
    ("marker", mutants.MISSING_MARKER),
    ("marker", mutants.LATE_RECORD),
    ("marker", mutants.NO_CHANNEL_STATE),
    ("marker", mutants.KEEP_RECORDING),
    (
        "marker",
        replace(BY_NAME["marker"].protocol, name="records while white", records=lambda q, e, c: Not(q.closed(c))),
    ),
    ("marker", replace(BY_NAME["marker"].protocol, name="erases", erases=lambda q, e, c: e.hears(c))),
    ("colour", mutants.UNTAGGED),
    ("colour", replace(BY_NAME["colour"].protocol, name="records nothing", records=lambda q, e, c: NEVER)),
    ("colour", replace(BY_NAME["colour"].protocol, name="records all", records=lambda q, e, c: e.is_red(q))),
    ("aligned", mutants.UNALIGNED_BARRIER),
    ("cyclic", mutants.PRINTED),
    ("aligned", replace(BY_NAME["aligned"].protocol, name="records", records=lambda q, e, c: e.is_red(q))),
    ("overtaking", replace(BY_NAME["overtaking"].protocol, name="adds nothing", adds=lambda q, e, c, i: NEVER)),
    ("overtaking", replace(BY_NAME["overtaking"].protocol, name="records nothing", records=lambda q, e, c: NEVER)),
    ("unaligned", replace(BY_NAME["unaligned"].protocol, name="records nothing", records=lambda q, e, c: NEVER)),
]
RULES = [
    ("marker", "a marker turns red"),
    ("marker", "markers at once"),
    ("colour", "every message is tagged"),
    ("colour", "record before handling"),
    ("aligned", "alignment"),
    ("aligned", "last barrier"),
    ("aligned", "markers at once"),
    ("unaligned", "a marker turns red"),
    ("unaligned", "markers at once"),
    ("cyclic", "alignment"),
    ("cyclic", "last barrier"),
    ("cyclic", "markers at once"),
    ("overtaking", "a marker turns red"),
    ("overtaking", "markers at once"),
]
LOST, COPIED = "no message lost", "no message duplicated"
ASSUMPTIONS = [
    *(("marker", name) for name in ("no overtaking of markers", "no overtaking by markers", LOST, COPIED)),
    *(("marker", name) for name in ("no marker lost", "no marker duplicated")),
    ("colour", LOST),
    ("colour", COPIED),
    *(("aligned", name) for name in ("no overtaking of markers", "no overtaking by markers", LOST, COPIED)),
    *(("aligned", name) for name in ("no marker lost", "no marker duplicated", "last barrier turns red")),
    *(("overtaking", name) for name in ("no overtaking of markers", LOST, COPIED, "no marker lost")),
    ("overtaking", "no marker duplicated"),
    *(("cyclic", name) for name in ("loops go back", "no overtaking by markers", "last barrier turns red")),
]

MUTATED: list[tuple[str, Algorithm]] = [
    *((f"{name}: {p.name}", replace(BY_NAME[name], protocol=p)) for name, p in CHANGED),
    *(
        (
            f"{name} without the rule: {rule}",
            replace(BY_NAME[name], protocol=without_rule(BY_NAME[name].protocol, rule)),
        )
        for name, rule in RULES
    ),
    *((f"{name} without: {what}", without_assumption(BY_NAME[name], what)) for name, what in ASSUMPTIONS),
]


def test_there_are_forty() -> None:
    assert len(MUTATED) >= 40


# One of each kind quickly; the others at leisure.
QUICK = {"marker: late-marker", "colour without the rule: every message is tagged", f"overtaking without: {LOST}"}


@pytest.mark.parametrize(
    "algorithm",
    [pytest.param(a, id=what, marks=() if what in QUICK else pytest.mark.slow) for what, a in MUTATED],
)
def test_the_kernel_refuses_an_obligation_that_fails(algorithm: Algorithm) -> None:
    refused: list[Obligation] = []
    for o in flat(algorithm.own()):
        try:
            kernel.solved(lambda question: solves(question) == "unsat", o.premises, (), o.claim, o.name)
        except Refused:
            refused.append(o)
    # Written out, element by element, where quantifiers alternate: then z3 finds a model, or knows that there is none.
    scopes = (Scope(), Scope(written_out=True))
    wanted = (s.confine([*formulas(o.premises), Not(o.claim), *o.bounds]) for s in scopes for o in refused)
    assert any(solves(question) == "sat" for question in wanted), [o.name for o in refused]
