"""Problems, measurements and comparisons with peers."""
