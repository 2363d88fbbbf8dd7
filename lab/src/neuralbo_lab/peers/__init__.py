"""Optimizers of other packages behind the two calls of the laboratory, one package a file.

A module here imports its package, so it is imported only when one of its optimizers is made.
"""
