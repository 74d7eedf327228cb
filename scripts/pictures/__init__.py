"""Pictures of the GitHub demo for the docs, made by a real browser from a real run."""
