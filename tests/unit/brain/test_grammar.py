from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from braincode_jupyter.brain.grammar import (
    MAX_TARGET_CHARS,
    Reference,
    format_reference,
    parse_references,
)

PIECES = st.sampled_from([
    "@", "@@", "@cell:", "@out:", "@var:", '"', "\\", "`", "```", "~~~", "\n", " ", "\u3000",
    "\ufeff", "\x85", "a", "x.txt", "[3]", "!rows", "数据", "。", "'s", ")", "(", ".", ",", "image",
    "\ud83d",
])  # fmt: skip
PROMPTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


def tokens(prompt: str) -> list[str]:
    return [reference.token for reference in parse_references(prompt)]


def only(prompt: str) -> Reference:
    (reference,) = parse_references(prompt)
    return reference


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\u3000", "\u00a0", "\ufeff", "\u2028"])
def test_whitespace_of_the_original_separates_tokens(blank: str) -> None:
    assert tokens(f"@a{blank}@b") == ["@a", "@b"]


@pytest.mark.parametrize("other", ["\x85", "\x1c", "\u200b"])
def test_other_control_characters_are_no_boundary(other: str) -> None:
    assert tokens(f"{other}@x") == []


@pytest.mark.parametrize(
    "prompt",
    [
        "user@example.com",
        "(@x)",
        "\\@x",
        '"@x"',
        "a@@b",
        "@@@x",
        "@@",
        "@",
        "@ x",
        "",
        "@..",
        '@""',
    ],
)
def test_text_that_holds_no_token(prompt: str) -> None:
    assert tokens(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("@a@b", ["@a"]),
        ("@@a@b c", ["@@a"]),
        ("@@s1 @@s1", ["@@s1"]),
        ("@a @./a @@a", ["@a", "@./a", "@@a"]),
        ("@b @a @b", ["@b", "@a"]),
    ],
)
def test_tokens_of_the_original(prompt: str, expected: list[str]) -> None:
    assert tokens(prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "target"),
    [
        ("@a,", "a"),
        ("see @docs/a.md.", "docs/a.md"),
        ("@a.txt)", "a.txt"),
        ("@report(1).txt", "report(1).txt"),
        ("@report(1)", "report(1)"),
        ("@.env.", ".env"),
        ("@a.txt**", "a.txt"),
        ("@a.txt's", "a.txt"),
        ("@a.txt…", "a.txt"),
        ("@docs/", "docs/"),
        ("@../x", "../x"),
        ("@a.txt?!", "a.txt"),
    ],
)
def test_sentence_punctuation_is_not_part_of_a_token(prompt: str, target: str) -> None:
    assert only(prompt).target == target


@pytest.mark.parametrize(
    ("prompt", "target"),
    [
        ("看 @data.csv的内容", "data.csv"),
        ("看 @数据.csv的内容", "数据.csv"),
        ("看 @数据.csv\uff0c谢谢", "数据.csv"),
        ("@数据", "数据"),
        ("@src/数据.csv", "src/数据.csv"),
        ("@data.csv를 보고", "data.csv"),
        ("@a.txt\uff08重要\uff09", "a.txt"),
        ("@var:sales的平均", "sales"),
        ("@var:数据", "数据"),
        ("@cell:[3]の出力", "[3]"),
        ("@@s1。", "s1"),
    ],
)
def test_cjk_text_behind_a_token_is_not_part_of_it(prompt: str, target: str) -> None:
    assert only(prompt).target == target


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("@docs/a.md", ("file", "docs/a.md", "")),
        ("@@last", ("session", "last", "")),
        ("@cell:clean-up", ("cell", "clean-up", "")),
        ("@cell:[3]", ("cell", "[3]", "")),
        ("@cell:-1", ("cell", "-1", "")),
        ("@cell:above", ("cell", "above", "")),
        ("@out:[3]", ("output", "[3]", "")),
        ("@var:sales", ("variable", "sales", "")),
        ("@var:sales!rows", ("variable", "sales", "rows")),
        ("@var:sales!rows?", ("variable", "sales", "rows")),
        ("@var:sales!", ("variable", "sales", "")),
        ("@var:sales's", ("variable", "sales", "")),
        ("@var:df.head()", ("variable", "df.head()", "")),
        ("@celery", ("file", "celery", "")),
        ("@cell", ("file", "cell", "")),
    ],
)
def test_kinds(prompt: str, expected: tuple[str, str, str]) -> None:
    found = only(prompt)

    assert (found.kind, found.target, found.option) == expected


@pytest.mark.parametrize(
    ("prompt", "token", "target"),
    [
        ('@"my data.csv"', '@"my data.csv"', "my data.csv"),
        ('see @"a@b.txt", please', '@"a@b.txt"', "a@b.txt"),
        ('@"a \\"b\\" \\\\.txt"', '@"a \\"b\\" \\\\.txt"', 'a "b" \\.txt'),
        ('@"C:\\My Docs\\x.csv"', '@"C:\\My Docs\\x.csv"', "C:\\My Docs\\x.csv"),
        ('@cell:"load data"', '@cell:"load data"', "load data"),
        ('@var:"df数据"!rows.', '@var:"df数据"!rows', "df数据"),
        ('@"image"', '@"image"', "image"),
        ('@"cell:x"', '@"cell:x"', "cell:x"),
    ],
)
def test_quotes_hold_any_target_together(prompt: str, token: str, target: str) -> None:
    found = only(prompt)

    assert (found.token, found.target) == (token, target)


def test_an_unclosed_quote_is_read_as_the_original_reads_it() -> None:
    assert tokens('@"a b') == ['@"a']


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("`@a` @b", ["@b"]),
        ("``x ` @a`` @b", ["@b"]),
        ("```\n@a\n```\n@b", ["@b"]),
        ("```py\n@a\n~~~\n@b", []),
        ("~~~\n@a\n~~~~\n@b", ["@b"]),
        ("> ```\n> @a\n> ```\n@b", ["@b"]),
        ("1. ```\n   @a\n   ```\n@b", ["@b"]),
        ("a ` alone @b", ["@b"]),
        ("\\` no code @b `", ["@b"]),
        ("one `two\n\n@a` three", ["@a"]),
        ("@a`code`", ["@a"]),
    ],
)
def test_code_is_not_looked_at(prompt: str, expected: list[str]) -> None:
    assert tokens(prompt) == expected


def test_image_words_are_skipped() -> None:
    assert tokens("@image @image, @image:cat @images/a.png") == ["@images/a.png"]


def test_a_target_longer_than_any_path_is_prose() -> None:
    assert tokens("@" + "a" * MAX_TARGET_CHARS) != []
    assert tokens("@" + "a" * (MAX_TARGET_CHARS + 1)) == []


@given(PROMPTS)
@example("@\ud83d")
def test_any_text_parses_to_tokens_with_true_spans(prompt: str) -> None:
    found = parse_references(prompt)

    for reference in found:
        assert prompt[reference.start : reference.end] == reference.token
        assert reference.target
        assert reference.token.startswith("@")
    assert len({reference.token for reference in found}) == len(found)
    starts = [reference.start for reference in found]
    assert starts == sorted(starts)


@given(st.sampled_from(["file", "session", "cell", "output", "variable"]), st.text(min_size=1))
def test_a_formatted_reference_parses_back_to_its_target(kind: str, target: str) -> None:
    token = format_reference(kind, target)

    if token is not None:
        found = only(f"see {token} .")
        assert (found.token, found.kind, found.target) == (token, kind, target)


@pytest.mark.parametrize(
    ("target", "token"),
    [
        ("a.txt", "@a.txt"),
        ("my data.csv", '@"my data.csv"'),
        ("a@b.txt", '@"a@b.txt"'),
        ("naïve–ü.md", "@naïve–ü.md"),
        ("数据.csv", "@数据.csv"),
        ('say "hi".txt', '@"say \\"hi\\".txt"'),
        ("image", '@"image"'),
        ("a`b", None),
        ("a\nb", None),
    ],
)
def test_the_shortest_form_that_works_is_chosen(target: str, token: str | None) -> None:
    assert format_reference("file", target) == token


@pytest.mark.parametrize(
    "piece",
    ["@a", "@a ", '@" ', '@"\\', "` @a", "``` ", "@a中", "@a'", "@)))", "> ", "@a\n```\n", "`" * 3],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.process_time()
        parse_references(text)
        return time.process_time() - started

    small = min(seconds(8_000) for _ in range(3))
    large = min(seconds(128_000) for _ in range(2))

    assert large < 0.02 + 16 * 6 * small
