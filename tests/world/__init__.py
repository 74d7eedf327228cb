"""The test language: what people do, what time does, what we expect. Real Temporal, store, git and sandbox."""
