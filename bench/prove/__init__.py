"""`make prove`: shows with real processes that are killed that no message is lost, doubled or reordered.

docs/proofs.md says what is proved, and what stands in for a model. `python -m bench.prove --help`.
"""
