"""Language models behind one port.

Purpose: turn a role's chain of model ids into usable candidates and make single, isolated calls.
Scripted stand-ins live here too and are public through `braincode_jupyter.testing`.
"""
