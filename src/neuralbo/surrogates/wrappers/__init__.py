"""Surrogates around others."""
