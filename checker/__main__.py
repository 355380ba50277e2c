"""`python -m checker` is `redwhite`."""

from checker.cli import main

if __name__ == "__main__":
    main()
