"""Takes messages from every surface: parses, commits, then rings the case's bell. It never calls a model or imports
flows."""
