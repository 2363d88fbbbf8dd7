"""The experiments of Högger (2021)."""
