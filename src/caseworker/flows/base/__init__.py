"""What the workflows of all kinds share."""
