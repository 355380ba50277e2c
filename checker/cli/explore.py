"""`redwhite explore`: a system walked by hand in a page on this machine."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer


def explore(
    topology: Annotated[str, typer.Argument(metavar="TOPOLOGY", help="see `redwhite list topologies`")],
    program: Annotated[str, typer.Option(help="NAME[,key=value...] or file.py:Class")] = "transfer",
    protocol: Annotated[str, typer.Option(help="NAME[,key=value...] or file.py:Class")] = "marker",
    initiators: Annotated[str, typer.Option(help="who may turn red spontaneously: 0, or 0,2, or any")] = "0",
    relax: Annotated[str, typer.Option(help="assumptions to drop, comma-separated")] = "",
    properties: Annotated[list[str] | None, typer.Option("--property", help="only these (repeatable)")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one")] = 0,
) -> int:
    """Serve a page on 127.0.0.1 on which one chooses what happens next; Ctrl-C stops it."""
    from checker.check import one
    from model.catalogue import build_system
    from model.errors import InputError
    from model.properties import chosen

    try:
        from checker.explorer.server import serve
        from checker.explorer.walk import Walks
    except ImportError as error:
        raise InputError(f"explore needs the extra 'view' of the package ({error})") from None
    system = build_system(one(topology), program, protocol, initiators, relax)
    walks = Walks(system, chosen(system, tuple(properties or ())))
    words = system.description

    def announce(address: str) -> None:
        print(f"{address}  (Ctrl-C stops it)", flush=True)

    with suppress(KeyboardInterrupt):
        serve(walks, f"{words['protocol']} over {words['program']} on {topology}", port, announce)
    return 0
