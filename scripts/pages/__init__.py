"""Pages of docs/ that are generated from the code, so that they can't say anything else than it does."""
