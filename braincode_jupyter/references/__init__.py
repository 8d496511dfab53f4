"""Placeholder: references."""
