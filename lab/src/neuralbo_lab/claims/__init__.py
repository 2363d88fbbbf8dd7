"""What documents conclude and print, in a form that our runs can answer."""
