"""Placeholder: tools."""
