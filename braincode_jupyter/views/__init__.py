"""Placeholder: views."""
