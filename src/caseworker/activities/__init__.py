"""Activities: the calls that flows make to the store, agents, forges, chats and workspaces. They are thin, idempotent
and take no decisions."""
