"""Placeholder: brain."""
