"""What the pages show is what happens: every command in them is run, and its output and its pictures compared.

    python docs/making/transcripts.py README.md docs/tutorial/*.md     # writes the outputs and pictures of today

In a page a fenced block `console` holds commands, each after a dollar, and what they print; a line `...` there stands
for any lines. A block ```python title="FILE" is written to that file before the commands that follow. All commands of
a page run in one folder of its own, where the project's examples, experiments and tests are at hand. A picture that a
command writes (`--trace NAME.svg`, `--svg NAME.svg`) and that the page shows from `pictures/` is compared as well.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
COMMANDS = Path(sys.executable).parent
COLUMNS = "120"
AT_HAND = ("examples", "experiments", "tests", "redwhite", "model", "checker", "proofs")

BLOCK = re.compile(
    r'^```(?P<kind>\w+)(?: title="(?P<file>[\w.]+)")?[^\n]*\n(?P<body>.*?)^```$', re.DOTALL | re.MULTILINE
)


@dataclass(slots=True)
class Played:
    """A page after its commands were run: its text with the outputs of today, and the pictures that were drawn."""

    text: str
    pictures: dict[str, bytes] = field(default_factory=dict)


def pages() -> list[Path]:
    """Every page that shows a command with its output."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if "```console" in page.read_text(encoding="utf-8")]


def play(page: Path) -> Played:
    """Run a page's commands in order, in a new folder."""
    text = page.read_text(encoding="utf-8")
    played, end = Played(""), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for known in AT_HAND:
            (folder / known).symlink_to(ROOT / known)
        for block in BLOCK.finditer(text):
            if block["file"]:
                (folder / block["file"]).write_text(block["body"], encoding="utf-8")
            if block["kind"] == "console":
                played.text += text[end : block.start("body")] + _console(block["body"], folder)
                end = block.end("body")
        shown = re.findall(r"pictures/([\w.-]+\.svg)", text)
        played.pictures = {shot: (folder / shot).read_bytes() for shot in shown if (folder / shot).exists()}
    played.text += text[end:]
    return played


def _console(body: str, folder: Path) -> str:
    parts = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        now = _run(command, folder)
        parts.append(f"$ {command}\n{output if same(output, now) else now}")
    return "".join(parts)


def _run(command: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{COMMANDS}:{os.environ['PATH']}",
        "COLUMNS": COLUMNS,
        "PYTHONPATH": str(ROOT),
    }
    ran = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )
    return ran.stdout or ran.stderr


def same(shown: str, now: str) -> bool:
    """Whether the output shown is that of now, up to what differs from run to run, and to what `...` leaves out."""
    pattern = re.escape(lasting(shown)).replace(r"\.\.\.", "\0")
    pattern = re.sub(r"^\0\n", "(?:.*\n)*?", pattern.replace("\\\n", "\n"), flags=re.MULTILINE)
    pattern = re.sub(r"^\0$", "(?:.*\n?)*", pattern, flags=re.MULTILINE).replace("\0", r"\.\.\.")
    return re.fullmatch(pattern, lasting(now)) is not None


def lasting(output: str) -> str:
    """The output without what differs from run to run: seconds, megabytes, and which engine suited."""
    output = re.sub(r"^engine .*$", "engine", output, flags=re.MULTILINE)
    return re.sub(r"[\d.]+ (s|MB)\b", r"# \1", output).rstrip()


def main(names: list[str]) -> None:
    """Bring these pages up to date."""
    for name in names:
        page = Path(name).resolve()
        played = play(page)
        if played.text != page.read_text(encoding="utf-8"):
            page.write_text(played.text, encoding="utf-8")
            print(f"{name}: outputs changed, look at them")
        for shot, drawn in played.pictures.items():
            (PICTURES / shot).write_bytes(drawn)


if __name__ == "__main__":
    main(sys.argv[1:])
