"""The folder of exported questions: one SMT-LIB 2 file each, and a manifest that says what every file should answer.

DIR/manifest.json                     file -> "unsat" or "sat"
DIR/06-markers/condition.smt2         the claim: unsat, for sets of any size
DIR/06-markers/condition-witness.smt2 the premises can be met: sat
DIR/06-markers/condition-without-no-marker-lost.smt2    a counterexample without an assumption: sat
(`...-without-...` with unsat: the assumption is not needed)
DIR/06-markers/condition.cpc          where certificates are written: cvc5's proof, of the file beside it
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from model.errors import InputError

MANIFEST = "manifest.json"


class Folder:
    """Writes questions under one directory; with no directory it writes nothing."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self.expected: dict[str, str] = {}
        self.lacking = ""
        if root is not None:
            try:
                root.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"--out {root}: not a folder that can be written ({error.strerror})") from error

    def add(self, theorem: str, name: str, text: str, expected: str, proof: str = "") -> None:
        """One question, under the folder of its theorem, and its proof."""
        if self.root is None:
            return
        path = self.root / slug(theorem) / f"{slug(name)}.smt2"
        try:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if proof:
                path.with_suffix(".cpc").write_text(f'(reference "{path.name}")\n{proof}', encoding="utf-8")
        except OSError as error:  # what is proved is not lost
            self.lacking = error.strerror or str(error)
        else:
            self.expected[path.relative_to(self.root).as_posix()] = expected

    def close(self) -> None:
        """Write the manifest; files of an earlier run that were written again are described anew, others kept."""
        if self.root is None:
            return
        path = self.root / MANIFEST
        earlier = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        everything = dict(sorted((earlier | self.expected).items()))
        try:
            path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            self.lacking = error.strerror or str(error)
        if self.lacking:
            print(f"redwhite: {self.root} does not hold every obligation ({self.lacking})", file=sys.stderr)


def slug(name: str) -> str:
    """A file name: letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
