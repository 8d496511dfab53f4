"""Typed packets, records and ports: the words that all other packages share.

Invariants: packets and records are frozen, write camelCase keys and no unknown ones, and skip
unknown keys on reading; an absent value is an absent key. Ids and times are passed in. Knows
pydantic and nothing else; imports ``errors`` alone.
"""
