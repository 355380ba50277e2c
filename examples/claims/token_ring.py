"""A token goes round a ring: on every weakly fair run whoever waits gets it, and it is never in two places.

redwhite check ring:3 --program token \
    --property examples/claims/token_ring.py:served --property examples/claims/token_ring.py:single
"""

from redwhite import always, leads_to, sometimes

LAST = -1


def has_token(view, machine):
    """Whether it holds the token; the program `token` says so in the machine's state."""
    return view.machines[machine].holds


def tokens(view):
    """How many there are."""
    return sum(machine.holds for machine in view.machines) + sum(map(len, view.channels))


served = leads_to("whoever waits gets the token", lambda v: not has_token(v, LAST), lambda v: has_token(v, LAST))
single = always("there is one token", lambda view: tokens(view) == 1)
recorded = sometimes("the last machine records the token", lambda v: v.recorded[LAST] and v.recorded[LAST].holds)
