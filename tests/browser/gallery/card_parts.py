"""Pieces that the sample runs are made of."""

# ruff: noqa: S106 - a token is a word of the request here

from __future__ import annotations

from braincode_jupyter.views.block_view import Block, Span
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.run_view import (
    AgentState,
    AgentView,
    ArtifactView,
    MatrixColumn,
    MatrixRow,
    MatrixView,
    ReferenceView,
    SectionView,
    TodoView,
    UsageView,
)

T0 = 1_790_000_000_000
REQUEST = (
    "Why did revenue fall in Q3? Check the cleaning step first. "
    "@var:sales @cell:cleaning @docs/glossary.md @notes.txt"
)


def paragraph(*spans: str | Span) -> Block:
    return Block(
        kind="paragraph", spans=tuple(s if isinstance(s, Span) else Span(text=s) for s in spans)
    )


def usage(tokens: int, cost: float | None = None, calls: int = 1) -> UsageView:
    return UsageView(
        input_tokens=tokens * 3 // 4,
        output_tokens=tokens // 4,
        total_tokens=tokens,
        calls=calls,
        cost_usd=cost,
    )


def seen(
    kind: str, label: str, tokens: int, *, total: int = 2900, owner: str = "user"
) -> SectionView:
    return SectionView(
        kind=kind,
        owner=owner,
        owner_label=owner,
        source=label,
        label=label,
        chars=tokens * 4,
        tokens=tokens,
        share=tokens / total,
    )


def kept(label: str, reason: str) -> SectionView:
    return SectionView(
        kind="private",
        owner="librarian",
        owner_label="librarian",
        source=label,
        label=label,
        chars=4000,
        tokens=1000,
        reason=reason,
    )


SAW = (
    seen("role", "role: analyst", 400),
    seen("request", "your request", 100),
    seen("reference", "@var:sales", 1100),
    seen("reference", "@cell:cleaning", 500),
    seen("support", "AGENTS.md", 800, owner="project"),
)
WITHHELD = (kept("librarian's work", "private"), kept("librarian's result", "no edge"))

REFERENCES = (
    ReferenceView(
        token="@var:sales",
        kind="variable",
        state="sent",
        label=recorded("references", "frame 24,310 × 7, schema and statistics"),
    ),
    ReferenceView(
        token="@cell:cleaning",
        kind="cell",
        state="sent",
        label=recorded("references", "cell cleaning, 12 lines, 1 output"),
    ),
    ReferenceView(
        token="@docs/glossary.md",
        kind="file",
        state="cut",
        label=recorded("references", "docs/glossary.md, 65,536 bytes"),
        reason=recorded("references", "12,390 characters left out"),
    ),
    ReferenceView(
        token="@notes.txt",
        kind="file",
        state="missing",
        label="",
        reason=recorded("references", "file not found"),
    ),
)

_TODOS = (
    ("Map the data and the cleaning step", "librarian", ()),
    ("Revenue by month, region, product", "analyst", ()),
    ("Check rows lost in cleaning", "analyst", ()),
    ("Is the drop more than noise?", "statistician", (2,)),
    ("Answer with evidence and code", "primary", (1, 2, 3, 4)),
    ("Check claims against evidence", "review", (5,)),
)


def todos_of(*states: str) -> tuple[TodoView, ...]:
    return tuple(
        TodoView(id=f"t{n}", title=title, role=role, state=state, needs_numbers=needs)  # pyright: ignore[reportArgumentType] - words of the sample
        for n, ((title, role, needs), state) in enumerate(zip(_TODOS, states, strict=True))
    )


_ANALYST_SUMMARY = (
    paragraph(
        "Q3 revenue is 11.8 % below Q2; 9.1 points of it come from ",
        Span(text="region = North", strong=True),
        ", which loses 1,204 rows in the cleaning cell because its dates are ",
        Span(text="DD.MM.YYYY", code=True),
        ".",
    ),
)


def agents_of(phase: str) -> tuple[AgentView, ...]:
    is_done = phase == "done"
    end = {"statistician": T0 + 33_000, "primary": T0 + 46_000, "review": T0 + 52_000}
    state: dict[str, AgentState] = {
        "statistician": "completed" if is_done else "running",
        "primary": "completed" if is_done else "waiting",
        "review": "completed" if is_done else "queued",
    }
    return (
        AgentView(
            context_id="r",
            kind="router",
            role="router",
            state="completed",
            queued_ms=T0,
            started_ms=T0,
            ended_ms=T0 + 2_100,
            is_critical=True,
            usage=usage(900, 0.001),
            model_id="haiku",
            saw=(
                seen("role", "role: router", 300),
                seen("request", "your request", 100),
                seen("reference", "@var:sales", 1100),
            ),
        ),
        AgentView(
            context_id="a",
            kind="worker",
            role="librarian",
            state="completed",
            goal="Map the data and the cleaning step",
            queued_ms=T0 + 2_100,
            started_ms=T0 + 2_150,
            ended_ms=T0 + 11_100,
            usage=usage(3800, 0.003),
            model_id="haiku",
            summary="The cleaning cell of sales.csv parses dates and drops rows that fail.",
            saw=SAW,
            withheld=WITHHELD,
        ),
        AgentView(
            context_id="b",
            kind="worker",
            role="analyst",
            state="completed",
            goal="Revenue by month, region and product; rows lost in cleaning",
            queued_ms=T0 + 2_100,
            started_ms=T0 + 2_200,
            ended_ms=T0 + 21_000,
            is_critical=True,
            usage=usage(8400, 0.012),
            model_id="claude-sonnet",
            summary_blocks=_ANALYST_SUMMARY,
            summary="Q3 revenue…",
            risks=("currency of 312 rows is unknown",),
            next_questions=("should returns count in the quarter of sale?",),
            artifacts=(
                ArtifactView(
                    kind="file", uri="revenue_by_region.png", label="revenue_by_region.png"
                ),
                ArtifactView(kind="file", uri="lost_rows.csv", label="lost_rows.csv"),
            ),
            saw=SAW,
            withheld=WITHHELD,
        ),
        AgentView(
            context_id="c",
            kind="worker",
            role="statistician",
            state=state["statistician"],
            goal="Is the drop more than noise?",
            waiting_for=None,
            queued_ms=T0 + 2_100,
            started_ms=T0 + 21_100,
            ended_ms=end["statistician"] if is_done else None,
            is_critical=True,
            usage=usage(5100, 0.009),
            model_id="sonnet",
            upstream=("b",),
            saw=(*SAW, seen("result", "analyst result", 200)),
            withheld=(kept("librarian's work", "private"), kept("analyst's work", "private")),
        ),
        AgentView(
            context_id="p",
            kind="primary",
            role="primary",
            state=state["primary"],
            waiting_for=None if is_done else "statistician",
            queued_ms=T0 + 2_100,
            started_ms=T0 + 33_100 if is_done else None,
            ended_ms=end["primary"] if is_done else None,
            is_critical=is_done,
            usage=usage(4200, 0.01) if is_done else UsageView(),
            model_id="claude-sonnet",
            saw=SAW if is_done else (),
        ),
        AgentView(
            context_id="v",
            kind="review",
            role="review",
            state=state["review"],
            queued_ms=T0 + 2_100,
            started_ms=T0 + 46_100 if is_done else None,
            ended_ms=end["review"] if is_done else None,
            is_critical=is_done,
            usage=usage(2100, 0.004) if is_done else UsageView(),
            model_id="gpt-5-mini",
            saw=SAW if is_done else (),
        ),
    )


def matrix() -> MatrixView:
    labels = (
        "request",
        "@var:sales",
        "@cell:cleaning",
        "AGENTS.md",
        "librarian private",
        "analyst private",
        "analyst result",
    )
    rows = {
        "router": "sssw www",
        "librarian": "ssssoww",
        "analyst": "sssswoo",
        "statistician": "sssswws",
        "primary": "nnnnnnn",
    }
    words = {"s": "seen", "w": "withheld", "o": "own", "n": "not_called"}
    return MatrixView(
        columns=tuple(MatrixColumn(key=str(n), label=label) for n, label in enumerate(labels)),
        rows=tuple(
            MatrixRow(
                context_id=name,
                label=name,
                cells=tuple(words[c] for c in cells.replace(" ", "")[:7]),
            )  # pyright: ignore[reportArgumentType] - words of the sample
            for name, cells in rows.items()
        ),
    )


_CODE = """sales["date"] = pd.to_datetime(sales["date"], format="%d.%m.%Y")
assert sales["date"].notna().all()"""
ANSWER = (
    paragraph(
        "Most of the drop is not real. The cleaning cell parses dates month-first and drops ",
        Span(text="1,204 rows", strong=True),
        " of the North region. With the dates read day-first, Q3 is ",
        Span(text="2.7 %", strong=True),
        " below Q2, within the noise of the last eight quarters.",
    ),
    Block(kind="heading", level=2, spans=(Span(text="Evidence"),)),
    Block(
        kind="list",
        children=(
            Block(
                kind="item",
                children=(
                    paragraph(
                        "North loses 38 % of its rows in ",
                        Span(text="cleaning", code=True),
                        ", other regions none.",
                    ),
                ),
            ),
            Block(
                kind="item",
                children=(
                    paragraph(
                        "Mann–Whitney on weekly revenue, Q2 against Q3: p = 0.41. See ",
                        Span(text="the method", href="https://example.org/method"),
                        ".",
                    ),
                ),
            ),
        ),
    ),
    Block(
        kind="table",
        children=(
            Block(
                kind="row",
                header=True,
                children=tuple(
                    Block(kind="cell", spans=(Span(text=t),))
                    for t in ("Region", "Q2", "Q3 as is", "Q3 fixed")
                ),
            ),
            Block(
                kind="row",
                children=tuple(
                    Block(kind="cell", spans=(Span(text=t),))
                    for t in ("North", "1.92 M", "1.20 M", "1.89 M")
                ),
            ),
            Block(
                kind="row",
                children=tuple(
                    Block(kind="cell", spans=(Span(text=t),))
                    for t in ("South", "2.41 M", "2.33 M", "2.33 M")
                ),
            ),
        ),
    ),
    paragraph("The fix for the cleaning cell:"),
    Block(kind="code", language="python", text=_CODE),
)
