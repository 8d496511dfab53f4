"""Typed packets, records and ports: the words that all other packages share.

A *packet* crosses the border between Brain and agent (``contexts``, ``plan``, ``review``, wrapped
in the envelope of ``message``). A *record* is a fact in the journal, one line each (``records`` is
the door; ``run_records``, ``work_records``, ``call_records``, ``change_records`` and others hold
them by subject). A *section* is a labelled piece of a prompt (``sections``). A *port* is what the
runtime needs from outside (``ports``).

Invariants
    Packets and records are frozen, write camelCase keys and no unknown ones, and skip unknown keys
    on reading; an absent value is an absent key. Ids and times are passed in, never made here.
    What does not fit a known record is kept as an `OpaqueRecord`, never dropped.

Knows pydantic and nothing else; imports ``errors`` alone.
"""
