"""The explorer's server: on 127.0.0.1 only, for the page that it served itself and nobody else.

A request must name this host, come from this origin if it says where it comes from, and, unless it asks for the page,
carry the token that the page was given: no other site open in the same browser can drive a walk or read one.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from checker.draw.html import render
from checker.explorer.walk import Walks
from checker.report.data import trace_json
from model.errors import InputError

HOST = "127.0.0.1"
MOST_BYTES = 65536


def application(walks: Walks, title: str, token: str | None = None) -> Starlette:
    """The application; `token` is made anew unless given."""
    secret = token or secrets.token_urlsafe(24)

    async def page(request: Request) -> Response:
        return HTMLResponse(
            explorer_page(title, secret, walks.opened), headers={"Cache-Control": "no-store", "X-Frame-Options": "DENY"}
        )

    def guarded(answer: Callable[[dict[str, Any]], Any]) -> Callable[[Request], Any]:
        async def handle(request: Request) -> Response:
            origin = request.headers.get("origin")
            own = origin is None or origin == f"http://{request.headers.get('host')}"
            given = request.headers.get("x-redwhite-token", "")
            if not own or not secrets.compare_digest(given.encode(), secret.encode()):
                return JSONResponse({"error": "only the page that this server gave may ask"}, status_code=403)
            body = await request.body()
            try:
                asked = json.loads(body) if len(body) <= MOST_BYTES else None
                if not isinstance(asked, dict):
                    raise InputError(f"a JSON object of at most {MOST_BYTES} bytes")
                return JSONResponse(await run_in_threadpool(answer, asked))
            except (InputError, ValueError) as error:
                return JSONResponse({"error": str(error)}, status_code=400)

        return handle

    routes = [
        Route("/", page),
        Route("/view", guarded(lambda asked: walks.view(_choices(asked))), methods=["POST"]),
        Route("/search", guarded(lambda asked: walks.search()), methods=["POST"]),
        Route("/jump", guarded(lambda asked: walks.jump(str(asked.get("to")))), methods=["POST"]),
        Route("/random", guarded(lambda asked: walks.view(walks.at_random(_choices(asked), 8))), methods=["POST"]),
        Route("/trace", guarded(lambda asked: trace_json(walks.saved(walks.trace(_choices(asked))))), methods=["POST"]),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])
    return Starlette(routes=routes, middleware=[hosts])


def _choices(asked: dict[str, Any]) -> list[int]:
    choices = asked.get("choices")
    if not isinstance(choices, list) or not all(type(choice) is int for choice in choices):
        raise InputError("choices: a list of whole numbers")
    return choices


def explorer_page(title: str, token: str, opened: Sequence[int] = ()) -> str:
    """The page, with its style, script and token, and the walk that it shows unless its address names one."""
    return render("explorer.html", title=f"{title} - Redwhite", heading=title, token=token, opened=opened)


def serve(walks: Walks, title: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve until interrupted; `announce` is called with the page's address once the port is open."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise InputError(f"port {port}: {error.strerror}; give another with --port") from None
    listening.listen()  # who comes before the server has started waits
    announce(f"http://{HOST}:{listening.getsockname()[1]}/")
    config = uvicorn.Config(application(walks, title), log_level="warning", timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listening])
