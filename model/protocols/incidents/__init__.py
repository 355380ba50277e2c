"""Failures of production systems as small models: each a protocol with `fixed=false` (as it was) and `fixed=true`.

Most are `unaligned` checkpoints with one rule changed. `checker.gallery` tells their stories and runs them.
"""
