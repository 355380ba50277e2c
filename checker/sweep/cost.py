"""How many states a system is thought to have: good enough to start the costly ones first and to split work evenly."""

from __future__ import annotations

import re
from math import exp

from model.topology import Topology

BASE = {"transfer": (0.58, 0.65), "free": (0.5, 1.35), "token": (0.8, 0.4), "diffusing": (0.7, 0.9)}
"""Program -> growth of the logarithm of the number of states with each machine and with each channel; the first two as
found on strongly connected digraphs of 2 to 5 machines."""
OTHER = (0.7, 0.9)
BY_PROTOCOL = {"laiyang": 0.88, "late-marker": 1.28, "late-record": 1.32}
"""Protocol -> factor of that growth, hardly changed by the order of the channels; found on digraphs of 2 to 4 machines
under `free`."""
RELAXED = 1.16
"""The factor of channels without order for the other protocols, found likewise."""


def estimated_states(topology: Topology, program: str, protocol: str, relax: str, initiators: str) -> float:
    """A guess from the sizes, the sends and the relaxation; never less than 1."""
    by_machine, by_channel = BASE.get(program.split(",")[0], OTHER)
    sends = max([1, *(int(n) for n in re.findall(r"(?:\bs=|\bb=|-)(\d+)", program))])
    growth = by_machine * topology.machines + by_channel * len(topology.channels) * (0.5 + 0.5 * sends)
    if initiators == "any" or "," in initiators:
        growth *= 1.1
    factor = BY_PROTOCOL.get(protocol.split(",")[0])
    growth *= factor or (RELAXED if "fifo" in relax or "overtake" in relax else 1.0)
    faults = sum(int(number) for number in re.findall(r"(?:loss|duplication|crash):(\d+)", relax))
    return exp(min(growth + faults, 50.0))
