"""`redwhite export`: a whole system in another tool's language, or its state graph as a drawing's source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    topology: Annotated[str, typer.Argument(metavar="TOPOLOGY", help="ring:3, edges:0>1,1>0, a file: see `list`")],
    out: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Promela (.pml), TLA+ with its TLC configuration (.tla), or DOT (.dot)"),
    ],
    program: Annotated[str, typer.Option(metavar="NAME", help="NAME[,key=value...] or file.py:Class")] = "transfer",
    protocol: Annotated[str, typer.Option(metavar="NAME", help="NAME[,key=value...] or file.py:Class")] = "marker",
    initiators: Annotated[
        str, typer.Option(metavar="WHO", help="who may turn red spontaneously: 0, or 0,2, or any")
    ] = "0",
    relax: Annotated[
        str, typer.Option(metavar="LIST", help="assumptions dropped, such as fifo,loss:1: see `list relaxations`")
    ] = "",
) -> int:
    """Write a system as SPIN, TLC or Graphviz read it: the same states and transitions as `check` counts."""
    from checker.check import one
    from checker.export import system_text, writable_system
    from model.catalogue import build_system

    suffixes = [writable_system(path) for path in out]
    system = build_system(one(topology), program, protocol, initiators, relax)
    for path, suffix in zip(out, suffixes, strict=True):
        for name, text in system_text(system, suffix, Path(path)):
            name.write_text(text, encoding="utf-8")
            print(name)
    return 0
