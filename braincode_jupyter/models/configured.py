"""The one call by which a run gets its models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from braincode_jupyter.models.client import ProviderModels
from braincode_jupyter.models.registry import ModelRegistry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.models.redaction import Redactor


def load_models(
    models: Sequence[Mapping[str, JsonValue]] = (),
    auth: Mapping[str, JsonValue] | None = None,
    environ: Mapping[str, str] | None = None,
) -> ProviderModels:
    """Make the client of the configured models; cheap, so make one for each run.

    Parameters
    ----------
    models : sequence of mapping
        The ``models`` of `models.json`; empty means the built-in defaults.
    auth : mapping or None
        The ``providers`` of `auth.json`, or the whole document.
    environ : mapping or None
        The environment; None: that of this process.

    Returns
    -------
    ProviderModels
        The client. Loads no model library before its first call.
    """
    registry = ModelRegistry(
        models=models, auth=auth, environ=os.environ if environ is None else environ
    )
    return ProviderModels(registry)


def known_secrets(
    models: Sequence[Mapping[str, JsonValue]],
    auth: Mapping[str, JsonValue],
    environ: Mapping[str, str],
) -> Redactor:
    """Return what takes the configured keys out of texts, whoever answers.

    Parameters
    ----------
    models, auth, environ
        As in `load_models`.

    Returns
    -------
    Redactor
        Knows the keys, headers and addresses of all providers.
    """
    return ModelRegistry(models=models, auth=auth, environ=environ).redactor
