"""The symbolic engine: z3 looks for counterexamples, step by step deeper; channels may be unknowns too."""
