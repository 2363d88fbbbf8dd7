"""Random features with a Bayesian last layer."""
