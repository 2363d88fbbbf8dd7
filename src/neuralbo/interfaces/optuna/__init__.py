"""neuralbo inside Optuna: the sampler, its trials, and the workers of a study."""
