"""`redwhite explore`: a system walked by hand in a page on this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Annotated

from checker.cli.arguments import Option
from checker.cli.options import (
    ImplementationName,
    Initiators,
    ProgramName,
    PropertyNames,
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
    properties: PropertyNames = None,
    port: Annotated[int, Option(parser=whole(0, 65535), metavar="N", help="0: any free one")] = 0,
    trust: Annotated[bool, Option("--trust", help="a trace: run the Python files that it names")] = False,
) -> int:
    """Serve a page on 127.0.0.1 to choose what happens next, from the start or a saved trace; Ctrl-C stops it."""
    from checker.check import one
    from checker.cli.trust import trusted_trace
    from checker.explorer.server import serve
    from checker.explorer.walk import Walks
    from checker.report.data import is_trace
    from model.catalogue import build_system
    from model.properties import chosen

    run = trusted_trace(topology, trust).trace if is_trace(topology) else None
    if run is None:
        program, protocol = computation(program, protocol, implementation)
        system = build_system(one(topology), program, protocol, initiators, relax)
    else:
        system = run.system
    walks = Walks(system, chosen(system, tuple(properties or ())))
    if run is not None:
        walks.opened = walks.choices(run)
    words = system.description

    def announce(address: str) -> None:
        print(f"{address}  (Ctrl-C stops it)", flush=True)

    title = f"{words['protocol']} over {words['program']} on {system.topology.name or topology}"
    with suppress(KeyboardInterrupt):
        serve(walks, title, port, announce)
    if not walks.stop():
        os._exit(0)  # a kernel that is at work knows no interrupt, and Python would wait for it
    return 0
