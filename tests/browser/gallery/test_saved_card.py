from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import card_samples as samples
import pytest

from braincode_jupyter.views import MIME_TYPE, RunView, to_bundle

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

DRAWN_ANEW = """view => {
  kernel.dispose();
  kernel.setView(view);
  kernel.dispose = kernel.draw();
  document.querySelectorAll('.bc-run details').forEach(el => { el.open = true; });
}"""


@pytest.mark.parametrize("make", [samples.finished, samples.failed, samples.cut_off])
def test_a_saved_run_is_drawn_as_one_that_was_saved_with_all_its_defaults(
    open_card: Callable[..., Card], make: Callable[[], RunView]
) -> None:
    view = make()
    card = open_card(view)

    def drawn(form: object) -> str:
        card.page.evaluate(DRAWN_ANEW, form)
        card.page.evaluate("() => new Promise(requestAnimationFrame)")
        return card.root.evaluate("el => el.outerHTML")

    saved: Any = to_bundle(view)[MIME_TYPE]
    assert len(json.dumps(saved)) < len(json.dumps(view.to_wire()))
    assert drawn(saved) == drawn(view.to_wire())
