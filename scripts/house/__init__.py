"""Measures the source tree and prints the numbers beside their aims. `python -m scripts.house --help`."""
