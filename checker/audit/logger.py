"""A small logger for one's own code."""


class Log:
    pass
