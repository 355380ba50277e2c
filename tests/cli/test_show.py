"""`show`: a trace is data from anywhere: what it names is not run unasked, what it claims is judged anew."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_process import SCRIPT

EVIL = """
from pathlib import Path
from model.programs.transfer import Transfer
from model.protocols.marker import Marker

Path(__file__).with_name("ran").touch()


class Own(Transfer):
    pass


class Kept(Marker):
    pass
"""


@pytest.mark.parametrize("option", ["--program=own.py:Own", "--protocol=own.py:Kept"])
def test_code_that_a_trace_names_is_run_only_when_trusted(
    redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    (tmp_path / "own.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    redwhite("check", "ring:2", option, "--relax", "fifo", "--trace", "t.json")
    (tmp_path / "ran").unlink()
    (tmp_path / "own.py").write_text(f"{EVIL}\nCHANGED = True\n")
    refused = redwhite("show", "t.json")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert str(tmp_path / "own.py") in refused.err and "--trust" in refused.err
    assert not (tmp_path / "ran").exists()
    assert redwhite("show", "t.json", "--trust").code == 0
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(("answer", "runs"), [("y", True), ("", False), ("no", False)])
def test_on_a_terminal_it_is_asked(tmp_path: Path, answer: str, runs: bool) -> None:
    (tmp_path / "own.py").write_text(EVIL)
    words = ["check", "ring:2", "--program", "own.py:Own", "--relax", "fifo", "--trace", "t.json"]
    subprocess.run([SCRIPT, *words], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    (tmp_path / "ran").unlink()
    person, terminal = pty.openpty()
    process = subprocess.Popen(
        [SCRIPT, "show", "t.json"], cwd=tmp_path, stdin=terminal, stderr=terminal, stdout=subprocess.PIPE, text=True
    )
    os.close(terminal)
    asked = b""
    while not asked.endswith(b"[y/N] "):
        asked += os.read(person, 1000)
    assert str(tmp_path / "own.py").encode() in asked
    os.write(person, f"{answer}\n".encode())
    out, _ = process.communicate(timeout=60)
    os.close(person)
    assert (process.returncode, bool(out), (tmp_path / "ran").exists()) == (
        (0, True, True) if runs else (2, False, False)
    )


def test_a_claim_that_the_run_does_not_show_is_refused(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    redwhite("check", "ring:3", "--relax", "fifo", "--trace", str(path))
    data = json.loads(path.read_text())
    data["actions"].pop()
    data["length"] -= 1
    path.write_text(json.dumps(data))
    ran = redwhite("show", str(path), "--svg", str(tmp_path / "t.svg"))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "does not break no-red-in-white" in ran.err and not (tmp_path / "t.svg").exists()


def test_a_figure_for_a_paper(redwhite: Command, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    pypdf = pytest.importorskip("pypdf")
    trace, figure, same = (tmp_path / name for name in ("t.json", "figure.pdf", "same.pdf"))
    redwhite("check", "ring:3", "--relax", "fifo", "--trace", str(trace))
    assert redwhite("check", "ring:3", "--relax", "fifo", "--trace", str(figure)).code == 1
    assert redwhite("show", str(trace), "--pdf", str(same)).err == f"redwhite: wrote {same}\n"
    (page,) = pypdf.PdfReader(figure).pages
    (again,) = pypdf.PdfReader(same).pages
    text = page.extract_text()
    assert again.extract_text() == text and {"P0", "P1", "P2", "cut", "S0"} <= set(text.split())
    assert "what breaks it" not in text and "no-red-in-white" not in text, "a paper has its own caption"
    assert len(page.images) == 0 and page.mediabox.height < 400
    fonts = [font.get_object()["/DescendantFonts"][0] for font in page["/Resources"]["/Font"].values()]
    assert fonts and all("/FontFile2" in font["/FontDescriptor"] for font in fonts), "letters go with the file"


def test_a_bare_picture_has_no_caption_no_legend_and_no_dark_form(redwhite: Command, tmp_path: Path) -> None:
    trace, full, bare = (tmp_path / name for name in ("t.json", "full.svg", "bare.svg"))
    redwhite("check", "ring:3", "--relax", "fifo", "--trace", str(trace))
    assert redwhite("show", str(trace), "--svg", str(full)).code == 0
    ran = redwhite("show", str(trace), "--bare", "--svg", str(bare))
    assert ran.code == 0 and ran.err == f"redwhite: wrote {bare}\n"
    with_all, without = full.read_text(), bare.read_text()
    for words in ("prefers-color-scheme", "what breaks it", 'class="caption"'):
        assert words in with_all and words not in without
    assert without.count("data-event") == with_all.count("data-event") == 3
