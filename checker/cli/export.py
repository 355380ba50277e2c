"""`redwhite export`: a whole system in another tool's language, or its state graph as a drawing's source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from checker.cli.arguments import Argument
from checker.cli.options import (
    ImplementationName,
    Initiators,
    ProgramName,
    ProtocolName,
    Relaxations,
    TopologyName,
    computation,
)


def export(
    topology: TopologyName,
    out: Annotated[
        list[str],
        Argument(metavar="FILE...", help="Promela (.pml), TLA+ with its TLC configuration (.tla), or DOT (.dot)"),
    ],
    program: ProgramName = "transfer",
    protocol: ProtocolName = "marker",
    implementation: ImplementationName = None,
    initiators: Initiators = "0",
    relax: Relaxations = "",
) -> int:
    """Write a system as SPIN, TLC or Graphviz read it: the same states and transitions as `check` counts."""
    from checker.check import one
    from checker.export import system_text, writable_system
    from checker.report.formats import write
    from model.catalogue import build_system

    suffixes = [writable_system(path) for path in out]
    program, protocol = computation(program, protocol, implementation)
    system = build_system(one(topology), program, protocol, initiators, relax)
    for path, suffix in zip(out, suffixes, strict=True):
        for name, text in system_text(system, suffix, Path(path)):
            write(text, name)
            print(name)
    return 0
