"""Pure decisions and people-facing text: standard library and pydantic only; no await, clock, I/O or Temporal."""
