"""How much memory this process may have: what the host, its containers and its own limits leave, whichever is least.

A container's limit (cgroup v1 and v2) ends a process that exceeds it without a word, and the host's free memory says
nothing of it; `ulimit -v` lets allocations fail. A search asks here before it grows, and stops in time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

UNLIMITED = 1 << 62
"""cgroup v1 writes "no limit" as a number near 2^63."""

SPARE = 64 << 20
"""Bytes below which a search that cannot tell how much it will need next stops."""


def total_memory() -> int | None:
    """Bytes of memory that this process may ever have, if the system tells."""
    host = _host_total()
    limits = [limit for limit, _ in cgroup_limits()]
    return min([host, *limits]) if host is not None else min(limits, default=None)


def available_memory() -> int | None:
    """Bytes that this process may still take, if the system tells."""
    room = [limit - used for limit, used in cgroup_limits()]
    free, space = _host_free(), address_space_left()
    room += [free] if free is not None else []
    # An array that grows is held twice while it is copied, old and new: of bare address space only a third is counted.
    room += [space // 3] if space is not None else []
    return max(0, min(room)) if room else None


def out_of_memory(error: BaseException) -> bool:
    """Whether the error says that there was no more memory: Python's own, or z3's, which has a name of its own."""
    return isinstance(error, MemoryError) or (type(error).__name__ == "Z3Exception" and "out of memory" in str(error))


def peak_rss_mb() -> float:
    """The largest resident set so far in megabytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def address_space_left() -> int | None:
    """Bytes of address space that `ulimit -v` leaves; None where there is no such limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return None
    return max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))


def cgroup_limits(root: Path = Path("/")) -> Iterator[tuple[int, int]]:
    """(limit, used) in bytes of each control group above this process that has a limit; caches count as free."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "none", "")
        if controllers == "":
            base, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            base = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # In a container the path may be the host's, which does not exist here: then the root is the container's.
        parts = PurePosixPath(path.strip("/")).parts
        for depth in range(len(parts), -1, -1):
            yield from _limit(base.joinpath(*parts[:depth]), *names)


def _limit(group: Path, limit: str, used: str, cache: str) -> Iterator[tuple[int, int]]:
    most, now = _text(group / limit).strip(), _text(group / used).strip()
    if most.isdigit() and now.isdigit() and int(most) < UNLIMITED:
        words = [line.split() for line in _text(group / "memory.stat").splitlines()]
        cached = sum(int(word[1]) for word in words if len(word) == 2 and word[0] == cache and word[1].isdigit())
        yield int(most), max(0, int(now) - cached)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _host_total() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _host_free() -> int | None:
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
