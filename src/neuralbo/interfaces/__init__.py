"""The fronts: what users of Python, Optuna, BoTorch, Ax and scikit-learn call."""
