"""Theorem 8: every machine turns red and the snapshot completes.

A run is a state for each instant 0, 1, 2, ...; `red(t, m)`, `closed(t, c)`, `gone(t, c, i)`, `sent(t, c)` say what
holds at instant t. The invariants of theorems 6 and 7 that are used hold at each instant; they are proved here once
more, since they need less than those theorems: no order of delivery at all. The environment's part has two names:
every marker in a channel is eventually accepted, and each initiator eventually turns red. The network's part is that
every machine is reachable from an initiator; strong connectivity is not needed. Reachability is given as a *rank*: the
length of a path from an initiator, a natural number, smaller for the machine before.

* `marker arrives`: if the source of a channel is red at some instant, the channel is closed at some instant from then
  on, since its marker is accepted (`left means closed`); and with it its destination is red (`closed by the red`).
* `rank`: write `turns(m)` for "m is red at some instant". If every machine of smaller rank turns, so does this one.
  Strong induction over the rank gives: every machine turns red.
* `channels`: then each channel is closed at some instant.
* `red stays`, `closed stays`: red and closed are for ever. So with finitely many machines and channels there is an
  instant, the latest of theirs, at which all are red and closed; then, by theorem 7, the snapshot is complete. With
  infinitely many there need be no such instant; each single machine and channel is done at some time all the same.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs import marker_invariants as inv
from proofs.assumptions import no_duplication, no_loss, once
from proofs.claims import Obligation, Parts, Premise, Role, Theorem
from proofs.computation import State, Step, destination, marker, source
from proofs.language import BOOL, CHANNEL, INT, MACHINE, Formula, Scope, constant, exists, for_all
from proofs.language import function as f
from proofs.protocols import MARKER
from proofs.reading import Names
from proofs.transition import Transition, inductive, standing

red = f("red_at", INT, MACHINE, BOOL)
closed = f("closed_at", INT, CHANNEL, BOOL)
gone = f("gone_at", INT, CHANNEL, INT, BOOL)
sent = f("sent_at", INT, CHANNEL, INT)

turns = f("turns_at_some_instant", MACHINE, BOOL)
closes = f("closes_at_some_instant", CHANNEL, BOOL)
initiator = f("initiator", MACHINE, BOOL)
rank = f("rank", MACHINE, INT)

_INVARIANTS = (
    "marker at once",
    "marker on its way",
    "closed by the red",
    "marked by the red",
    "marker from the marked",
    "one marker",
    inv.POSITIONS,
)

now = constant("now", INT)
some_machine = constant("m", MACHINE)
some_channel = constant("c", CHANNEL)


def holds_marker(t: z3.ArithRef, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
    return And(i >= 0, i < sent(t, c), marker(c, i), Not(gone(t, c, i)))


def _marker_arrives() -> Obligation:
    """The source is red now; the channel is closed at some instant from now on."""
    c = some_channel
    fair = Premise(
        "every marker accepted",
        "each marker in a channel is eventually accepted",
        for_all(INT, lambda i: Implies(holds_marker(now, c, i), exists(INT, lambda u: And(u >= now, gone(u, c, i))))),
    )
    on_its_way = Premise(
        "marker on its way",
        "now: a red machine's marker is in the channel, or the channel is closed",
        Implies(red(now, source(c)), Or(closed(now, c), exists(INT, lambda i: holds_marker(now, c, i)))),
        Role.LEMMA,
    )
    left = Premise(
        "left means closed",
        "at every instant: a channel whose marker was accepted is closed",
        for_all(INT, INT, lambda u, i: Implies(And(u >= 0, marker(c, i), gone(u, c, i)), closed(u, c))),
        Role.LEMMA,
    )
    case = Premise("the source is red", "the source is red now", And(now >= 0, red(now, source(c))), Role.CASE)
    return Obligation(
        name="marker arrives",
        sentence="once its source is red, a channel is eventually closed",
        premises=(fair, on_its_way, left, case),
        claim=exists(INT, lambda u: And(u >= now, closed(u, c))),
        read=_read_instants,
        interesting=(Not(closed(now, c)), Not(red(now, destination(c)))),
        bounds=(now == 0, sent(now, c) == 1),
        headline=True,
    )


def left_means_closed(prefix: str = "") -> Obligation:
    """What makes it enough that a marker is accepted; for every algorithm that has these three invariants."""
    q = State.any("0")
    return standing(
        f"{prefix}left means closed",
        "a channel whose marker was accepted is closed",
        q,
        inv.premises(q, ("marker from the marked", "marker on its way", "one marker", inv.POSITIONS)),
        for_all(CHANNEL, INT, lambda c, i: Implies(And(q.gone(c, i), marker(c, i)), q.closed(c))),
    )


def _rank() -> Obligation:
    reachable = Premise(
        "reachability",
        "there is a path of channels from an initiator to every machine",
        for_all(MACHINE, lambda m: And(rank(m) >= 0, Or(initiator(m), _one_step_nearer(m)))),
    )
    start = Premise(
        "initiators turn",
        "each initiator eventually turns red",
        for_all(MACHINE, lambda m: Implies(initiator(m), turns(m))),
    )
    arrives = Premise(
        "marker arrives",
        "if the source of a channel turns red at some instant, so does its destination, by `closed by the red`",
        for_all(CHANNEL, lambda c: Implies(turns(source(c)), turns(destination(c)))),
        Role.LEMMA,
    )
    smaller = Premise(
        "smaller ranks",
        "every machine of smaller rank turns red at some instant",
        for_all(MACHINE, lambda m: Implies(rank(m) < rank(some_machine), turns(m))),
        Role.HYPOTHESIS,
    )
    return Obligation(
        name="rank",
        sentence="a machine turns red at some instant if all machines of smaller rank do",
        premises=(reachable, start, arrives, smaller),
        claim=turns(some_machine),
        read=_read_eventually,
        interesting=(Not(initiator(some_machine)),),
        headline=True,
    )


def _one_step_nearer(m: z3.ExprRef) -> Formula:
    return exists(CHANNEL, lambda c: And(destination(c) == m, rank(source(c)) < rank(m)))


def _channels() -> Obligation:
    all_turn = Premise("all turn", "every machine turns red at some instant", for_all(MACHINE, turns), Role.HYPOTHESIS)
    arrives = Premise(
        "marker arrives",
        "if the source of a channel turns red at some instant, the channel is closed at some instant",
        for_all(CHANNEL, lambda c: Implies(turns(source(c)), closes(c))),
        Role.LEMMA,
    )
    return Obligation(
        name="channels",
        sentence="each channel is closed at some instant",
        premises=(all_turn, arrives),
        claim=closes(some_channel),
        read=_read_eventually,
    )


def _stays() -> Parts:
    q, e = State.any("0"), Step.any()
    t = Transition(MARKER, q, e, State.any("1"), (once(q, e),))
    red_stays = for_all(
        MACHINE,
        lambda m: Implies(q.red(m), And(t.later.red(m), t.later.recorded_state(m) == q.recorded_state(m))),
    )
    closed_stays = for_all(CHANNEL, lambda c: Implies(q.closed(c), t.later.closed(c)))
    return (
        t.obligation("red stays", "a red machine stays red, and keeps the state it recorded", red_stays),
        t.obligation("closed stays", "a closed channel stays closed", closed_stays),
    )


def _read_instants(model: z3.ModelRef) -> str:
    names, c = Names(model, Scope()), some_channel
    lines = [f"channel {names.name(source(c))}>{names.name(destination(c))}"]
    for t in range(3):
        colours = [f"{w} {'red' if names.true(red(t, m)) else 'white'}" for w, m in _ends(c)]
        inside = [f"marker [{i}] in it" for i in range(2) if names.true(holds_marker(z3.IntVal(t), c, z3.IntVal(i)))]
        lines.append(f"instant {t}: {', '.join([*colours, 'closed' if names.true(closed(t, c)) else 'open', *inside])}")
    return "\n".join(lines)


def _ends(c: z3.ExprRef) -> tuple[tuple[str, z3.ExprRef], ...]:
    return ("source", source(c)), ("destination", destination(c))


def _read_eventually(model: z3.ModelRef) -> str:
    names = Names(model, Scope())
    machines = [
        f"{label}: rank {names.number(rank(m))}, {'' if names.true(initiator(m)) else 'no '}initiator, "
        + ("turns red" if names.true(turns(m)) else "never turns red")
        for label, m in names.elements(MACHINE).items()
    ]
    channels = [
        f"{label} {names.name(source(c))}>{names.name(destination(c))}" for label, c in names.elements(CHANNEL).items()
    ]
    return "\n".join([*machines, "channels: " + ", ".join(channels)])


def theorem() -> Theorem:
    t = Transition.of(MARKER, no_loss, no_duplication, but=("colours", "no message lost", "no message duplicated"))
    return Theorem(
        number=8,
        name="completion",
        title="every machine turns red and the snapshot completes",
        source="EWD864a, termination of the snapshot algorithm; Chandy & Lamport 1985, section 3.3",
        argument=(
            "strong induction over the rank (`rank`), then `channels`; for finitely many machines and channels the "
            "latest of the instants, since red and closed are for ever; `complete` of theorem 7 at that instant"
        ),
        parts=(
            _marker_arrives(),
            _rank(),
            _channels(),
            left_means_closed(),
            *_stays(),
            inductive(t, inv.facts(_INVARIANTS)),
        ),
    )
