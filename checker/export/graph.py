"""The state graph of a small system in Graphviz DOT: every state, every action, where snapshots complete."""

from __future__ import annotations

from checker.report.names import channel_name, machine_name, message_name
from model.errors import InputError
from model.system import State, System
from model.values import show

MOST_NODES = 500
"""More states than this make no picture that can be read."""


def dot(system: System, most: int = MOST_NODES) -> str:
    """The text of a `digraph`; `InputError` where the system has more than `most` states.

    Nodes are numbered breadth first; red fill: all machines red; double frame: the snapshot is complete.
    """
    states = list(system.initial_states())
    numbers = {state: number for number, state in enumerate(states)}
    edges: list[str] = []
    for number, state in enumerate(states):  # the list grows as it is walked
        for event in system.events(state):
            after = system.step(state, event)
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
            who = machine_name(system, event.actor) if 0 <= event.actor < system.topology.machines else ""
            edges.append(f"  s{number} -> s{numbers[after]} [label={quoted(f'{who} {event.name}'.strip())}];")
        if len(states) > most:
            raise InputError(f"the state graph has more than {most} states: accepted for a picture is a smaller one")
    nodes = [node(system, number, state) for number, state in enumerate(states)]
    head = ['  node [shape=box, fontname="sans-serif"];', '  edge [fontname="sans-serif"];']
    return "\n".join(["digraph redwhite {", *head, *nodes, *edges, "}"]) + "\n"


def node(system: System, number: int, state: State) -> str:
    """One state as a node."""
    marks = []
    if system.all_red(state):
        marks.append('style=filled, fillcolor="#f4c7c3"')
    if system.complete(state):
        marks.append("peripheries=2")
    if number == 0:
        marks.append("penwidth=3")
    return f"  s{number} [{', '.join([f'label={quoted(label(system, state))}', *marks])}];"


def label(system: System, state: State) -> str:
    """Each machine with its colour, then each channel that holds something."""
    lines = []
    for machine, local in enumerate(state.machines):
        marks = f"{' red' if local.red else ''}{' crashed' if local.crashed else ''}"
        lines.append(f"{machine_name(system, machine)}: {show(local.state)}{marks}")
    for channel, content in enumerate(state.channels):
        if content:
            lines.append(f"{channel_name(system, channel)}: {' '.join(map(message_name, content))}")
    return "\n".join(lines)


def quoted(text: str) -> str:
    """The text as a DOT string."""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
