"""What flows and activities agree on: names, queues, wire types, typed activity signatures. No behaviour."""
