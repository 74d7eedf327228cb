"""How long tests wait for something that must happen."""

PATIENCE = 120.0
"""Seconds until a test calls a step stuck. It is generous, since on a busy machine a step can take twenty times as long
as usual; a passing test never waits that long."""

LOOK = 0.1
"""Seconds between two looks at a case. Each look reads it from the database, and many tests look at the same time."""
