"""The words in which properties are written, the user's own as the catalogue's: each makes a `Property` of one kind.

    agree = never("both committed and aborted", lambda view: "commit" in view.machines and "abort" in view.machines)

`always`, `never`, `sometimes`: of every, no, some state. `eventually`, `leads_to`: of every weakly fair run.
`on_action`, `on_snapshot`, `on_cut`: of every action, every recorded state SSS, every S0, SSS and S1 of a completed
snapshot. `conserved`: of a sum over machines and channels, and of what is recorded of it. `stable`: of what a snapshot
is taken for. `Monitor`: of every run, by a value that follows its events. Predicates are pure functions: an engine asks
each question once, or as often as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from operator import index
from typing import Any

from model.action import Move
from model.applying import cuts
from model.errors import InputError
from model.kinds import Amount, ByReading, Conserved, ConservedInRecords, OfCut, stable_through
from model.own_monitors import Following, Monitor, Outstanding, Throughout, reason_of, unmet
from model.predicates import Asked, AskedFormula, Predicate
from model.program import Underlying
from model.property import CompletedSnapshot, Property, Reason
from model.system import System
from model.values import to_json
from model.views import Act, act_of

OWN = "a property of one's own"


def always(claim: str, predicate: Predicate) -> Property:
    """The predicate holds in every state of every run."""
    return _of_states(claim, predicate, True)


def never(claim: str, predicate: Predicate) -> Property:
    """The predicate holds in no state of any run."""
    return _of_states(claim, predicate, False)


def sometimes(claim: str, predicate: Predicate) -> Property:
    """The predicate holds in some state of some run; the shortest run to one is shown."""
    return _of_states(claim, predicate, False, sought=True)


def eventually(claim: str, predicate: Predicate) -> Property:
    """Every weakly fair run comes to a state in which the predicate holds."""
    return _own(
        claim,
        monitor=Outstanding(claim, AskedFormula(claim, lambda view: True), AskedFormula(claim, predicate), once=True),
    )


def leads_to(claim: str, first: Predicate, then: Predicate) -> Property:
    """On every weakly fair run a state in which `first` holds is, or is followed by, one in which `then` does."""
    return _own(claim, monitor=Outstanding(claim, AskedFormula(claim, first), AskedFormula(claim, then), once=False))


def on_action(claim: str, predicate: Callable[[Act], object]) -> Property:
    """The predicate holds of every action of every machine; faults are nobody's action."""
    holds = Asked(claim, predicate, bool)

    def on_move(system: System, move: Move) -> Reason | None:
        act = act_of(move)
        return None if holds(act) else {**unmet(claim, "this action"), "read": act.shown()}

    return _own(claim, on_move=on_move)


def on_snapshot(claim: str, predicate: Callable[[Underlying], object]) -> Property:
    """The predicate holds of every recorded state SSS of a completed snapshot: `sss.machines[m]`, `sss.channels[c]`."""
    holds = Asked(claim, predicate, bool)

    def on_recorded(system: System, snapshot: int, recorded: Underlying) -> Reason | None:
        return None if holds(recorded) else {**unmet(claim, "what is recorded"), "read": {"SSS": to_json(recorded)}}

    return _own(claim, on_recorded=on_recorded)


def on_cut(claim: str, predicate: Callable[[Underlying, Underlying, Underlying], object]) -> Property:
    """The predicate holds of S0, SSS and S1, for every completed snapshot and every state in which it is complete."""
    holds = Asked(claim, predicate, bool)

    def why(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
        start = taken.cut.start
        if start is None or holds(start, taken.recorded, taken.end):
            return None
        read = {"S0": to_json(start), "SSS": to_json(taken.recorded), "S1": to_json(taken.end)}
        return {**unmet(claim, "this snapshot"), "read": read}

    return _own(claim, on_completed=OfCut(why, by_states=True))


def conserved(
    claim: str, held: Callable[[int, Any], int], carried: Callable[[Any], int] = lambda payload: 0, unit: str = "units"
) -> Property:
    """There is as much as at the start, in every state and in every recorded one.

    held(machine, recorded) says how much is in what the machine records of its state, carried(payload) in a message.
    """
    hold, carry = Asked(claim, held, index), Asked(claim, carried, index)
    amount = Amount(lambda system: unit, lambda system, m, state: hold(m, state), lambda system, p: carry(p))
    return _own(claim, on_state=Conserved(amount), on_recorded=ConservedInRecords(amount))


def stable(claim: str, predicate: Callable[[Underlying], object]) -> Property:
    """A predicate that stays true once it is: if it holds in S0, it holds in SSS, and if it holds in SSS, in S1."""
    holds = Asked(claim, predicate, bool)
    return _own(claim, applies=cuts, on_completed=stable_through(lambda system: {claim: holds}))


def property_of(value: object, name: str = "") -> Property | None:
    """A value of the user's as a property, called `name` if that is given; None if it is none."""
    if isinstance(value, type) and issubclass(value, Monitor):
        try:
            value = value()
        except Exception as error:
            shown = name or getattr(value, "__name__", repr(value))
            raise InputError(f"{shown}: the monitor cannot be made ({type(error).__name__}: {error})") from None
    if isinstance(value, Monitor):
        claim: object = value.claim
        if not isinstance(claim, str) or not claim:
            shown = name or type(value).__name__
            raise InputError(f"{shown}: a Monitor says what it claims, as in claim = 'between two grants a release'")
        value = _own(value.claim, monitor=Following(value))
    if not isinstance(value, Property):
        return None
    return replace(value, name=name) if name else value


def _of_states(claim: str, predicate: Predicate, wanted: bool, sought: bool = False) -> Property:
    formula = AskedFormula(claim, predicate)
    if formula.history:
        return _own(claim, monitor=Throughout(claim, formula, wanted, sought), sought=sought)

    return _own(
        claim, on_state=ByReading(formula, wanted, lambda view: reason_of(claim, view, wanted, sought)), sought=sought
    )


def _own(said: str, **parts: Any) -> Property:
    claim: object = said
    if not isinstance(claim, str) or not claim:
        raise InputError(f"claim {claim!r}: a property begins with what it claims, in words")
    name = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-") or "claim"
    return Property(name, claim, OWN, asked=True, positions=False, **parts)
