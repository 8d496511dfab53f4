"""Placeholder: notebook."""
