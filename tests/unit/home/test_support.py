from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.home import ProjectSupport, load_support

if TYPE_CHECKING:
    from pathlib import Path

_IS_POSIX = sys.platform != "win32"


@dataclass(frozen=True)
class _Places:
    home: Path
    root: Path

    def load(self) -> ProjectSupport:
        return load_support(self.home, self.root)

    def write(self, path: str, text: str) -> Path:
        """Write a file below the folder of both: ``home/…`` or ``root/…``."""
        target = self.root.parent / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target


@pytest.fixture
def places(tmp_path: Path) -> _Places:
    (tmp_path / "home").mkdir()
    (tmp_path / "root").mkdir()
    return _Places(home=tmp_path / "home", root=tmp_path / "root")


def _text_of(support: ProjectSupport) -> str:
    return "\n\n".join(piece.text for piece in support.pieces)


def _fill(places: _Places) -> None:
    places.write("root/AGENTS.md", "Use tabs.\n")
    places.write("root/.mcp.json", json.dumps({"mcpServers": {"db": {"env": {"K": "CANARY"}}}}))
    places.write("root/.agents/skills/sql/SKILL.md", "Write SQL.")
    places.write("root/.agents/skills/Chart.MD", "Draw charts.")
    places.write("home/AGENTS.md", "Be brief.")
    places.write("home/mcp.json", json.dumps({"servers": {"docs": {}, "web": {}}}))
    places.write("home/skills/mail.md", "Write mail.")


def test_nothing_to_support_is_no_text_and_no_pointer(places: _Places) -> None:
    support = places.load()

    assert (support.pieces, support.context_refs) == ((), ())
    assert support.summary == {"root": str(places.root), "skills": []}


def test_pieces_come_project_first_with_source_and_title(places: _Places) -> None:
    _fill(places)

    support = places.load()

    assert [piece.title for piece in support.pieces] == [
        "Support files",
        "Project instructions",
        "Project MCP servers",
        "Project skill",
        "Project skill",
        "User instructions",
        "User MCP servers",
        "User skill",
    ]
    assert [piece.source for piece in support.pieces][1] == "AGENTS.md"
    assert "wins where the two disagree" in support.pieces[0].text
    assert support.pieces[1].text.endswith("\n\nUse tabs.\n")
    assert "Chart" in support.pieces[3].text
    assert "Servers: docs, web" in support.pieces[6].text
    assert _text_of(support).endswith("Write mail.")


def test_contents_of_mcp_files_are_nowhere(places: _Places) -> None:
    _fill(places)

    assert "CANARY" not in repr(places.load())


def test_pointers_come_user_first_with_fixed_labels(places: _Places) -> None:
    _fill(places)

    refs = places.load().context_refs

    assert [ref.label for ref in refs] == [
        "user AGENTS.md",
        "user mcp.json",
        "user-skill:mail",
        "AGENTS.md",
        ".mcp.json",
        "skill:Chart",
        "skill:sql",
    ]
    assert refs[-1].uri == ".agents/skills/sql/SKILL.md"
    assert {ref.kind for ref in refs} == {"file"}


def test_the_summary_holds_paths_and_names_alone(places: _Places) -> None:
    _fill(places)

    summary = places.load().summary

    assert isinstance(summary, dict)
    assert list(summary) == ["root", "agents", "mcp", "skills", "user"]
    assert summary["mcp"] == {"path": str(places.root / ".mcp.json"), "serverNames": ["db"]}
    user = summary["user"]
    assert isinstance(user, dict)
    assert list(user) == ["home", "agents", "mcp", "skills"]
    assert "Use tabs" not in json.dumps(summary)


def test_a_user_without_support_is_not_mentioned(places: _Places) -> None:
    places.write("root/AGENTS.md", "Use tabs.")
    places.write("home/AGENTS.md", " \n")

    support = places.load()

    assert str(places.home) not in _text_of(support)
    assert isinstance(support.summary, dict)
    assert "user" not in support.summary


def test_long_files_are_clipped_and_say_so(places: _Places) -> None:
    places.write("root/AGENTS.md", "a" * 32_001)
    places.write("root/.agents/skills/s.md", "b" * 8_001)
    places.write("root/.agents/skills/t.md", "c" * 8_000)

    texts = [piece.text for piece in places.load().pieces]

    assert "a" * 32_000 + "\n[project AGENTS.md clipped at 32000 of 32001 characters]" in texts[1]
    assert texts[2].endswith("\n[project skill s clipped at 8000 of 8001 characters]")
    assert texts[3].endswith("c" * 8_000)


def test_skills_beyond_twelve_are_counted_and_stay_pointers(places: _Places) -> None:
    for number in range(15):
        places.write(f"root/.agents/skills/s{number:02}.md", "text")

    support = places.load()

    assert support.pieces[-1].text == "[3 more project skills are not shown here.]"
    assert len([piece for piece in support.pieces if piece.title == "Project skill"]) == 12
    assert len(support.context_refs) == 15


def test_the_whole_is_clipped_at_the_end_where_the_user_part_is(places: _Places) -> None:
    places.write("root/AGENTS.md", "a" * 32_000)
    for number in range(4):
        places.write(f"root/.agents/skills/s{number}.md", "b" * 8_000)
    places.write("home/AGENTS.md", "USER")
    places.write("home/skills/mail.md", "MAIL")

    support = places.load()

    text = _text_of(support)
    limit_notice = "[support clipped at 64000 of "
    assert text.index(limit_notice) == 64_001
    assert "USER" not in text
    assert support.pieces[-1].text.count(limit_notice) == 1


@pytest.mark.parametrize("slack", range(-4, 4))
def test_the_limit_of_the_whole_is_exact(places: _Places, slack: int) -> None:
    places.write("root/AGENTS.md", "a" * 31_000)
    places.write("home/AGENTS.md", "b" * 31_000)
    room = 64_000 - len(_text_of(places.load()))
    places.write("root/AGENTS.md", "a" * 31_000)
    last = "c" * 100
    places.write("home/skills/z.md", last)
    used = len(_text_of(places.load()))
    assert room > 0

    places.write("home/skills/z.md", "c" * (100 + 64_000 - used + slack))
    text = _text_of(places.load())

    assert ("[support clipped" in text) == (slack > 0)


def test_names_that_do_not_print_are_shown_as_marks(places: _Places) -> None:
    names = {"a\nb\u202e\u001b[2J": {}, "x" * 500: {}}
    places.write("root/.mcp.json", json.dumps({"mcpServers": names}))

    text = places.load().pieces[1].text

    assert "a\ufffdb\ufffd\ufffd[2J" in text
    assert "x" * 121 not in text


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 1, "a": 2}'])
def test_a_broken_mcp_file_is_absent_with_a_notice(places: _Places, content: str) -> None:
    places.write("root/.mcp.json", content)

    support = places.load()

    assert support.pieces == ()
    assert ".mcp.json" in support.notices[0]


def test_hidden_blank_and_other_files_are_no_skills(places: _Places) -> None:
    places.write("root/.agents/skills/.hidden.md", "x")
    places.write("root/.agents/skills/blank.md", " \n")
    places.write("root/.agents/skills/notes.txt", "x")
    places.write("root/.agents/skills/empty/README.md", "x")

    assert places.load().context_refs == ()


@pytest.mark.skipif(not _IS_POSIX, reason="links")
def test_links_that_lead_out_are_left_out_and_links_inside_work(places: _Places) -> None:
    secret = places.write("outside/secret.md", "CANARY")
    inside = places.write("root/CLAUDE.md", "Use tabs.")
    (places.root / "AGENTS.md").symlink_to(inside)
    (places.root / ".mcp.json").symlink_to(secret)
    (places.home / "AGENTS.md").symlink_to(secret)
    (places.home / "skills").symlink_to(secret.parent)
    skills = places.root / ".agents" / "skills"
    skills.mkdir(parents=True)
    (skills / "link.md").symlink_to(secret)
    (skills / "folder").mkdir()
    (skills / "folder" / "SKILL.md").symlink_to(secret)

    support = places.load()

    assert [ref.label for ref in support.context_refs] == ["AGENTS.md"]
    assert "CANARY" not in _text_of(support)
    assert len(support.notices) == 3


@pytest.mark.skipif(not _IS_POSIX, reason="pipes")
def test_pipes_and_huge_files_neither_block_nor_enter(places: _Places) -> None:
    os.mkfifo(places.root / "AGENTS.md")
    os.mkfifo(places.root / ".mcp.json")
    places.write("home/AGENTS.md", "x" * 1_048_577)

    support = places.load()

    assert support.pieces == ()
    assert len(support.notices) == 3


def test_a_project_that_is_not_there_has_no_support(places: _Places) -> None:
    support = load_support(places.home / "missing", places.root / "missing")

    assert support.pieces == ()
