"""Small dataflows for hypothesis: every machine is fed by a source, and every record runs out into a sink."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from model.dataflow import back_edges, runs_out, sources
from model.topology import Topology


@st.composite
def dataflows(draw: st.DrawFn, loops: bool = True, most: int = 4) -> Topology:
    """A topology of 2 to `most` machines on which the program `dataflow` ends; at most two back-edges."""
    machines = draw(st.integers(2, most))
    ends = st.tuples(st.integers(0, machines - 1), st.integers(0, machines - 1))
    if not loops:
        ends = ends.filter(lambda channel: channel[0] < channel[1])
    channels = draw(st.lists(ends, min_size=machines - 1, max_size=machines + 1))
    topology = Topology(machines, tuple(channels))
    assume(topology.reachable_from(sources(topology)) == frozenset(range(machines)))
    assume(runs_out(topology) and len(back_edges(topology)) <= 2)
    return topology
