"""`python -m benchmarks.own [SYSTEM ...]`: what properties of one's own cost beside exploring, side by side in one run.

For each system and each kind of claim: the native engine's search alone, and the whole check of that one claim, in
turns, each in a process of its own. All claims hold, so that every state is looked at. Writes Markdown.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.__main__ import worker
from benchmarks.report import busy, machine
from benchmarks.systems import Measured
from model.claims import Monitor, always, leads_to, never, on_action, on_snapshot
from model.errors import InputError
from model.property import Property
from model.system import System

RESULTS = Path(__file__).with_name("OWN.md")
SYSTEMS = ("complete:3 b=2,s=2", "complete:3 b=2,s=3")


def _sum(system: System) -> Property:
    whole = sum(state.machines[0].state.balance for state in system.initial_states()) * system.topology.machines
    return always(
        "the sum stays", lambda v: sum(m.balance for m in v.machines) + sum(len(c) for c in v.channels) == whole
    )


class Recorded(Monitor):
    """A monitor: machine 0 turns red at most once."""

    claim = "machine 0 turns red once at the most"
    initial = 0

    def next(self, value: int, event: Any) -> int:
        """One more, if it turns red."""
        return min(2, value + (event.machine == 0 and event.turns_red))

    def error(self, value: int) -> bool:
        """Twice."""
        return value == 2


CLAIMS: dict[str, tuple[float | None, Callable[[System], Any]]] = {
    "local: one machine's state": (1.3, lambda s: always("no debt", lambda v: v.machines[0].balance >= 0)),
    "local: one action": (1.3, lambda s: on_action("one unit at a time", lambda a: len(a.sends) <= 1)),
    "a sum over machines and channels": (1.3, _sum),
    "two machines": (
        2.0,
        lambda s: never("two have more than all", lambda v: v.machines[0].balance + v.machines[1].balance > 1000),
    ),
    "all machines, and whether they are red": (
        None,
        lambda s: always("no debt", lambda v: all(m.balance >= 0 or r for m, r in zip(v.machines, v.red, strict=True))),
    ),
    "of each recorded state SSS": (None, lambda s: on_snapshot("no debt recorded", lambda sss: min(sss.machines) >= 0)),
    "leads to": (None, lambda s: leads_to("red spreads", lambda v: v.red[0], lambda v: all(v.red))),
    "a monitor": (None, lambda s: Recorded()),
}
"""Name -> how many times exploring it may cost at the most, where that is promised, and the claim for a system."""
EXPLORING = "exploring alone"


def main() -> int:
    """Measure and write; 0 if what is promised was kept, 1 if not, 2 for bad usage."""
    found = argparse.ArgumentParser(prog="python -m benchmarks.own", description=(__doc__ or "").splitlines()[0])
    found.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"default: {', '.join(map(repr, SYSTEMS))}")
    found.add_argument("--repeat", type=int, default=3, help="runs of each, the fastest counts (default 3)")
    found.add_argument("--out", default=str(RESULTS), help="the Markdown file to write (default benchmarks/OWN.md)")
    options = found.parse_args()
    try:
        systems = [Measured.parse(text) for text in options.systems or SYSTEMS]
        for measured in systems:
            measured.build()
    except InputError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    parts = [f"# What properties of one's own cost\n\nMade by `python -m benchmarks.own`. {machine()}\n{busy()}"]
    parts.append(
        "Each row is the whole check of that one claim, which holds, beside the search alone: the least CPU time of"
        f" {options.repeat} runs in turns.\n*at most* is what is promised, in times the search alone.\n"
    )
    kept = True
    for measured in systems:
        text, well = measure(measured, options.repeat)
        kept = kept and well
        parts.append(text)
        print(text, flush=True)
        Path(options.out).write_text("\n".join(parts), encoding="utf-8")
    print("All within what is promised." if kept else "NOT ALL within what is promised.")
    return 0 if kept else 1


def measure(measured: Measured, repeat: int) -> tuple[str, bool]:
    """A system's table, and whether all claims cost no more than is promised."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in (EXPLORING, *CLAIMS)}
    for _ in range(repeat):
        for name, own in runs.items():
            own.append(worker("explore" if name == EXPLORING else f"own {name}", measured.name))
    best = {name: min(run["cpu"] for run in own) for name, own in runs.items()}
    rows, kept = [], True
    for name, cpu in best.items():
        times, most = cpu / best[EXPLORING], CLAIMS[name][0] if name in CLAIMS else None
        kept = kept and (most is None or times <= most)
        wall, peak = min(run["seconds"] for run in runs[name]), min(run["peak_rss_mb"] for run in runs[name])
        rows.append((name, f"{wall:.2f}", f"{cpu:.2f}", f"{times:.2f}", "" if most is None else most, f"{peak:,.0f}"))
    states = {run["states"] for own in runs.values() for run in own}
    heads = ("", "seconds", "CPU s", "x exploring", "at most", "peak MB")
    table = tabulate(rows, heads, tablefmt="github", disable_numparse=True, colalign=("left", *["right"] * 5))
    return f"## {measured.name}: {', '.join(f'{count:,}' for count in sorted(states))} states\n\n{table}\n", kept


if __name__ == "__main__":
    sys.exit(main())
