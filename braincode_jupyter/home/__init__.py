"""Placeholder: home."""
