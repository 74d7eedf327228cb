"""Pure decisions and the words for them: standard library and pydantic only; no await, clock, I/O or Temporal."""
