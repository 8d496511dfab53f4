from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import card_samples as samples
from playwright.sync_api import expect
from test_approval_card import PIXEL

from braincode_jupyter.views.run_view import PlotView

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    OpenCard = Callable[..., Card]


def test_a_plot_can_be_seen_in_full_size_and_saved_under_its_name(open_card: OpenCard) -> None:
    plot = PlotView(
        uri="p:1",
        label="../Revenue / quarter",
        media_type="image/png",
        data=b64encode(PIXEL).decode(),
    )
    card = open_card(samples.running().model_copy(update={"plots": (plot,)}))
    figure = card.find(".bc-plot").first

    figure.get_by_role("button", name="Full size").click()
    expect(figure.locator("button")).to_have_text("Fit")
    with card.page.expect_download() as download:
        figure.get_by_role("link", name="Save").click()

    assert download.value.suggested_filename == "Revenue-quarter.png"
    assert figure.locator("img").get_attribute("alt") == "../Revenue / quarter"
