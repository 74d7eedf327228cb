"""Measures Caseworker and prints the results beside their targets; no time is asserted. `python -m bench --help`."""
