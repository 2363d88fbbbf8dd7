"""The experiments of the five publications, with their printed tables and what they conclude."""
