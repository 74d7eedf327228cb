"""Generates the pages of docs/ that describe the code, so that they can't contradict it."""
