"""Projections of records for people: one view, and every way to draw it without a browser's code.

`fold` turns records into a `RunView`, the one JSON shape that the live card, the saved card, the
replay and Python all draw; `SessionPage` is that of the sessions panel. `to_text`, `to_html` and
`to_page` draw a view here; `to_bundle` is what a notebook saves.

Invariants: everything is pure and total. No record, however odd, makes `fold` raise; live and
replayed folds give the same view; after an end record, or `close_view`, nothing is left running.
Text from outside is cleaned once, on its way into the view, and is never markup: Markdown becomes
`Block` trees, whole or while it streams with the same result, and HTML is made by `markup` alone.
The sums of a run are the sums of its agents. The matrix shows what manifests say, not what the
rules promise.

May import ``protocol`` and ``errors``; markdown-it-py on first use. No input, output, clock or
randomness.
"""

from braincode_jupyter.views.block_view import Block, Span
from braincode_jupyter.views.blocks import to_blocks
from braincode_jupyter.views.bundle import MIME_TYPE, run_view_schema, to_bundle
from braincode_jupyter.views.clean import clean_line, clean_text, count_hidden
from braincode_jupyter.views.fold import close_view, fold, fold_all, start_view
from braincode_jupyter.views.html import to_html, to_page
from braincode_jupyter.views.matrix import ContextRow, isolation_report
from braincode_jupyter.views.run_view import AgentView, RunView, UsageView
from braincode_jupyter.views.session_rows import SessionPage, SessionRow
from braincode_jupyter.views.steady import to_steady
from braincode_jupyter.views.text import to_brief, to_progress_line, to_text

__all__ = [
    "MIME_TYPE",
    "AgentView",
    "Block",
    "ContextRow",
    "RunView",
    "SessionPage",
    "SessionRow",
    "Span",
    "UsageView",
    "clean_line",
    "clean_text",
    "close_view",
    "count_hidden",
    "fold",
    "fold_all",
    "isolation_report",
    "run_view_schema",
    "start_view",
    "to_blocks",
    "to_brief",
    "to_bundle",
    "to_html",
    "to_page",
    "to_progress_line",
    "to_steady",
    "to_text",
]
