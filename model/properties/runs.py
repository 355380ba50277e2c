"""What happens on every run: once a snapshot has begun, all machines turn red, and it becomes complete."""

from __future__ import annotations

from model.applying import cuts, snapshots
from model.monitor import ALL_RED, COMPLETE
from model.property import Evidence, Property

COMPLETION = Property(
    "completes",
    "Once a snapshot has begun, it becomes complete, on every weakly fair run.",
    "Chandy & Lamport 1985, section 3.3",
    snapshots,
    goal=COMPLETE,
    evidence=Evidence.UNFINISHED,
    symmetric=True,
)

RUN_PROPERTIES = (
    Property(
        "all-red",
        "Once a snapshot has begun, every machine turns red, on every weakly fair run.",
        "EWD864a, second part",
        cuts,
        goal=ALL_RED,
        evidence=Evidence.UNFINISHED,
        symmetric=True,
    ),
    COMPLETION,
    Property(
        "completes-unfair",
        "Once a snapshot has begun, it becomes complete, on every maximal run, fair or not.",
        "what weak fairness is needed for",
        snapshots,
        goal=COMPLETE,
        fair=False,
        asked=True,
        symmetric=True,
    ),
)
