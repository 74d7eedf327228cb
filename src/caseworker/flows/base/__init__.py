"""Base classes of the workflows."""
