"""The experiments of Kruse (2022)."""
