"""One suggestion: the engine, what it may look at, its time limit and its threads."""
