"""Measurements of Caseworker, printed beside their targets; no time is asserted. `python -m bench --help`."""
