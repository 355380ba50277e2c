"""The reference pages that are made from the code itself, when the site is built: mkdocs calls `on_files`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

from checker.cli.app import VERBS, run
from checker.cli.list import SECTIONS
from checker.cli.name_page import page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ABOUT = {
    "topologies": "A topology is a directed graph of machines and channels. Where several are named, all are checked.",
    "programs": "A program is the underlying computation. Options follow its name: `--program transfer,b=1,s=2`.",
    "protocols": "A protocol is a snapshot algorithm, superposed on a program: `--protocol barrier,align=false`.",
    "properties": "A property is a claim; without `--property` all that apply are judged.",
    "relaxations": "A relaxation drops an assumption: `--relax fifo,loss:1`.",
    "engines": "An engine is a way to search: `--engine native`.",
    "theorems": "A theorem holds for every number of machines: `redwhite prove NAME`.",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each section of `redwhite list`, and one for the command line."""
    from mkdocs.structure.files import File

    for section, names in SECTIONS.items():
        files.append(File.generated(config, f"reference/{section}.md", content=section_page(section, names)))
    files.append(File.generated(config, "reference/command-line.md", content=command_page()))
    return files


def section_page(section: str, names: Callable[[], dict[str, str]]) -> str:
    """What `redwhite list SECTION` lists, and of each name what `redwhite list NAME` says."""
    listed = names()
    lines = [f"# {section.capitalize()}", "", ABOUT[section], ""]
    for name, text in listed.items():
        own = page(name)
        anchor = f" {{ #{name} }}" if name.replace("-", "").isalnum() else ""
        lines += ["", f"## `{name}`{anchor}", "", *(["```text", *own[2:], "```"] if own else [_escaped(text)])]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*").replace("_", "\\_")


def command_page() -> str:
    """The help of every verb."""
    return "\n".join(["# The command line", "", *_helps()]) + "\n"


def _helps() -> Iterator[str]:
    os.environ["COLUMNS"] = "100"
    for name in VERBS:
        with redirect_stdout(StringIO()) as told:
            run([name, "--help"])
        yield from ("", f"## `redwhite {name}` {{ #{name} }}", "", "```text", told.getvalue().rstrip(), "```")
