from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.errors import UsageError
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.sections import ModelCall

# The code must not be looked at as anything but text.
FIRST = 'ran = True\n%time print(f"{ran} $HOME")\n!ls'
ANSWER = f"""Try this:

```python
{FIRST}
```

- or, in a list:

  ```
  listed = 1
  ```

```sql
select 1
```

```py
```
"""


@pytest.fixture
def answer(shell: Any) -> Callable[[str], str]:  # noqa: ANN401 - IPython has no complete types
    """Run a cell that is answered so; give the id of its session."""

    def answer_(text: str) -> str:
        def script(call: ModelCall) -> Reply | None:
            return Reply(text=text) if call.call_kind == "primary" else None

        use_models(ScriptedModel(script))
        shell.run_cell("%%braincode --roles librarian --no-review\nShow me code.").raise_error()
        return shell.user_ns["_braincode"].session_id

    return answer_


def insert(shell: Any, rest: str = "") -> str | None:  # noqa: ANN401 - as above
    shell.rl_next_input = None
    shell.run_cell(f"%braincode insert {rest}").raise_error()
    return shell.rl_next_input


def test_code_of_the_newest_answer_is_offered_as_it_is_and_not_run(
    shell: Any,  # noqa: ANN401 - as above
    answer: Callable[[str], str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer(ANSWER)

    assert insert(shell) == FIRST
    assert "ran" not in shell.user_ns
    assert "Code block 1 of 4 is in the next cell. It was not run." in capsys.readouterr().out


def test_a_session_and_a_number_choose_the_block(
    shell: Any,  # noqa: ANN401 - as above
    answer: Callable[[str], str],
) -> None:
    first = answer(ANSWER)
    answer("```python\nnewest = 1\n```")

    assert insert(shell) == "newest = 1"
    assert insert(shell, "1") == "newest = 1"
    assert insert(shell, f"{first[:8]} 2") == "listed = 1"
    assert insert(shell, f"@@{first}") == FIRST


@pytest.mark.parametrize(
    ("rest", "said", "hint"),
    [
        ("3", "Code block 3 is sql, which no cell here runs.", "a cell: 1, 2."),
        ("4", "Code block 4 is empty.", "a cell: 1, 2."),
        ("5", "No code block of the answer is called '5'.", "1, 2, 3, 4"),
        ("0", "No code block of the answer is called '0'.", "1, 2, 3, 4"),
        ("one two", "That is more than a session and a number.", "%braincode insert"),
        ("ffffffff", "No session starts with 'ffffffff'.", "%braincode sessions"),
        ("12345678", "No session starts with '12345678'.", "%braincode sessions"),
    ],
)
def test_what_is_no_cell_is_told_and_nothing_is_offered(
    *,
    shell: Any,  # noqa: ANN401 - as above
    answer: Callable[[str], str],
    rest: str,
    said: str,
    hint: str,
) -> None:
    answer(ANSWER)

    with pytest.raises(UsageError) as raised:
        insert(shell, rest)

    assert said in str(raised.value)
    assert hint in raised.value.hint
    assert shell.rl_next_input is None


@pytest.mark.parametrize("text", ["No code here.", "```sql\nselect 1\n```"])
def test_an_answer_without_code_for_a_cell_is_told(
    shell: Any,  # noqa: ANN401 - as above
    answer: Callable[[str], str],
    text: str,
) -> None:
    session_id = answer(text)

    with pytest.raises(UsageError, match="has no code for a cell") as raised:
        insert(shell)

    assert raised.value.hint == f"%braincode show {session_id[:8]} shows it."
