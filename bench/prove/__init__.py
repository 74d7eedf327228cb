"""`make prove`: that nothing people say is lost, doubled or reordered, shown with real processes that are killed.

What is proved, and what stands in for a model, is in docs/proofs.md. `python -m bench.prove --help`.
"""
