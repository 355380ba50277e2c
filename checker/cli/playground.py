"""`redwhite playground`: the checker in a browser, from a folder that any static host can serve."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.options import whole
from model.errors import InputError


def playground(
    folder: Annotated[str, Argument(metavar="FOLDER", help="where it is built")] = "playground",
    build: Annotated[bool, Option("--build", help="build it there, then end; any static host can serve it")] = False,
    pyodide: Annotated[str | None, Option(metavar="FILE", help="Pyodide's archive; otherwise it is fetched")] = None,
    port: Annotated[int, Option(parser=whole(0, 65535), metavar="N", help="0: any free one")] = 0,
) -> int:
    """Serve a page that checks systems in the browser, without any network; a link to it holds a whole system."""
    from checker.playground.serve import serve

    place = Path(folder)
    if build:
        from checker.playground.build import build as build_into

        build_into(place, None if pyodide is None else Path(pyodide))
        print(f"built {place}: redwhite playground {place} opens it, and any static host can serve it")
        return 0
    if not (place / "redwhite.zip").is_file():
        raise InputError(f"no playground in {folder!r}: redwhite playground {folder} --build makes one")
    with suppress(KeyboardInterrupt):
        serve(place, port, lambda address: print(f"{address}  (Ctrl-C stops it)", flush=True))
    return 0
