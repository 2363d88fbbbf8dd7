"""Our own comparisons."""
