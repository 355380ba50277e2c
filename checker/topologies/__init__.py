"""Every topology a user can name: families, all strongly connected digraphs of a size, files; and their symmetries."""

from __future__ import annotations

import re
from pathlib import Path

from checker.topologies.symmetry import Automorphism, automorphisms, machine_orbits
from model.errors import InputError, like
from model.families import FAMILIES, family_form, parse_family, shown
from model.topology import Topology

__all__ = [
    "parse",
    "PARALLELISM",
    "FORMS",
    "SUFFIXES",
    "Automorphism",
    "automorphisms",
    "machine_orbits",
]

SUFFIXES = (".graphml", ".gml", ".dot", ".gv", ".json", ".d6", ".digraph6")

# How a topology is written -> one line that describes it, for `redwhite list topologies`.
FORMS: dict[str, str] = {
    **{family_form(name): description for name, (_, description) in FAMILIES.items()},
    "strong:N": "every strongly connected digraph up to isomorphism: 1, 1, 5, 83, 5048 for N=1..5",
    "FILE": f"a directed graph ({', '.join(SUFFIXES)}), or a Flink job plan (.json)",
    "strong:N#K, FILE#K": "the K-th of several",
}


PARALLELISM = 2
"""How many machines an operator of a job plan becomes at most, unless said."""


def parse(text: str, parallelism: int = PARALLELISM) -> list[Topology]:
    """The topologies that a user's text stands for: one, or several for strong:N and files of many graphs.

    `text` is the name of a family, strong:N, or a path with one of `SUFFIXES`; with #K at its end, the K-th of several.
    `parallelism` bounds the machines of an operator in a Flink job plan, which becomes a `Dataflow`. Raises
    `InputError`, in one line, for everything else.
    """
    picked = re.fullmatch(r"(.+)#([1-9][0-9]{0,8})", text)
    if picked and _several(picked[1]):
        topologies, k = parse(picked[1], parallelism), int(picked[2])
        if k > len(topologies):
            raise InputError(f"{text!r}: accepted are #1 to #{len(topologies)}")
        return topologies[k - 1 : k]
    name = text.partition(":")[0]
    if name in FAMILIES:
        return [parse_family(text)]
    if name == "strong":
        from checker.topologies.strong import parse_strong  # here and below: numpy and networkx take their time

        return parse_strong(text)
    if Path(text).suffix.lower() in SUFFIXES:
        from checker.topologies.files import read_file

        return read_file(text, parallelism)
    accepted = ", ".join(family_form(name) for name in FAMILIES)
    near = like(name, [*FAMILIES, "strong", "any"])
    raise InputError(
        f"unknown topology {shown(text)}: {near}accepted are {accepted}, strong:N, or a file ({', '.join(SUFFIXES)})"
    )


def _several(text: str) -> bool:
    return text.startswith("strong:") or Path(text).suffix.lower() in SUFFIXES
