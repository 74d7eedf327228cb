"""Temporal workflows, one file each. They import contract and core only, and contain no rules."""
