"""Which theory is that of a protocol of the catalogue, under a system's assumptions; and when its snapshot is complete.

`mutants` are told apart by what they forget: each has the theory of the algorithm that it breaks, of which it is no
instance, and one of its own, of which it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from model.channels import Fifo
from model.protocols.laiyang import RED
from model.protocols.observer import TOKEN
from model.system import System
from model.values import Value
from proofs import mutants
from proofs.assumptions import fifo, no_duplication, no_loss
from proofs.computation import Protocol, State, Step
from proofs.instances import Compared, Theory
from proofs.language import Formula
from proofs.premises import Premise
from proofs.protocols import ALIGNED, MAGIC, MARKER, OVERTAKING, TAGGED, UNALIGNED, last_barrier_turns
from proofs.t04_white import arrived
from proofs.t14_sentence import complete

BY_NAME: dict[str, tuple[Protocol, Protocol | None]] = {
    "marker": (MARKER, MARKER),
    "concurrent": (MARKER, MARKER),
    "magic": (MAGIC, MAGIC),
    "simultaneous": (MAGIC, MAGIC),
    "laiyang": (TAGGED, TAGGED),
    "observer": (TAGGED, TAGGED),
    "barrier": (ALIGNED, ALIGNED),
    "unaligned": (UNALIGNED, UNALIGNED),
    "unaligned,overtake=true": (OVERTAKING, OVERTAKING),
    "late-marker": (MARKER, mutants.LATE_MARKER),
    "lazy-marker": (MARKER, mutants.LAZY_MARKER),
    "late-record": (MARKER, mutants.LATE_RECORD),
    "missing-marker": (MARKER, mutants.MISSING_MARKER),
    "no-channel-state": (MARKER, mutants.NO_CHANNEL_STATE),
    "keep-recording": (MARKER, mutants.KEEP_RECORDING),
    "overwrite": (MARKER, mutants.OVERWRITE),
    "early-complete": (MARKER, None),
    "duplicate-log": (MARKER, None),
    "magic,guard=false": (MAGIC, mutants.UNGUARDED),
    "observer,observer_tags=false": (TAGGED, mutants.UNTAGGED),
    "observer,save=after": (TAGGED, None),
    "observer,observer_logs=false": (TAGGED, None),
    "observer,done=naive": (TAGGED, None),
    "barrier,align=false": (ALIGNED, mutants.UNALIGNED_BARRIER),
}
"""The theory of the algorithm as it should be, and the theory of what the protocol of that name does, if it has one.

The later entry counts where several fit. In the theory a machine turns red before anything else in its step, a message
is recorded once, and what is complete is red everywhere and closed (or empty): what does otherwise has none.
"""

_COLOURED = (MAGIC, mutants.UNGUARDED, TAGGED, mutants.UNTAGGED)


@dataclass(frozen=True, slots=True)
class TheoryOf:
    """A protocol's theory, and how its tags and constants are read."""

    protocol: Protocol
    theory: Theory
    done: Callable[[State], Formula]
    constants: dict[str, Any]

    def compared(self, system: System, snapshot: int = 0, history: bool = False) -> Compared:
        """The system's states and transitions beside the theory's."""
        return Compared(self.theory, system, tagged, snapshot, self.constants, self.done, history)


def tagged(tag: Value) -> bool:
    """The tags of red messages: the colour, or the token; a number besides is no part of it."""
    return tag in (RED, TOKEN)


def theory_of(system: System, broken: bool = False) -> TheoryOf | None:
    """The theory of the system's protocol as it should be (`broken`: of what it does); None if it has none."""
    words = system.description.get("protocol", "").split(",")
    fitting = [name for name in BY_NAME if name.split(",")[0] == words[0] and set(name.split(",")) <= set(words)]
    unordered = not isinstance(system.assumptions.discipline, Fifo)
    if not fitting or "cyclic=true" in words or any(w.startswith("barriers=") and w != "barriers=1" for w in words):
        return None
    if system.protocol.overtakes and unordered:
        return None  # all that waits counts as overtaken there; in the theory, what stands before the barrier
    protocol = BY_NAME[fitting[-1]][broken]
    if protocol is None:
        return None
    constants = {"forgotten": getattr(system.protocol, "channel", None), "observer": 0}
    done = arrived if protocol in _COLOURED else complete
    return TheoryOf(protocol, _theory(protocol, dropped(system)), done, constants)


def dropped(system: System) -> tuple[str, ...]:
    """The names of the assumptions that the system's relaxations drop."""
    by_relaxation = {
        "fifo": ("no overtaking of markers", "no overtaking by markers", "no overtaking among messages"),
        "overtake": ("no overtaking of markers", "no overtaking by markers", "no overtaking among messages"),
        "loss": ("no message lost", "no marker lost"),
        "duplication": ("no message duplicated", "no marker duplicated"),
        "marker-loss": ("no marker lost",),
        "marker-duplication": ("no marker duplicated",),
    }
    overtakes = ("no overtaking by markers",) if system.protocol.overtakes else ()
    relaxed = (word.split(":")[0] for word in system.assumptions.relaxations)
    return (*overtakes, *(name for word in relaxed for name in by_relaxation.get(word, ())))


@lru_cache(maxsize=64)
def _theory(protocol: Protocol, without: tuple[str, ...]) -> Theory:
    def assumed(q: State, e: Step) -> tuple[Premise, ...]:
        barriers = (last_barrier_turns(q, e),) if protocol is ALIGNED else ()
        channels = (*fifo(q, e), *no_loss(q, e), *no_duplication(q, e))
        return (*barriers, *(p for p in channels if p.name not in without))

    return Theory(protocol, assumed)
