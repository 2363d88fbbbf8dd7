"""The experiments of Aryan (2020)."""
