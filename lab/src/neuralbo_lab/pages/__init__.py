"""Pages of results: one HTML file each, with its figures in it."""
