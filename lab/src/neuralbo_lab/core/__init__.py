"""What a study is, how it is run, kept, reported and run again."""
