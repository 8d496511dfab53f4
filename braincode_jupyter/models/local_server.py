"""The child process that runs the embedded model.

Run with ``python -m braincode_jupyter.models.local_server``. One line of JSON with path and key
comes over standard input, not over arguments or environment, where other processes could read it;
one line of JSON with the address goes to standard output. The server listens on the loopback
address alone, asks for the key, and ends when standard input ends, so it cannot outlive the kernel.

Imports the standard library only, until the engine is loaded.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any

PROMPT_CACHE_MIB = 256
"""Memory for prompts that begin alike; the engine's default of 8 GiB is more than a laptop has."""


def main() -> None:
    """Serve until standard input ends."""
    settings = json.loads(sys.stdin.readline())
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    params.model_alias = {settings["alias"]}
    params.ui, params.offline, params.endpoint_slots, params.verbosity = False, True, False, 0
    params.cors_origins, params.cache_ram_mib = "http://127.0.0.1", PROMPT_CACHE_MIB
    server = xllamacpp.Server(params)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    # The engine's own threads don't end by themselves.
    os._exit(0)


if __name__ == "__main__":
    main()
