"""The limit that memory sets: as many random reads of a state row as a search makes, from a table as large."""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np


@numba.njit(cache=True)
def read_at_random(table: Any, reads: int) -> Any:
    """A sum over rows of the table picked by a generator of random numbers; independent reads, as many as asked."""
    rows, words = table.shape
    state, total = np.uint64(88172645463325252), np.uint64(0)
    for _ in range(reads):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        row = np.int64((state >> np.uint64(32)) * np.uint64(rows) >> np.uint64(32))
        for word in range(words):
            total += table[row, word]
    return total


def random_reads(states: int, reads: int, words: int) -> dict[str, Any]:
    """Seconds that `reads` random reads take from a table of `states` rows of `words` 64-bit words."""
    table = np.ones((states, words), np.uint64)  # ones, so that every page is there before the clock starts
    read_at_random(table[:16], 16)
    started, cpu = time.perf_counter(), time.process_time()
    total = read_at_random(table, reads)
    seconds, used = time.perf_counter() - started, time.process_time() - cpu
    assert int(total) == reads * words
    return {"seconds": seconds, "cpu": used, "table_mb": table.nbytes / 1e6}
