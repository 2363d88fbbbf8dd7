"""Classifiers that estimate the ratio of two densities."""
