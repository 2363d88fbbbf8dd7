"""Mixtures and sum-product networks of (x, y)."""
