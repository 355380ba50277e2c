"""What becomes of a verdict: files first, then what is printed. Nothing here changes it, whatever cannot be written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from checker.cli.json_output import print_json
from model.errors import InputError

if TYPE_CHECKING:
    from model.trace import Counterexample
    from model.verdict import Verdict


NOT_WRITTEN = 2
"""The exit code where all holds, but a file that was asked for could not be written."""


def say(text: str) -> None:
    """A line on standard error."""
    print(f"redwhite: {text}", file=sys.stderr)


def written(path: str, write: Callable[[str], None]) -> bool:
    """Write a file and say so, or why not: a verdict that is known is told all the same. Whether it was written."""
    try:
        write(path)
    except (InputError, OSError, MemoryError, KeyboardInterrupt) as error:
        words = str(error) or ("out of memory" if isinstance(error, MemoryError) else "interrupted")
        say(f"{path} is not written: {words}")
        return False
    say(f"wrote {path}")
    return True


@dataclass(frozen=True, slots=True)
class Output:
    """What is to be shown and written of the verdict."""

    witness: str | None
    trace: str | None
    snapshots: str | None
    html: str | None
    explain: bool
    as_json: bool

    def check(self, topologies: int, name: str) -> None:
        """Refuse, before the search, what could not be written after it."""
        from checker.report.formats import suffix_of, writable
        from model.properties import find_property

        for path in filter(None, (self.trace, self.snapshots, self.html)):
            if topologies > 1:
                raise InputError(f"file {path!r} is for one system, and {name!r} names {topologies}: give {name}#K")
            writable(path)
        if self.trace:
            suffix_of(self.trace)
        if self.witness is not None:
            find_property(self.witness)

    def shown(self, verdict: Verdict) -> Counterexample | None:
        """The trace to show: the witness if it is asked for, else the shortest counterexample, or what was sought."""
        from checker.report.claims import WITNESSES

        if self.witness is None:
            sought = (w for w in verdict.witnesses if w.property not in WITNESSES)
            return verdict.counterexample or next(sought, None)
        from model.properties import find_property
        from model.verdict import COMPLETES, IN_CHANNEL

        found, claim = {w.property: w for w in verdict.witnesses}, find_property(self.witness)
        if claim.sought:
            return found.get(claim.name)
        telling = found.get(IN_CHANNEL) if claim.over_snapshots else None
        return telling or found.get(COMPLETES)

    def write(self, verdict: Verdict) -> bool:
        """Write the files asked for; whether all could be that there is something to write for."""
        from checker.report.formats import write_snapshots, write_trace, write_verdict

        found, done = self.shown(verdict), list[bool]()
        if self.trace and found is None:
            say(f"{self.trace} is not written: there is no {'witness' if self.witness else 'counterexample'}")
        elif self.trace and found is not None:
            done.append(written(self.trace, partial(write_trace, found)))
        if self.snapshots:
            done.append(written(self.snapshots, partial(write_snapshots, verdict)))
        if self.html:
            done.append(written(self.html, partial(write_verdict, verdict)))
        return all(done)

    def print(self, verdict: Verdict) -> None:
        """One system's verdict."""
        found = self.shown(verdict)
        if self.as_json:
            from checker.report.data import counterexample_json, verdict_json

            data = verdict_json(verdict)
            if self.witness:
                data["witness"] = None if found is None else counterexample_json(found)
            print_json(data)
            return
        from checker.report.claims import breaks
        from checker.report.table import render_verdict
        from checker.report.text import Terminal

        terminal = Terminal()
        terminal.say(render_verdict(verdict))
        if found is not None:
            kind = (
                "shortest counterexample" if verdict.is_shortest(found) else "counterexample, perhaps not the shortest"
            )
            title = f"{kind if breaks(found) else 'witness'}: {found.property}"
            terminal.trace(found, title, self.explain)
        elif self.witness:
            judged = self.witness in {p.name for p in verdict.properties}
            own = "no run comes to it" if judged else "it was not judged, name it with --property too"
            terminal.say(f"\nno witness: {own if '.py:' in self.witness else 'no snapshot completes'}")

    def print_many(self, verdicts: list[Verdict], asked: int, name: str) -> None:
        """The verdicts on many systems."""
        from checker.report.many import many_json, render_many

        if self.as_json:
            print_json(many_json(verdicts, asked))
            return
        from checker.report.text import Terminal

        terminal = Terminal()
        terminal.say(render_many(verdicts, asked, name))
        traces = [found for found in map(self.shown, verdicts) if found is not None]
        if traces:
            shortest = min(traces, key=lambda found: len(found.trace))
            terminal.trace(shortest, f"{shortest.property} on {shortest.trace.system.topology.name}", self.explain)
