from __future__ import annotations

import json

from braincode_jupyter.views import MIME_TYPE, RunView, to_blocks, to_bundle
from braincode_jupyter.views.run_view import AgentView, AnswerView


def test_a_saved_bundle_is_small_where_most_is_blocks() -> None:
    blocks = to_blocks("a **b** `c`\n\n- d\n\n" * 200)
    agent = AgentView(
        context_id="w", kind="worker", role="analyst", state="completed", summary_blocks=blocks
    )
    answer = AnswerView(state="completed", blocks=blocks)
    view = RunView(session_id="s", state="completed", answer=answer, agents=(agent,))

    saved = to_bundle(view)[MIME_TYPE]

    assert len(json.dumps(saved)) < len(json.dumps(view.to_wire())) / 2
    assert RunView.model_validate(saved) == view
