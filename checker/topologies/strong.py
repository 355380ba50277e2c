"""Every strongly connected simple digraph on n machines, one per isomorphism class: 1, 1, 5, 83, 5048 for n = 1..5.

A digraph without self-channels is a mask of n(n-1) bits, one for each possible channel; the first channel in order of
(source, destination) is the highest bit. So among digraphs with equally many channels, the greater mask has the
lexicographically lesser list of channels, and the greatest mask of an isomorphism class is its representative.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from model.errors import InputError
from model.families import shown
from model.topology import Topology

MOST_MACHINES = 5
COUNTS = {1: 1, 2: 1, 3: 5, 4: 83, 5: 5048, 6: 1_047_008}  # OEIS A035512

Masks = NDArray[np.int64]


def strong(n: int) -> list[Topology]:
    """One topology per isomorphism class, of fewest channels first, then by its list of channels.

    The representative of a class is its relabelling with the lexicographically least list of channels, in order of
    (source, destination): the ring 0>1,1>2,... is the first of all. Names are strong:n#1, strong:n#2, ... Raises
    `InputError` beyond 5 machines: strong:6 has a million classes, and geng | directg makes files of them.
    """
    if not 1 <= n <= MOST_MACHINES:
        size = f" ({COUNTS[n]:,} topologies)" if n in COUNTS else ""
        raise InputError(f"strong:{n}{size}: accepted is strong:N with N from 1 to {MOST_MACHINES}, or a digraph6 file")
    masks = _digraphs(n, only_strong=True)
    channels_of = _channels(n)
    topologies = [
        tuple(channel for bit, channel in enumerate(reversed(channels_of)) if mask >> bit & 1)[::-1]
        for mask in masks.tolist()
    ]
    topologies.sort(key=lambda channels: (len(channels), channels))
    return [Topology(n, channels, name=f"strong:{n}#{k}") for k, channels in enumerate(topologies, 1)]


def parse_strong(text: str) -> list[Topology]:
    """What "strong:3" stands for. Raises `InputError` for anything else."""
    number = re.fullmatch(r"strong:([0-9]{1,9})", text)
    if not number:
        raise InputError(f"{shown(text)}: accepted is strong:N with N from 1 to {MOST_MACHINES}")
    return strong(int(number[1]))


def _channels(n: int) -> list[tuple[int, int]]:
    return list(permutations(range(n), 2))


def _digraphs(n: int, only_strong: bool = False) -> Masks:
    """The representative masks of all digraphs on n machines, ascending; of the strongly connected ones on demand.

    By vertex extension: without its last machine a digraph is isomorphic to a representative on n - 1 machines, so
    every class has a member among the representatives with machine n - 1 connected to them in each possible way.
    """
    if n == 1:
        return np.zeros(1, np.int64)
    smaller, channels = _channels(n - 1), _channels(n)
    new = [channel for channel in channels if n - 1 in channel]
    old_part = _moved(_digraphs(n - 1), smaller, channels)
    new_part = _moved(np.arange(1 << len(new), dtype=np.int64), new, channels)
    masks = (old_part[:, None] | new_part).ravel()
    if only_strong:
        masks = masks[_strongly_connected(masks, n)]
    return np.unique(_greatest_relabelling(masks, n))


def _moved(masks: Masks, places: Sequence[tuple[int, int]], among: Sequence[tuple[int, int]]) -> Masks:
    """Masks over the channels `places` as masks over the channels `among`: each bit goes where its channel is."""
    position = {channel: bit for bit, channel in enumerate(reversed(among))}
    moved = np.zeros_like(masks)
    for bit, channel in enumerate(reversed(places)):
        moved |= (masks >> bit & 1) << position[channel]
    return moved


def _greatest_relabelling(masks: Masks, n: int) -> Masks:
    """For each mask the greatest one among its n! relabellings, found by trying them all."""
    channels = _channels(n)
    greatest = masks
    for image in permutations(range(n)):
        greatest = np.maximum(greatest, _moved(masks, [(image[a], image[b]) for a, b in channels], channels))
    return greatest


def _strongly_connected(masks: Masks, n: int) -> NDArray[np.bool_]:
    """Which masks are strongly connected: transitive closure (Warshall) of all of them at once."""
    reach = np.zeros((n, n, len(masks)), np.bool_)
    for bit, (source, destination) in enumerate(reversed(_channels(n))):
        reach[source, destination] = masks >> bit & 1
    for via in range(n):
        reach |= reach[:, via : via + 1] & reach[via : via + 1]
    reach |= np.eye(n, dtype=np.bool_)[:, :, None]
    return np.asarray(reach.all(axis=(0, 1)))
