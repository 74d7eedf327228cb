"""How long tests wait for something that must happen."""

PATIENCE = 120.0
"""Seconds until a test calls a step stuck. It is generous, since on a busy machine a step can take twenty times as long
as usual; a passing test never waits that long."""
