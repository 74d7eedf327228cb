"""The web page of our own GitHub: small and plain, for people who watch a demo and take part in it."""
