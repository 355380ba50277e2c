"""Random runs of systems too large to exhaust, and their shrinking."""
