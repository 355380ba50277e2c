"""The playground's folder on 127.0.0.1, for a browser that loads no modules from files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: who asks for what is nobody's business."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Nothing: a browser that closes a connection half-way, as they do, is no error of ours."""


def serve(folder: Path, port: int, announce: Callable[[str], None]) -> None:
    """Serve the folder until a keyboard interrupt; announce is told the address once it can be opened."""
    with _Server(("127.0.0.1", port), partial(_Quiet, directory=str(folder))) as server:
        announce(f"http://127.0.0.1:{server.server_port}/")
        server.serve_forever()
