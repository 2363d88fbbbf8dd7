"""The experiments of the five documents, with their printed tables and what they conclude."""
