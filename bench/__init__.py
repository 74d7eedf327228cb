"""Measurements of Caseworker, printed beside their targets. Nothing here asserts a time: see `python -m bench --help`."""
