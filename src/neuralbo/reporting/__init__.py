"""What a study says: its analysis, the HTML page, plots."""
