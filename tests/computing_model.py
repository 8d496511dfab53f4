"""A model in a notebook whose analyst asks for code to be run, and says what it printed."""

from __future__ import annotations

CODE = "print(sum(numbers) * 7919)"
RESULT = "47514"
ASK = "%%braincode --roles librarian,analyst --no-review\nSum them up, times 7919. @var:numbers"
# The cell that sets it up.
COMPUTE = f"""
def compute(call):
    if call.role != 'analyst':
        return None
    wanted = ('run_python', {{'code': {CODE!r}}})
    return Reply(text='', tool_calls=(wanted,), then=lambda got: got[0].text)
use_models(ScriptedModel(compute))
numbers = [1, 2, 3]
"""
