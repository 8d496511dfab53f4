"""Placeholder: models."""
