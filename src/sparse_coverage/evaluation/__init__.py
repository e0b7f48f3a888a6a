"""Runs and judgements in, measures out."""
