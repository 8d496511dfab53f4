"""Placeholder: hooks."""
