"""Placeholder: journal."""
