"""What the library refuses, and how it says so."""


class InputError(ValueError):
    """Bad input: one line that shows the offending value and what is accepted.

    The command line prints it and exits with code 2; nothing else is raised for a user's mistake.
    """
