"""Local transition tables: what machines do, asked of Python once and stored as integers."""
