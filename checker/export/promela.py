"""A system as a Promela model of its tabulated local automata: run in SPIN it has the same states and transitions.

One process, one d_step per rule. A channel that keeps order is a row of slots (0: empty, else message id + 1), a bag
is one counter per message. Generate the verifier with `spin -o2 -a`: -o2 switches SPIN's dead-variable elimination
off, which takes variables for dead that are read only inside a d_step, and so loses states (seen with 6.5.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from checker.export.automata import MOST_STATES, Automata, Rule, Wired, tabulate
from model.errors import InputError
from model.system import System
from model.values import show

MOST_OPTIONS = 20_000
"""Alternatives of the one loop; beyond, generating and compiling the verifier takes longer than is sensible."""

HEADER = """\
/* {title}
 * {states} states, {transitions} transitions. Written by Redwhite from the tabulated local automata.
 * spin -o2 -a model.pml && gcc -O2 -DNOREDUCE -DSAFETY -o pan pan.c && ./pan -E
 * (-o2: without it SPIN 6.5 drops variables that only d_steps read; SPIN counts the arrival in the initial state as
 * one transition more.) */"""


def promela(system: System, most_states: int = MOST_STATES) -> str:
    """The Promela text; `InputError` where the system is too large to tabulate or to be compiled by SPIN."""
    writer = Writer(tabulate(system, most_states))
    options = list(writer.options())
    if len(options) > MOST_OPTIONS:
        raise InputError(f"the model would have {len(options)} alternatives: accepted are at most {MOST_OPTIONS}")
    parts = [writer.header(), *writer.variables(), *writer.operations(), "", "init {", "  do", *options, "  od", "}"]
    return "\n".join(parts) + "\n"


class Writer:
    """The parts of one model."""

    def __init__(self, automata: Automata) -> None:
        self.automata = automata
        self.faults = automata.system.assumptions.faults
        self.topology_channels = range(len(automata.system.topology.channels))

    # -- variables -------------------------------------------------------------------------------------------------

    def header(self) -> str:
        """What this is, and how to run it."""
        words = self.automata.system.description
        title = ", ".join(f"{key} {plain(value)}" for key, value in words.items() if value)
        return HEADER.format(title=title, states=self.automata.states, transitions=self.automata.transitions)

    def variables(self) -> Iterator[str]:
        """Local states, channels, faults left; and in comments what the ids stand for."""
        automata, state = self.automata, self.automata.initial
        for machine, ids in enumerate(automata.locals):
            yield ""
            yield from (f"/* local{machine} = {number}: {plain(show(local))} */" for local, number in ids.items())
            yield variable(f"local{machine}", len(ids) - 1, ids[state.machines[machine]])
        for channel, content in enumerate(automata.contents(state)):
            ids_of = automata.messages[channel]
            yield ""
            source, destination = automata.system.channels[channel]
            yield f"/* channel {channel}, {source} to {destination} */"
            yield from (f"/* message {number}: {plain(show(message))} */" for message, number in ids_of.items())
            if automata.ahead(channel) is None:
                for number in range(len(ids_of)):
                    yield variable(counter(channel, number), automata.capacity[channel], content.count(number))
            else:
                for place in range(automata.capacity[channel]):
                    holds = content[place] + 1 if place < len(content) else 0
                    yield variable(slot(channel, place), len(ids_of), holds)
        for (kind, most), left in zip(self.faults, state.left, strict=True):
            yield variable(budget(kind), most, left)

    def operations(self) -> Iterator[str]:
        """For each channel that keeps order: put a message at its end; close the gap that one left at a place."""
        for channel, capacity in enumerate(self.automata.capacity):
            if self.automata.ahead(channel) is None or not capacity:
                continue
            slots = [slot(channel, place) for place in range(capacity)]
            ends = [" && ".join((*(f"{s}" for s in slots[max(0, p - 1) : p]), f"!{slots[p]}")) for p in range(capacity)]
            puts = " ".join(f":: {end} -> {slots[place]} = x" for place, end in enumerate(ends))
            yield f"\ninline put{channel}(x) {{ if {puts} fi }}"
            for place in range(capacity):
                shifts = "; ".join(f"{slots[p]} = {slots[p + 1]}" for p in range(place, capacity - 1))
                yield f"inline take{channel}_{place}() {{ {shifts + '; ' if shifts else ''}{slots[-1]} = 0 }}"

    # -- what may happen -------------------------------------------------------------------------------------------

    def options(self) -> Iterator[str]:
        """The alternatives of the loop: together, machine by machine, faults."""
        if self.automata.synchronous:
            yield self.all_at_once()
        for rule in self.automata.rules:
            yield from self.rule(rule)
        for rule in self.automata.crashes:
            left = budget("crash")
            yield option([left, at(rule)], [f"{left}--", become(rule)], rule.name)
        for kind, _ in self.faults:
            for channel in self.topology_channels if kind != "crash" else ():
                yield from self.channel_fault(kind, channel)

    def rule(self, rule: Rule) -> Iterator[str]:
        """One alternative for each choice of the places that the accepted messages may be at."""
        for places in product(*(self.places(channel) for channel, _ in rule.accepts)):
            guard, effect = [at(rule)], [become(rule)]
            for (channel, message), place in zip(rule.accepts, places, strict=True):
                guard += self.is_at(channel, message, place)
                effect.append(self.take(channel, message, place))
            yield option(guard, effect + self.puts(rule.sends), rule.name)

    def places(self, channel: int) -> range:
        """Where in the channel an accepted message may be; a bag has no places."""
        ahead = self.automata.ahead(channel)
        return range(1) if ahead is None else range(min(ahead + 1, self.automata.capacity[channel]))

    def is_at(self, channel: int, message: int, place: int) -> list[str]:
        """The message is there, and is the first of its equal neighbours."""
        if self.automata.ahead(channel) is None:
            return [counter(channel, message)]
        here = f"{slot(channel, place)} == {message + 1}"
        return [here, f"{slot(channel, place - 1)} != {message + 1}"] if place else [here]

    def take(self, channel: int, message: int, place: int) -> str:
        """The message leaves."""
        return f"{counter(channel, message)}--" if self.automata.ahead(channel) is None else f"take{channel}_{place}()"

    def puts(self, sends: Wired) -> list[str]:
        """The messages are sent, in order."""
        return [self.put(channel, message) for channel, message in sends]

    def put(self, channel: int, message: int) -> str:
        """The message is put at the channel's end."""
        bag = self.automata.ahead(channel) is None
        return f"{counter(channel, message)}++" if bag else f"put{channel}({message + 1})"

    def all_at_once(self) -> str:
        """Every machine takes its own step, in one action."""
        machines = range(self.automata.system.topology.machines)
        by_machine = [[rule for rule in self.automata.synchronous if rule.machine == m] for m in machines]
        guard = ["(" + " || ".join(at(rule) for rule in rules) + ")" for rules in by_machine]
        effect = [
            "if " + " ".join(f":: {'; '.join((at(r), become(r), *self.puts(r.sends)))}" for r in rules) + " fi"
            for rules in by_machine
        ]
        return option(guard, effect, self.automata.synchronous[0].name)

    def channel_fault(self, kind: str, channel: int) -> Iterator[str]:
        """A message of the channel vanishes or is doubled; of faults with equal results the first."""
        left, loss = budget(kind), kind.endswith("loss")
        ids = [n for m, n in self.automata.messages[channel].items() if m.control or not kind.startswith("marker-")]
        if self.automata.ahead(channel) is None:
            for n in ids:
                yield option(
                    [left, counter(channel, n)],
                    [f"{left}--", f"{counter(channel, n)}{'--' if loss else '++'}"],
                    kind,
                )
            return
        for place in range(self.automata.capacity[channel] if ids else 0):
            here = slot(channel, place)
            struck = "(" + " || ".join(f"{here} == {n + 1}" for n in ids) + ")"
            others = range(max(0, place - 1), place) if loss else range(place)
            first = [f"{slot(channel, other)} != {here}" for other in others]
            effect = f"take{channel}_{place}()" if loss else f"put{channel}({here})"
            yield option([left, struck, *first], [f"{left}--", effect], kind)


def option(guard: list[str], effect: list[str], name: str) -> str:
    """One alternative, as one atomic transition."""
    return f"  :: d_step {{ {' && '.join(guard)} -> {'; '.join(effect)} }} /* {plain(name)} */"


def at(rule: Rule) -> str:
    """The machine is where the rule begins."""
    return f"local{rule.machine} == {rule.before}"


def become(rule: Rule) -> str:
    """The machine goes where the rule leads."""
    return f"local{rule.machine} = {rule.after}"


def slot(channel: int, place: int) -> str:
    """The variable of one place in a channel that keeps order."""
    return f"slot{channel}_{place}"


def counter(channel: int, message: int) -> str:
    """The variable of one message in a bag."""
    return f"bag{channel}_{message}"


def budget(kind: str) -> str:
    """The variable of the faults of this kind that are left."""
    return "left_" + kind.replace("-", "_")


def variable(name: str, most: int, initial: int) -> str:
    """A bit field just wide enough for 0..most."""
    return f"unsigned {name} : {max(1, most.bit_length())} = {initial};"


def plain(text: str) -> str:
    """The text as it may stand in a comment: nothing there can end it."""
    return "".join(c if c.isascii() and (c.isalnum() or c in " _-+=,.:;()[]{}<>!") else "?" for c in text)
