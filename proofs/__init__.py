"""Proofs, for every number of machines: z3 finds them, cvc5 checks them again.

    from proofs import prove, theorems
    theorems()                    the theorems, in the order of EWD864a
    prove(("markers", "record"))  their results, as data

Importing this package loads no solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proofs.broken import Broken
    from proofs.claims import Theorem
    from proofs.results import TheoremResult

__all__ = ["broken_theories", "prove", "render", "theorems"]


def theorems() -> dict[str, Theorem]:
    """Every theorem by name: number, title, source, assumptions, obligations."""
    from proofs import registry

    return registry.theorems()


def broken_theories() -> dict[str, Broken]:
    """Every broken theory by name: an algorithm with a rule changed, and what it then fails to satisfy."""
    from proofs import registry

    return registry.broken_theories()


def prove(
    names: Sequence[str] = (),
    timeout: float = 20.0,
    out: Path | str | None = None,
    progress: Callable[[TheoremResult], None] | None = None,
    workers: int = 1,
    certified: bool = False,
) -> list[TheoremResult]:
    """Results for these theorems, by name or number (all, if none is given); see `proofs.proving.prove`."""
    from proofs import proving

    return proving.prove(names, timeout, out, progress, workers, certified)


def render(results: Sequence[TheoremResult]) -> str:
    """One table: theorem, source, z3, cvc5, seconds, assumptions."""
    from proofs.table import table

    return table(results)
