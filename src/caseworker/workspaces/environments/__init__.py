"""The environments of repositories: built once per base commit's manifests, kept in a cache, mounted read-only."""
