from __future__ import annotations

import json

from braincode_jupyter.brain.demo import MAX_SECTION_CHARS, fit_demo
from braincode_jupyter.protocol.sections import Section


def section(kind: str, text: str) -> Section:
    return Section(kind=kind, owner="o", source="s", title="T", text=text)


def test_a_packet_is_reduced_to_role_and_goal() -> None:
    packet = {
        "fromLayer": "brain",
        "task": {"id": "1", "agentRole": "analyst", "goal": 'say "why"', "progress": {}},
        "constraints": ["a", "b"],
    }

    (kept,), spared = fit_demo([section("handoff", json.dumps(packet, indent=2))])

    assert kept.text == 'agentRole: analyst\ngoal: say \\"why\\"'
    assert spared == ()


def test_a_result_loses_its_ids_and_keeps_its_findings() -> None:
    block = (
        "### librarian (completed)\nTask: a -> b\nGoal: g\nProgress: completed\n"
        "Summary: found\nRisks:\n- r"
    )

    (kept,), _ = fit_demo([section("result", block)])

    assert kept.text == "### librarian (completed)\nSummary: found\nRisks:\n- r"


def test_long_references_are_cut_and_say_so() -> None:
    (kept,), _ = fit_demo([section("reference", "x" * 5000)])

    assert kept.text.startswith("x" * MAX_SECTION_CHARS)
    assert kept.text.endswith("[cut: 1,600 of 5,000 characters]")


def test_support_files_are_spared_and_the_request_is_kept_whole() -> None:
    request = section("request", "y" * 5000)

    kept, spared = fit_demo([section("support", "rules"), request])

    assert kept == (request,)
    assert [s.kind for s in spared] == ["support"]
