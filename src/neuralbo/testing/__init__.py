"""Checks that any surrogate, criterion, maximizer, policy or space can inherit."""
