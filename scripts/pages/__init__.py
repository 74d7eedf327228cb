"""Generates those pages of docs/ that describe tables and models of the code."""
