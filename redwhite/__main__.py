"""`python -m redwhite`, and the console script `redwhite`: the command."""

from __future__ import annotations

from checker.cli import main

if __name__ == "__main__":
    main()
