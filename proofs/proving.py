"""`prove`: check theorems with both solvers, and say what each rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from proofs.certificates import folder_of, seal, write_trees
from proofs.exports import Folder, slug
from proofs.prover import Prover
from proofs.registry import THEORIES, broken_theories, select, theorem
from proofs.results import TheoremResult
from proofs.solvers import Solvers
from proofs.watchdog import Ask, watched

TIMEOUT = 20.0
"""Seconds for one question to one solver; the slowest takes well under one."""


def prove(
    names: Sequence[str] = (),
    timeout: float = TIMEOUT,
    out: Path | str | None = None,
    progress: Callable[[TheoremResult], None] | None = None,
    workers: int = 1,
    certified: bool = False,
) -> list[TheoremResult]:
    """The results for these theorems (names or numbers; all, if none is given), in order.

    `timeout`: seconds for one question to one solver. `out`: a folder for the SMT-LIB 2 files; `certified`: with proofs
    and trees, for `certificates.check`. `progress` is told of each result when it is there. `workers`: processes that
    share the theorems; the results do not depend on it. A broken theory may be named too; it is checked up to the first
    counterexample. Raises `InputError` for an unknown name or a folder that cannot be written.
    """
    chosen = select(names)
    folder = Folder(Path(out) if out is not None else None)
    results: dict[str, TheoremResult] = {}
    try:
        # The longest theories stand last in the list: begun first, they leave the workers evenly loaded.
        tasks = [(name, timeout, folder.root, certified) for name in reversed(chosen)]
        for name, result, written in watched("proofs.proving:check", tasks, workers):
            folder.expected |= written.expected
            folder.lacking = folder.lacking or written.lacking
            results[name] = result
            if progress is not None:
                progress(result)
    finally:
        folder.close()
        if certified and folder.root is not None:
            seal(folder.root)
    return [results[name] for name in chosen]


Checked: TypeAlias = tuple[str, TheoremResult, Folder]
"""Name, result, and the folder with what each exported file should answer."""


def check(ask: Ask, name: str, timeout: float, root: Path | None, certified: bool = False) -> Checked:
    """One theorem or broken theory; the job of a watched worker."""
    number = list(THEORIES).index(name) + 1 if name in THEORIES else 0
    place = folder_of(name) if number else f"broken-{name}"
    folder = Folder(root)
    prover = Prover(Solvers(ask, timeout, certified), lambda question, *rest: folder.add(place, question, *rest))
    result = prover.check(theorem(name)) if number else prover.check_broken(broken_theories()[name].theory())
    if certified and root is not None:
        write_trees(root / slug(place), prover.derived)
    return name, result, folder
