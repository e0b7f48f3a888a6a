"""Cleaning text for an encoder by named steps that keep every character's place in the original."""
