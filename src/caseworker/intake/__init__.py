"""From bytes to a committed message and a rung bell. Never calls a model, never imports flows."""
