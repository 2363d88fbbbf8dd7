"""What a surrogate must beat."""
