"""What is made when the site is built: reference pages from the code itself, and pages to step through runs.

mkdocs calls `on_files`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from checker.cli.app import VERBS, run
from checker.cli.list import SECTIONS
from checker.cli.name_page import page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[2]
ANIMATIONS = {
    "snapshot": "check ring:3 --witness reachable --trace FILE",
    "kuper": "show examples/kuper.json --html FILE",
    "unguarded": "check ring:3 --protocol magic,guard=false --property equivalent --trace FILE",
    "overtaken": "check ring:3 --relax fifo --property no-red-in-white --trace FILE",
    "keep-recording": "check complete:3 --protocol keep-recording --property channel-exact --trace FILE",
    "observer": "check biring:2 --protocol observer,literal=true --property reachable --trace FILE",
    "unaligned": "check vee --program dataflow,records=1 --protocol barrier,align=false --property exactly-once"
    " --trace FILE",
}
"""Pages to step through a run that other pages show: what makes each."""

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
    for name, words in ANIMATIONS.items():
        files.append(File.generated(config, f"animations/{name}.html", content=animation(words)))
    return files


def animation(words: str) -> str:
    """The page to step through a run that a command writes; FILE stands for where it writes it."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        page = Path(folder) / "page.html"
        run([str(page) if word == "FILE" else str(ROOT / word) if "/" in word else word for word in words.split()])
        return page.read_text(encoding="utf-8")


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
