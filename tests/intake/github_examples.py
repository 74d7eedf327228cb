"""The webhook bodies that GitHub's own project has recorded, installed with the development packages."""

import json
from pathlib import Path

RECORDED = Path(__file__).parents[2] / ".venv" / "github-data" / "webhook-examples" / "index.json"


def recorded_bodies() -> list[tuple[str, dict[str, object]]]:
    """The name of each event, and its body."""
    if not RECORDED.exists():
        raise AssertionError(f"The recorded webhook bodies are not at {RECORDED}. Run: make .venv/.ready-dev")
    return [(event["name"], body) for event in json.loads(RECORDED.read_text()) for body in event["examples"]]
