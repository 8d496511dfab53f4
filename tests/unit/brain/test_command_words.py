from __future__ import annotations

import os
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.command_words import MAX_COMMAND_CHARS, read_command

_TEXTS = st.text(alphabet="ab-= \t\n;&|()<>'\"\\$`{}*?~#!x1é\u200b\r\0", max_size=60)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("npm test", ("npm", "test")),
        ("  a\tb  ", ("a", "b")),
        ("'a b' \"c d\" e\\ f", ("a b", "c d", "e f")),
        ("g\"i\"t pu'sh'", ("git", "push")),
        ("echo '$(x)' '`y`' '*'", ("echo", "$(x)", "`y`", "*")),
        ('echo "\\$x \\" \\q"', ("echo", '$x " \\q')),
        ("a ''", ("a", "")),
        ("a b#c", ("a", "b#c")),
        ("--x=1 y", ("--x=1", "y")),
    ],
)
def test_a_simple_command_is_read_as_a_shell_reads_it(text: str, words: tuple[str, ...]) -> None:
    assert read_command(text).words == words


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "''", "a; b", "a & b", "a &", "a && b", "a || b", "a | b", "(a)", "{ a; }", "! a",
        "a > b", "a < b", "a 2>&1", "a << E\nE", "a $(b)", "a `b`", "a $x", "a ${x}", "a $1",
        "a $?",        'a "$x"', 'a "$(b)"', "a <(b)", "x=1 a", "x+=1 a", "a\nb", "a\\\nb",
        "a\rb", "a # b", "a *",
        "a?", "[ a ]", "a ~", "a {b,c}", "a $'b'", 'a $"b"', "if a", "time a", "a\0b", "a\u200bb",
        "a\u202eb", "'a", '"a', "a\\", "a)", "(a", "$(a", "${a", "`a", "a \u2028 b",
    ],
)  # fmt: skip
def test_what_needs_a_shell_is_never_simple(text: str) -> None:
    assert read_command(text).words is None
    assert read_command(text).not_simple


@pytest.mark.parametrize(
    "text",
    [
        "x; git push", "(git push)", "x && 'git' push", "$(git push)", "`git push`",
        'x "$(git push)"',        "x ${y:-$(git push)}", "x | git push", "x <(git push)",
        "x\ngit push", "x & git push &",
        "x $(y $(git push))", "x `y \\`git push\\``", "2>f git push", ">f git push", "git >f push",
    ],
)  # fmt: skip
def test_sub_commands_are_found_wherever_they_stand(text: str) -> None:
    assert ("git", "push") in read_command(text).commands


@pytest.mark.skipif(os.name == "nt", reason="there is no sh")
@settings(max_examples=60, deadline=None)
@given(st.lists(_TEXTS, min_size=40, max_size=80))
def test_a_simple_command_means_the_same_to_a_real_shell(texts: list[str]) -> None:
    simple = [text for text in texts if read_command(text).words is not None]
    script = "\n".join(f"set -- {text}\nprintf '%s\\0' \"$@\" ''" for text in simple)

    said = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True, timeout=10)  # noqa: S603 - words alone

    expected = [[*(read_command(text).words or ()), ""] for text in simple]
    assert said.stdout.decode() == "".join(f"{word}\0" for words in expected for word in words)


@pytest.mark.parametrize("piece", ["(", "$(", "`", '"$(', "${", "'", "a;", "\\", "<(", "$(( "])
def test_hostile_lengths_and_depths_end_soon(piece: str) -> None:
    started = time.process_time()

    read_command(piece * (MAX_COMMAND_CHARS // len(piece)))
    found = read_command("a " * MAX_COMMAND_CHARS)

    assert time.process_time() - started < 2
    assert not found.is_parsed
    assert found.words is None
