"""Sampling and optimization of weights: pure steps, state in, state and info out."""
