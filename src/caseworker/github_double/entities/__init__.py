"""What GitHub holds: plain mutable records, changed only by `acts`."""
