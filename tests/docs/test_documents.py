"""What the documents show is what happens: every command in every page is run again."""

from __future__ import annotations

import doctest
import html.parser
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urldefrag

import pytest

from checker.cli.app import VERBS
from checker.cli.arguments import describe, parser
from tests.cli.conftest import ROOT


def made(name: str) -> ModuleType:
    """A module of the folder in which the documents are made."""
    found = importlib.util.spec_from_file_location(f"making_{name}", ROOT / "docs" / "making" / f"{name}.py")
    assert found is not None and found.loader is not None
    module = sys.modules[found.name] = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


transcripts = made("transcripts")
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.ci] if "docs" in page.parts else []) for page in transcripts.pages()],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_every_command_of_a_page_says_what_the_page_shows(page: Path) -> None:
    played = transcripts.play(page)
    assert played.text == page.read_text(encoding="utf-8"), f"python docs/making/transcripts.py {page}, and look at it"
    assert {name: (transcripts.PICTURES / name).read_bytes() for name in played.pictures} == played.pictures


def plain_commands() -> list[str]:
    """The commands that stand in a page without their output."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for line in re.findall(r"^    (redwhite [^`\n]*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            found += [part.strip() for part in line.partition("#")[0].split("&&")]
    return sorted(set(found))


@pytest.mark.parametrize("command", plain_commands())
def test_a_command_without_its_output_is_understood(command: str) -> None:
    _, verb, *words = shlex.split(command)
    argument_parser = parser(verb)
    describe(argument_parser, VERBS[verb].function())
    argument_parser.parse_intermixed_args(words)


def test_every_picture_has_a_page_that_draws_it() -> None:
    drawn = {
        name
        for page in transcripts.pages()
        for name in re.findall(r"(?:--trace|--svg) (\S+\.svg)", page.read_text("utf-8"))
    }
    assert {path.name for path in transcripts.PICTURES.iterdir()} <= drawn | {"page.png"}


@pytest.mark.parametrize(
    ("shown", "now", "alike"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "b\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nb\n", False),
        ("a\n...", "a\nb\nc\n", True),
        ("it took 1.2 s, 50 MB", "it took 3 s, 7 MB", True),
        ("298 states", "299 states", False),
        ("a.b", "axb", False),
    ],
)
def test_what_counts_as_the_same_output(shown: str, now: str, alike: bool) -> None:
    assert transcripts.same(shown, now) is alike


def test_the_python_of_the_pages() -> None:
    results = doctest.testfile(str(ROOT / "docs" / "howto" / "python.md"), module_relative=False, verbose=False)
    assert results.attempted > 5 and results.failed == 0


def test_the_readme_is_a_screen_or_two_and_names_every_verb() -> None:
    assert len(README.splitlines()) <= 100
    assert {verb for verb in VERBS if f"`{verb}" not in README} == set()


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


class _Page(html.parser.HTMLParser):
    """What a built page links to, loads, and has as anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given["id"] or ""} if "id" in given else set()
        if tag == "a" and given.get("href"):
            self.links.add(given["href"] or "")
        elif given.get("src") or (tag == "link" and given.get("rel") != "canonical"):
            self.loads.add(given.get("src") or given.get("href") or "")


@pytest.mark.ci
def test_the_site_builds_every_link_in_it_resolves_and_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(words, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = {
        path: _Page(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html") if path.name != "404.html"
    }
    assert len(pages) > 40
    for path, page in pages.items():
        assert not [load for load in page.loads if re.match(r"(https?:)?//", load)], path
        for link in page.links:
            if re.match(r"https?:|mailto:", link):
                continue
            target, anchor = urldefrag(unquote(link))
            found = (path.parent / target).resolve() if target not in ("", ".") else path
            found = found / "index.html" if found.is_dir() else found
            assert found.exists(), f"{path.name} links to {link}"
            if anchor and found in pages:
                assert anchor in pages[found].anchors, f"{path.name} links to {link}"


def test_every_name_has_a_page_in_the_reference() -> None:
    reference = made("reference")
    for section, names in reference.SECTIONS.items():
        text = reference.section_page(section, names)
        assert all(f"## `{name}`" in text for name in names())
    assert "redwhite check ring:3 --protocol marker" in reference.section_page(
        "protocols", reference.SECTIONS["protocols"]
    )
    assert "usage: redwhite sweep" in reference.command_page()
