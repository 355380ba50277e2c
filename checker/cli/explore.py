"""`redwhite explore`: a system walked by hand in a page on this machine."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from checker.cli.arguments import Option
from checker.cli.options import (
    ImplementationName,
    Initiators,
    ProgramName,
    ProtocolName,
    Relaxations,
    TopologyName,
    computation,
    whole,
)


def explore(
    topology: TopologyName,
    program: ProgramName = "transfer",
    protocol: ProtocolName = "marker",
    implementation: ImplementationName = None,
    initiators: Initiators = "0",
    relax: Relaxations = "",
    properties: Annotated[list[str] | None, Option("--property", help="only these (repeatable)")] = None,
    port: Annotated[int, Option(parser=whole(0, 65535), metavar="N", help="0: any free one")] = 0,
) -> int:
    """Serve a page on 127.0.0.1 on which one chooses what happens next; Ctrl-C stops it."""
    from checker.check import one
    from checker.explorer.server import serve
    from checker.explorer.walk import Walks
    from model.catalogue import build_system
    from model.properties import chosen

    program, protocol = computation(program, protocol, implementation)
    system = build_system(one(topology), program, protocol, initiators, relax)
    walks = Walks(system, chosen(system, tuple(properties or ())))
    words = system.description

    def announce(address: str) -> None:
        print(f"{address}  (Ctrl-C stops it)", flush=True)

    with suppress(KeyboardInterrupt):
        serve(walks, f"{words['protocol']} over {words['program']} on {topology}", port, announce)
    return 0
