"""What a flow asks of the world: thin, idempotent, given the ports. No decision is taken here."""
