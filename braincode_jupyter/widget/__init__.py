"""Placeholder: widget."""
