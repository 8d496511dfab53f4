"""Language models behind the port ``ModelClient``.

Purpose: turn a role's chain of model ids into usable candidates (`ModelRegistry`), make single,
isolated calls (`ProviderModels`), and keep the embedded model (`install`, `installed`, `WEIGHTS`).
Scripted stand-ins live here too and are public through ``braincode_jupyter.testing``.

Invariants:

- Only the ids of a chain are tried, in order; why one cannot be used is said, with what to do.
- Every failure of a call is a ``ModelError`` with a reason code. A stream without a finish reason
  and an empty reply are failures.
- A credential is a ``Secret`` from the moment it is found, goes only to the address that it was
  configured for, and is in no message, whatever form a provider sends it back in.
- Importing this package is cheap, since the embedded model's process imports it too:
  ``pydantic_ai`` is imported by `agents` alone, at the first call or by `warm_up` in a thread.
  Nothing is fetched unless `install` is called.

May import ``brain``, ``protocol`` and ``errors``; knows no file of ``~/.braincode``, no notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter import lazy

if TYPE_CHECKING:
    from braincode_jupyter.models.agents import warm_up as warm_up
    from braincode_jupyter.models.client import ProviderModels as ProviderModels
    from braincode_jupyter.models.configured import known_secrets as known_secrets
    from braincode_jupyter.models.configured import load_models as load_models
    from braincode_jupyter.models.registry import ModelRegistry as ModelRegistry
    from braincode_jupyter.models.registry import ProviderStatus as ProviderStatus
    from braincode_jupyter.models.retries import RetryPolicy as RetryPolicy
    from braincode_jupyter.models.retries import Timeouts as Timeouts
    from braincode_jupyter.models.weights import WEIGHTS as WEIGHTS
    from braincode_jupyter.models.weights import Weights as Weights
    from braincode_jupyter.models.weights import install as install
    from braincode_jupyter.models.weights import installed as installed

__all__ = [
    "WEIGHTS",
    "ModelRegistry",
    "ProviderModels",
    "ProviderStatus",
    "RetryPolicy",
    "Timeouts",
    "Weights",
    "install",
    "installed",
    "known_secrets",
    "load_models",
    "warm_up",
]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "agents": ("warm_up",),
        "client": ("ProviderModels",),
        "configured": ("known_secrets", "load_models"),
        "registry": ("ModelRegistry", "ProviderStatus"),
        "retries": ("RetryPolicy", "Timeouts"),
        "weights": ("WEIGHTS", "Weights", "install", "installed"),
    },
)
