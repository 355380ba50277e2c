"""A system as a TLA+ module of its tabulated local automata, with the TLC configuration that checks it.

The tables are data (`Rules`, `Crashes`, `Together`), the semantics a few operators over them: a channel is a sequence
of message ids; a bag is one kept sorted. Ids and machines count from 0, places in a sequence from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from checker.export.automata import MOST_STATES, Automata, Rule, Wired, tabulate
from checker.export.promela import plain
from model.system import System
from model.values import show

NAME = "Redwhite"

SEMANTICS = r"""
VARIABLES local,    \* machine -> local state
          content,  \* channel -> sequence of messages, the head first
          left      \* kind of fault -> how many more may happen

vars == <<local, content, left>>

Machines == DOMAIN Start
Channels == DOMAIN Holds

Without(s, p) == SubSeq(s, 1, p - 1) \o SubSeq(s, p + 1, Len(s))

\* A message sent: at the end; in a bag at its sorted place.
Put(c, s, m) ==
    IF Ahead[c] >= 0 THEN Append(s, m)
    ELSE LET n == Cardinality({i \in DOMAIN s : s[i] <= m})
         IN  SubSeq(s, 1, n) \o <<m>> \o SubSeq(s, n + 1, Len(s))

RECURSIVE PutAll(_, _, _)
PutAll(c, s, sends) ==
    IF sends = <<>> THEN s
    ELSE PutAll(c, IF Head(sends)[1] = c THEN Put(c, s, Head(sends)[2]) ELSE s, Tail(sends))

\* The first of equal neighbours stands for all: taking any of them leaves the same content.
\* (IF, because TLC follows each side of a disjunction within an action, defined there or not.)
First(s, p) == IF p = 1 THEN TRUE ELSE s[p - 1] # s[p]

\* The places from which message m may be accepted.
Places(c, m) ==
    {p \in DOMAIN content[c] :
        content[c][p] = m /\ First(content[c], p) /\ (Ahead[c] < 0 \/ p <= Ahead[c] + 1)}

CompletedSnapshot(r) == {r.accepts[i][1] : i \in DOMAIN r.accepts}
Offered(r) == \A i \in DOMAIN r.accepts : Places(r.accepts[i][1], r.accepts[i][2]) # {}
Choices(r) ==
    {at \in [CompletedSnapshot(r) -> 1..Longest] :
        \A i \in DOMAIN r.accepts : at[r.accepts[i][1]] \in Places(r.accepts[i][1], r.accepts[i][2])}

\* A machine takes one of its steps.
Step ==
    \E r \in Rules :
        /\ local[r.machine] = r.before
        /\ Offered(r)
        /\ \E at \in Choices(r) :
              content' = [c \in Channels |->
                  PutAll(c, IF c \in CompletedSnapshot(r) THEN Without(content[c], at[c]) ELSE content[c], r.sends)]
        /\ local' = [local EXCEPT ![r.machine] = r.after]
        /\ UNCHANGED left

\* All machines take their step at once.
Own(m) == {r \in Together : r.machine = m /\ local[m] = r.before}
AllAtOnce ==
    /\ Together # {}
    /\ \A m \in Machines : Own(m) # {}
    /\ \E chosen \in [Machines -> Together] :
          /\ \A m \in Machines : chosen[m] \in Own(m)
          /\ local' = [m \in Machines |-> chosen[m].after]
          /\ content' = [c \in Channels |-> PutAll(c, content[c], chosen[Source[c]].sends)]
    /\ UNCHANGED left

Spend(kind) == left' = [left EXCEPT ![kind] = @ - 1]

Crash ==
    \E r \in Crashes :
        /\ left["crash"] > 0 /\ local[r.machine] = r.before
        /\ local' = [local EXCEPT ![r.machine] = r.after]
        /\ Spend("crash") /\ UNCHANGED content

Struck(kind, c) ==
    {p \in DOMAIN content[c] : kind \in {"loss", "duplication"} \/ content[c][p] \in Control[c]}

Vanish(kind) ==
    /\ kind \in DOMAIN left /\ left[kind] > 0
    /\ \E c \in Faulty : \E p \in Struck(kind, c) :
          /\ First(content[c], p)
          /\ content' = [content EXCEPT ![c] = Without(@, p)]
    /\ Spend(kind) /\ UNCHANGED local

Double(kind) ==
    /\ kind \in DOMAIN left /\ left[kind] > 0
    /\ \E c \in Faulty : \E p \in Struck(kind, c) :
          /\ \A q \in 1..(p - 1) : content[c][q] # content[c][p]
          /\ content' = [content EXCEPT ![c] = Put(c, @, content[c][p])]
    /\ Spend(kind) /\ UNCHANGED local

Init == local = Start /\ content = Holds /\ left = Budget

Next ==
    \/ Step \/ AllAtOnce \/ ("crash" \in DOMAIN left /\ Crash)
    \/ \E kind \in {"loss", "marker-loss"} : Vanish(kind)
    \/ \E kind \in {"duplication", "marker-duplication"} : Double(kind)

Spec == Init /\ [][Next]_vars

TypeOK ==
    /\ \A m \in Machines : local[m] \in 0..(Locals[m] - 1)
    /\ \A c \in Channels : Len(content[c]) <= Longest
"""


def tla(system: System, name: str = NAME, most_states: int = MOST_STATES) -> str:
    """The text of a module of this name; `InputError` where the system is too large to tabulate."""
    automata = tabulate(system, most_states)
    words = ", ".join(f"{key} {plain(value)}" for key, value in system.description.items() if value)
    head = f"---- MODULE {name} ----"
    return "\n".join(
        [
            head,
            f"\\* {words}",
            f"\\* {automata.states} distinct states. Written by Redwhite from the tabulated local automata.",
            "EXTENDS Naturals, Integers, Sequences, FiniteSets, TLC",
            "",
            *legend(automata),
            *tables(automata),
            SEMANTICS,
            "=" * len(head),
            "",
        ]
    )


def configuration() -> str:
    """The TLC configuration, the same for every module, as TLC 2.15 and later read it (no CHECK_DEADLOCK there)."""
    return "\\* Run TLC with -deadlock: that a run ends is no error.\nSPECIFICATION Spec\nINVARIANT TypeOK\n"


def legend(automata: Automata) -> Iterator[str]:
    """Comments: what the ids stand for."""
    for machine, locals_ in enumerate(automata.locals):
        yield from (f"\\* machine {machine}, local {n}: {plain(show(local))}" for local, n in locals_.items())
    for channel, messages in enumerate(automata.messages):
        source, destination = automata.system.channels[channel]
        yield f"\\* channel {channel}: {source} to {destination}"
        yield from (f"\\* channel {channel}, message {n}: {plain(show(m))}" for m, n in messages.items())
    yield ""


def tables(automata: Automata) -> Iterator[str]:
    """The data that the operators work on."""
    system, state = automata.system, automata.initial
    ahead = [automata.ahead(c) for c in range(len(system.channels))]
    control = [[n for m, n in ids.items() if m.control] for ids in automata.messages]
    starts = [ids[state.machines[m]] for m, ids in enumerate(automata.locals)]
    yield f"Start == {function(starts)}"
    yield f"Locals == {function(len(ids) for ids in automata.locals)}"
    yield f"Holds == {function(sequence(content) for content in automata.contents(state))}"
    yield f"Source == {function(source for source, _ in system.channels)}"
    yield f"Ahead == {function(-1 if most is None else most for most in ahead)}  \\* -1: a bag"
    yield f"Control == {function('{' + ', '.join(map(str, ids)) + '}' for ids in control)}"
    yield f"Faulty == 0..{len(system.topology.channels) - 1}"
    yield f"Longest == {max([0, *automata.capacity])}"
    budgets = [f'("{kind}" :> {most})' for kind, most in system.assumptions.faults]
    yield f"Budget == {' @@ '.join(budgets) if budgets else empty_function()}"
    yield f"Rules == {rules(automata.rules)}"
    yield f"Together == {rules(automata.synchronous)}"
    yield f"Crashes == {rules(automata.crashes)}"


def function(values: Iterable[object]) -> str:
    """A function on 0, 1, ..."""
    pairs = [f"({number} :> {value})" for number, value in enumerate(values)]
    return " @@ ".join(pairs) if pairs else empty_function()


def empty_function() -> str:
    """The function on nothing."""
    return "[x \\in {} |-> 0]"


def rules(table: Sequence[Rule]) -> str:
    """A set of records, one a line."""
    records = [
        f"[machine |-> {r.machine}, before |-> {r.before}, accepts |-> {wired(r.accepts)}, after |-> {r.after},"
        f" sends |-> {wired(r.sends)}]"
        for r in table
    ]
    return "{\n  " + ",\n  ".join(records) + "\n}" if records else "{}"


def wired(carried: Wired) -> str:
    """A sequence of <<channel, message>>."""
    return sequence(f"<<{channel}, {message}>>" for channel, message in carried)


def sequence(values: Iterable[object]) -> str:
    """A sequence."""
    return "<<" + ", ".join(map(str, values)) + ">>"
