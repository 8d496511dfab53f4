from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.flow import FLOW, build_prompt, frame, may_see, select
from braincode_jupyter.errors import IsolationError
from braincode_jupyter.protocol.sections import ImagePart, Section, SectionKind
from braincode_jupyter.protocol.usage import CallKind

KINDS = get_args(SectionKind)
CALLS = get_args(CallKind)

# Design section 4, written down once more by hand: owner of the section against kind of call.
# "me" is the context that is asked, "up" a declared upstream, "other" anybody else.
EXPECTED = {
    ("router", "request", "user"): True,
    ("router", "reference", "user"): True,
    ("router", "support", "project"): False,
    ("router", "role", "me"): True,
    ("router", "handoff", "me"): False,
    ("router", "result", "other"): False,
    ("router", "private", "other"): False,
    ("router", "answer", "other"): False,
    ("worker", "request", "user"): True,
    ("worker", "reference", "user"): True,
    ("worker", "support", "project"): True,
    ("worker", "role", "me"): True,
    ("worker", "role", "other"): False,
    ("worker", "handoff", "me"): True,
    ("worker", "handoff", "other"): False,
    ("worker", "result", "up"): True,
    ("worker", "result", "other"): False,
    ("worker", "private", "other"): False,
    ("worker", "private", "up"): False,
    ("worker", "answer", "other"): False,
    ("primary", "request", "user"): True,
    ("primary", "reference", "user"): True,
    ("primary", "support", "project"): True,
    ("primary", "role", "me"): True,
    ("primary", "handoff", "other"): False,
    ("primary", "result", "other"): True,
    ("primary", "private", "other"): False,
    ("primary", "answer", "me"): True,
    ("primary", "answer", "other"): False,
    ("review", "request", "user"): True,
    ("review", "reference", "user"): True,
    ("review", "support", "project"): True,
    ("review", "role", "me"): True,
    ("review", "handoff", "me"): True,
    ("review", "handoff", "other"): False,
    ("review", "result", "other"): True,
    ("review", "private", "other"): False,
    ("review", "answer", "other"): True,
    ("router", "patch", "brain"): False,
    ("router", "review", "brain"): False,
    ("worker", "patch", "brain"): False,
    ("worker", "review", "brain"): False,
    ("primary", "patch", "brain"): True,
    ("primary", "review", "brain"): True,
    ("review", "patch", "brain"): True,
    ("review", "review", "brain"): False,
}


def section(kind: str, owner: str, text: str = "text") -> Section:
    return Section(kind=kind, owner=owner, source=f"{kind}:{owner}", title=kind, text=text)


def test_matrix_has_a_rule_for_every_call_and_section_kind() -> None:
    assert set(FLOW) == set(CALLS)
    for rules in FLOW.values():
        assert set(rules) == set(KINDS)


@pytest.mark.parametrize(("cell", "allowed"), EXPECTED.items(), ids=map(str, EXPECTED))
def test_matrix_says_what_the_design_says(cell: tuple[str, str, str], *, allowed: bool) -> None:
    call, kind, owner = cell
    offered = section(kind, owner)

    seen = may_see(offered, call, context_id="me", upstream=frozenset({"up"}))

    assert seen is allowed


@pytest.mark.parametrize(
    "cell", [cell for cell, allowed in EXPECTED.items() if not allowed], ids=str
)
def test_builder_refuses_what_the_matrix_withholds(cell: tuple[str, str, str]) -> None:
    call, kind, owner = cell

    with pytest.raises(IsolationError, match="must not see"):
        build_prompt([section(kind, owner)], call, context_id="me", upstream=frozenset({"up"}))


def test_need_to_know_withholds_references_that_were_not_granted() -> None:
    references = [section("reference", "user"), section("request", "user")]

    seen, withheld = select(references, "worker", context_id="me", granted=frozenset())

    assert [s.kind for s in seen] == ["request"]
    assert [s.kind for s in withheld] == ["reference"]


def test_fixed_wording_may_not_hold_a_fence() -> None:
    with pytest.raises(IsolationError, match="fence"):
        build_prompt([section("instruction", "me", "a\n```text\nb")], "worker", context_id="me")


def test_an_image_is_announced_and_attached() -> None:
    image = ImagePart(media_type="image/png", data=b"png")
    picture = Section(
        kind="reference", owner="user", source="@a.png", title="Image", text="", image=image
    )

    prompt = build_prompt([picture], "worker", context_id="me")

    assert prompt.images == (image,)
    assert "Image @a.png (attached" in prompt.user


def framed_texts(user: str) -> list[str]:
    """Return the framed texts of a prompt, in order; the inverse of `frame`."""
    texts: list[str] = []
    fence = ""
    held: list[str] = []
    for line in user.split("\n"):
        if fence:
            if line == fence:
                texts.append("\n".join(held))
                fence, held = "", []
            else:
                held.append(line)
        elif opened := re.fullmatch(r"(`{3,})text", line):
            fence = opened[1]
    return texts


@given(st.lists(st.text(alphabet=st.sampled_from("`\n ta\u2028\ud83d:x")), max_size=6))
def test_parsing_a_prompt_gives_back_exactly_the_fragments(texts: list[str]) -> None:
    sections = [section("reference", "user", text) for text in texts]

    prompt = build_prompt(sections, "worker", context_id="me")

    assert framed_texts(prompt.user) == texts


@given(st.text())
def test_a_source_name_cannot_open_a_fence(name: str) -> None:
    named = Section(kind="reference", owner="user", source=name, title="File", text="body")

    assert framed_texts(frame(named)) == ["body"]


@given(
    st.sampled_from(CALLS),
    st.lists(
        st.tuples(
            st.sampled_from(KINDS), st.sampled_from(["me", "up", "other", "user", "project"])
        ),
        max_size=8,
    ),
)
def test_select_never_offers_what_the_builder_refuses(
    call: str, labels: list[tuple[str, str]]
) -> None:
    pool = [section(kind, owner) for kind, owner in labels]
    upstream = frozenset({"up"})

    seen, withheld = select(pool, call, context_id="me", upstream=upstream)
    prompt = build_prompt(seen, call, context_id="me", upstream=upstream, withheld=withheld)

    assert len(seen) + len(withheld) == len(pool)
    assert sorted(map(repr, prompt.sections)) == sorted(map(repr, seen))
