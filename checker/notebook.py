"""What model defines shows itself in a notebook, once checker is imported; model knows nothing of it.

IPython keeps printers for a type by the name of its module, so that nothing is imported until such a value is shown.
Outside IPython registering does nothing, and importing `checker` never imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

SHOWN = {
    "text/html": {
        ("model.verdict", "Verdict"): "verdict_html",
        ("model.system", "System"): "system_html",
    },
    "image/svg+xml": {
        ("model.trace", "Counterexample"): "counterexample_svg",
        ("model.trace", "Trace"): "trace_svg",
        ("model.topology", "Topology"): "topology_svg",
        ("model.dataflow", "Dataflow"): "topology_svg",
    },
}
"""Media type -> (module, type) -> the function of `checker.draw.cells` that makes it."""


def drawing(name: str) -> Callable[[Any], str]:
    """The function of this name in `checker.draw.cells`, which is imported when it is first called."""

    def draw(shown: Any) -> str:
        made: str = getattr(import_module("checker.draw.cells"), name)(shown)
        return made

    return draw


def register() -> None:
    """Tell the IPython that runs, if one does, how our values are shown."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    for media, types in SHOWN.items():
        formatter = shell.display_formatter.formatters[media]
        for (module, kind), name in types.items():
            formatter.for_type_by_name(module, kind, drawing(name))
