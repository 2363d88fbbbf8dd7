"""Networks that are trained: ensembles, dropout, NOMU, Laplace, neural-linear."""
