"""Lies that a model may tell in its turns, played in whole issue cases. Code has to catch each of them."""
