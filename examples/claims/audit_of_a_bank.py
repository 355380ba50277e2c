"""What a bank's auditor wants of a recorded state: the books add up, and no branch is seen richer than the whole bank.

redwhite check ring:3 --property examples/claims/audit_of_a_bank.py:books_add_up
redwhite check ring:3 --property examples/claims/audit_of_a_bank.py:richest --relax fifo
"""

from redwhite import on_cut, on_snapshot

UNIT = 1


def total(state):
    """All balances, and what is on its way. A balance as recorded is a number; in a running state it has a name."""
    held = sum(getattr(account, "balance", account) for account in state.machines)
    return held + sum(UNIT * len(content) for content in state.channels)


books_add_up = on_cut("the books add up", lambda s0, sss, s1: total(s0) == total(sss) == total(s1))
richest = on_snapshot("no branch has it all", lambda sss: max(sss.machines) < total(sss))
