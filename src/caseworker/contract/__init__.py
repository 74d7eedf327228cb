"""What flows and activities agree on: names, queues, wire types, activity signatures. Contains no behaviour."""
