"""Where branches and pull requests live: a repository on this disk, or GitHub. Nothing here merges."""
