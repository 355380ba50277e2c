"""A trace as a Mermaid sequence diagram, which Markdown pages show as a picture.

A sequence diagram has no slanted arrows: each message is drawn where it is accepted, labelled with the action that
sent it; one that is lost ends in a cross where it vanishes; those still in a channel follow at the end, dotted.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.report.lifelines import Follower, Lifeline
from checker.report.names import machine_name, message_name
from model.action import Event, Move
from model.trace import Counterexample, Trace


def mermaid(found: Counterexample) -> str:
    """The text of a `sequenceDiagram`."""
    return (
        "\n".join(["sequenceDiagram", *(f"    {line}" for line in Diagram(found.trace).lines(found.property))]) + "\n"
    )


class Diagram:
    """The lines of one diagram."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.system = trace.system
        self.follower = Follower(trace)

    def lines(self, title: str) -> Iterator[str]:
        """The machines, then action by action."""
        machines = self.system.topology.machines
        for machine in range(machines):
            yield f"participant P{machine} as {escaped(machine_name(self.system, machine))}"
        whole = "P0" if machines == 1 else f"P0,P{machines - 1}"
        yield f"Note over {whole}: {escaped(title)}"
        for number, event in enumerate(self.trace.events):
            if number == self.trace.loop:
                yield f"Note over {whole}: from here on the run repeats for ever"
            yield from self.event(number, event)
        for lifeline in self.follower.found():
            if lifeline.ended is None:
                yield self.arrow(lifeline, "--)", "still under way")

    def event(self, number: int, event: Event) -> Iterator[str]:
        """What arrives, then what the machine does; or what the fault does."""
        ended = list(self.follower.taken[number])
        for move in event.moves:
            for _ in move.accepts:
                lifeline = self.follower.all[ended.pop(0)]
                yield self.arrow(lifeline, "-->>" if lifeline.message.control else "->>")
            yield f"Note over P{move.machine}: {escaped(self.told(number, event, move))}"
        fault = event.fault
        if fault is not None and fault.channel is not None:
            for lost in ended:
                yield self.arrow(self.follower.all[lost], "-x", f"lost in action {number + 1}")
            for copy in self.follower.sent[number]:
                name = message_name(self.follower.all[copy].message)
                ends = ",".join(dict.fromkeys(f"P{m}" for m in self.system.channels[fault.channel]))
                yield f"Note over {ends}: {escaped(f'{number + 1}: {fault.kind}, a second {name}')}"

    def told(self, number: int, event: Event, move: Move) -> str:
        """The action's number and name, and that the machine turns red in it."""
        name = event.name if len(event.moves) == 1 else move.step.name
        red = " (red from here on)" if move.step.turns else ""
        return f"{number + 1}: {name}{red}"

    def arrow(self, lifeline: Lifeline, arrow: str, what: str = "") -> str:
        """The message's arrow, with where it comes from."""
        source, destination = self.system.channels[lifeline.channel]
        sent = "there at the start" if lifeline.sent is None else f"sent in action {lifeline.sent + 1}"
        notes = ", ".join(note for note in (sent, "a copy" if lifeline.copied is not None else "", what) if note)
        return f"P{source}{arrow}P{destination}: {escaped(f'{message_name(lifeline.message)} ({notes})')}"


def escaped(text: str) -> str:
    """The text with every character that could mean something to Mermaid as its numbered entity."""
    kept = "".join(c if c.isalnum() or c in " _.,()=+-:'" else f"#{ord(c)};" for c in text)
    return f"#{ord(kept[0])};{kept[1:]}" if kept.strip().lower() == "end" else kept
