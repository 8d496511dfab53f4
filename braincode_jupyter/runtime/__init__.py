"""Placeholder: runtime."""
