"""The till of a small web shop."""
