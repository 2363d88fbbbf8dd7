"""The experiments of Hassen and Rish (2021)."""
