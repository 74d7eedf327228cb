"""Temporal workflows, one file each. They import contract and core only: await, perform, decide, move on."""
