"""Pages and API for people and programs in a browser. Reads through views; writes only messages, through intake."""
