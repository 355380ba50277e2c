"""Redwhite in the browser, without a server: one static folder, whose links hold a whole system and its check."""
