"""What makes a topology a dataflow: its back-edges, and with them its sources and sinks.

A back-edge is a channel to a machine from which a depth-first search has come to the sender (Carbone et al. 2015,
section 4.3: back-edges as in control-flow graphs, found by static analysis). Without its back-edges every topology is
acyclic.

Choices: the search starts at the machines without inputs, then at the lowest machine not yet visited, and follows
channels in their order; "already visited" is read as "still being visited", since else the second branch of a diamond
would count as a back-edge.
"""

from __future__ import annotations

from model.topology import Topology


def back_edges(topology: Topology) -> frozenset[int]:
    """The channels that lead back to a machine whose depth-first visit has not ended."""
    found: set[int] = set()
    begun: set[int] = set()
    roots = sorted(range(topology.machines), key=lambda m: (bool(topology.inputs[m]), m))
    for root in roots:
        if root not in begun:
            begun.add(root)
            _visit(topology, root, begun, found)
    return frozenset(found)


def _visit(topology: Topology, root: int, begun: set[int], found: set[int]) -> None:
    visiting = {root}
    path = [(root, iter(topology.outputs[root]))]
    while path:
        machine, outputs = path[-1]
        channel = next(outputs, None)
        if channel is None:
            visiting.discard(machine)
            path.pop()
            continue
        destination = topology.channels[channel][1]
        if destination in visiting:
            found.add(channel)
        elif destination not in begun:
            begun.add(destination)
            visiting.add(destination)
            path.append((destination, iter(topology.outputs[destination])))


def sources(topology: Topology) -> tuple[int, ...]:
    """The machines without forward inputs: nothing comes to them but over back-edges."""
    back = back_edges(topology)
    return tuple(m for m in range(topology.machines) if all(channel in back for channel in topology.inputs[m]))


def sinks(topology: Topology) -> tuple[int, ...]:
    """The machines without outputs: what they process becomes visible outside."""
    return tuple(m for m in range(topology.machines) if not topology.outputs[m])


def runs_out(topology: Topology) -> bool:
    """Whether from every machine a chain of channels leads to one that lies on no cycle and goes nowhere: a sink."""
    return all(any(sink in topology.reachable_from([m]) for sink in sinks(topology)) for m in range(topology.machines))
