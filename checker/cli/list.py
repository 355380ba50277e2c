"""`redwhite list`: everything that has a name."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Callable
from inspect import getdoc
from typing import Annotated

from checker.cli.arguments import Argument
from model.errors import InputError, like

Names = dict[str, str]


def list_names(
    what: Annotated[
        str | None,
        Argument(
            metavar="WHAT",
            help="topologies, programs, protocols, properties, relaxations, engines, theorems, or one name",
            names=lambda: [*SECTIONS, *(name for section in SECTIONS.values() for name in section())],
        ),
    ] = None,
) -> int:
    """List everything that can be named; of one name, its own page: options, defaults, choices, rules and source."""
    if what is None or what in SECTIONS:
        for number, section in enumerate([what] if what else list(SECTIONS)):
            if what is None:
                print(("\n" if number else "") + section.upper())
            names = SECTIONS[section]()
            width = max(map(len, names), default=0)
            for name, text in names.items():
                print(_fitted(f"{name:<{width}}  {text}".rstrip()))
        return 0
    from checker.cli.name_page import page

    lines = page(what)
    if not lines:
        known = [*SECTIONS, *(name for section in SECTIONS.values() for name in section())]
        raise InputError(
            f"list {what!r}: {like(what, known)}accepted are {', '.join(SECTIONS)}, or a name in one of them"
        )
    print("\n\n".join(_fitted(paragraph) for paragraph in "\n".join(lines).split("\n\n")))
    return 0


def _fitted(paragraph: str) -> str:
    """The lines as they are, or on a narrower terminal over several: below where a line's second column is."""
    columns, lines = shutil.get_terminal_size().columns, [line.rstrip() for line in paragraph.split("\n")]
    if not _on_a_terminal() or max(map(len, lines)) <= columns:
        return "\n".join(lines)
    indents = [found[0] for line in lines if (found := re.match(r" *\S+( \S+)*? {2,}| *", line))]
    if len(set(indents)) == 1 and not indents[0].strip():  # one text
        lines, indents = [indents[0] + " ".join(map(str.strip, lines))], indents[:1]
    return "\n".join(
        textwrap.fill(line, max(columns, len(indent) + 20), subsequent_indent=" " * len(indent), break_on_hyphens=False)
        for line, indent in zip(lines, indents, strict=True)
    )


def _on_a_terminal() -> bool:
    return sys.stdout.isatty()


def _topologies() -> Names:
    from checker.topologies import FORMS

    return {**FORMS, "any:N": "for refute: z3 chooses the channels, so that N = 2..5 machines are strongly connected"}


def _classes(catalogue: dict[str, type]) -> Names:
    from model.catalogue import options_of

    names = {}
    for name, kind in catalogue.items():
        options = ", ".join(_option(*item) for item in options_of(kind).items())
        claim = (getdoc(kind) or "").split("\n")[0]
        names[name] = f"{claim}{f'  [{options}]' if options else ''}"
    names["file.py:Class"] = "one of your own"
    return names


def _option(name: str, parameter: object) -> str:
    default = getattr(parameter, "default", None)
    if default is getattr(parameter, "empty", None) or default is None:
        return f"{name}="
    return f"{name}={str(default).lower() if isinstance(default, bool) else default}"


def _programs() -> Names:
    from model.catalogue import PROGRAMS

    return _classes(dict(PROGRAMS))


def _protocols() -> Names:
    from model.catalogue import PROTOCOLS

    return _classes(dict(PROTOCOLS))


def _properties() -> Names:
    from model.properties import PROPERTIES

    return {name: f"{p.claim}  ({p.source})" for name, p in PROPERTIES.items()}


def _relaxations() -> Names:
    from model.assumptions import RELAXATIONS

    return {name if name == "fifo" else f"{name}:K": text for name, text in RELAXATIONS.items()}


def _engines() -> Names:
    from checker.engines import ENGINES

    return {
        name: entry.does + (f"  [takes {', '.join(sorted(entry.extras))}]" if entry.extras else "")
        for name, entry in ENGINES.items()
    }


def _theorems() -> Names:
    from proofs.command import theorems

    return theorems()


SECTIONS: dict[str, Callable[[], Names]] = {
    "topologies": _topologies,
    "programs": _programs,
    "protocols": _protocols,
    "properties": _properties,
    "relaxations": _relaxations,
    "engines": _engines,
    "theorems": _theorems,
}
