"""What a terminal shows: `neuralbo run`, progress bars and the live view."""
