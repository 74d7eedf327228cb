"""What an actor does: each checks rights and validity, changes the state, and tells the listeners."""
