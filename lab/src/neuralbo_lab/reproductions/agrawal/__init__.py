"""The experiments of Agrawal (2016)."""
