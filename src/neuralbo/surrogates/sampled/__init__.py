"""Networks whose weights are drawn: Markov chains and implicit variational networks."""
