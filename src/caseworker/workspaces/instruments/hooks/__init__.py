"""Programs that instruments run inside the sandbox. They are read as text, and never imported here."""
