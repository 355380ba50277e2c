"""Dataflows that fail: the effects of each record after restoring, and what the world outside sees of it."""

from __future__ import annotations

from model.output import visible_output
from model.property import Property
from model.restore import COMPARISONS, program_of, restorable, restored_effects

RESTORE_PROPERTIES: tuple[Property, ...] = tuple(
    Property(
        f"{often.replace(' ', '-')}-once",
        f"Restored from SSS, each run ends with each record's effect {often} as often as without failure.",
        "Carbone et al. 2015, sections 4 and 5",
        restorable,
        on_recorded=restored_effects(compare),
    )
    for often, compare in COMPARISONS.items()
)

EXACTLY_ONCE, AT_LEAST_ONCE, AT_MOST_ONCE = RESTORE_PROPERTIES

OUTPUT_PROPERTIES: tuple[Property, ...] = tuple(
    Property(
        f"output-{often.replace(' ', '-')}-once",
        f"With one failure at any moment, each record is visible outside {often} as often as without failure.",
        "Flink, end-to-end guarantees of sinks: two-phase commit, idempotent writes",
        lambda system: restorable(system) and program_of(system).sink != "none",
        on_state=visible_output(compare),
        further=True,
    )
    for often, compare in COMPARISONS.items()
)
