"""digraph6: one digraph a line in printable characters, as nauty's geng | directg writes them; networkx reads none.

A line is `&`, the number of machines, and the adjacency matrix row by row, six bits a character (nauty's formats.txt,
"digraph6"). The file may begin with `>>digraph6<<`. Self-channels can be written, parallel channels cannot.
"""

from __future__ import annotations

from model.errors import InputError
from model.families import shown
from model.topology import Topology

HEADER = ">>digraph6<<"


def read_digraph6(text: str) -> list[Topology]:
    """The topologies of a digraph6 file, one a line, blank lines apart; channels ordered by (source, destination).

    Raises `InputError` that names the line.
    """
    topologies = []
    for number, line in enumerate(text.removeprefix(HEADER).splitlines(), 1):
        if line.strip():
            try:
                topologies.append(_decoded(line.strip()))
            except InputError as error:
                raise InputError(f"line {number}: {error}") from None
    return topologies


def to_digraph6(topology: Topology) -> str:
    """The line (without its end) that stands for the topology. Raises `InputError` for parallel channels."""
    n = topology.machines
    if len(set(topology.channels)) < len(topology.channels):
        raise InputError("parallel channels: digraph6 has no place for them")
    if n > 62:
        raise InputError(f"{n} machines: written are up to 62")
    bits = ["0"] * (n * n)
    for source, destination in topology.channels:
        bits[source * n + destination] = "1"
    padded = "".join(bits) + "0" * (-n * n % 6)
    return "&" + chr(63 + n) + "".join(chr(63 + int(padded[i : i + 6], 2)) for i in range(0, len(padded), 6))


def _decoded(line: str) -> Topology:
    if not line.startswith("&"):
        raise InputError(f"{shown(line)} is no digraph6: accepted are lines that begin with & (directg makes them)")
    values = [ord(character) - 63 for character in line[1:]]
    if not all(0 <= value < 64 for value in values):
        raise InputError(f"{shown(line)} has a character outside ? .. ~")
    n, matrix = _machines(values)
    if n < 1 or len(matrix) != (n * n + 5) // 6:
        raise InputError(f"{shown(line)}: {len(matrix)} characters for a matrix of {n} machines")
    bits = "".join(f"{value:06b}" for value in matrix)
    if "1" in bits[n * n :]:
        raise InputError(f"{shown(line)}: the bits after the matrix are not 0")
    return Topology(n, tuple(divmod(place, n) for place, bit in enumerate(bits[: n * n]) if bit == "1"))


def _machines(values: list[int]) -> tuple[int, list[int]]:
    """The number of machines, written in 1, 4 or 8 characters, and what comes after it."""
    if values[:2] == [63, 63]:
        skipped, digits = 2, 6
    elif values[:1] == [63]:
        skipped, digits = 1, 3
    else:
        skipped, digits = 0, 1
    n = 0
    for value in values[skipped : skipped + digits]:
        n = n << 6 | value
    return n, values[skipped + digits :]
