from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.brain.data_words import data_roles
from braincode_jupyter.brain.heuristics import heuristic_plan

if TYPE_CHECKING:
    from braincode_jupyter.brain.presets import BrainPreset

WRANGLING = [
    "merge two dataframes",
    "execute the next cell",
    "reset the index of df",
    "copy the dataframe and sort it",
    "view the first rows",
    "how many missing values per column",
    "read sales.csv",
    "explain @var:sales",
    "rename the columns",
    "groupby region",
    "合并两个数据框",
    "fusionner deux tableaux",
]
JUDGEMENT = [
    "why did revenue fall",
    "Why did Q3 fall? @var:sales @cell:cleaning",
    "train a model on iris and report accuracy",
    "is there a correlation between age and income",
    "find outliers in price",
    "为什么第三季度收入下降",
    "pourquoi les ventes ont-elles baissé",
]
PLOTS = [
    "make a picture of the loss curve",
    "plot a histogram of age",
    "draw a bar chart",
    "plot the correlation matrix",
    "画出销售趋势图",
    "trace un graphique de la température",
]
TESTS = [
    "is the difference significant?",
    "compute the p-value",
    "a 95% confidence interval for the mean",
    "run a linear regression of y on x",
    "which hypothesis test fits?",
    "p值是多少",
    "la différence est-elle significative ?",
]
SOFTWARE = [
    "hello there",
    "add a chart component to the React page",
    "regression in the tests",
    "explain the bootstrap css grid",
    "generate an image of a cat",
    "git commit the table",
    "回归测试失败了",
    "what does this mean",
]


@pytest.mark.parametrize("prompt", WRANGLING)
def test_plain_data_work_is_the_analysts_with_a_map(prompt: str) -> None:
    assert data_roles(prompt.lower()) == ("analyst", "librarian")


@pytest.mark.parametrize("prompt", JUDGEMENT)
def test_questions_of_judgement_bring_the_statistician(prompt: str) -> None:
    assert data_roles(prompt.lower()) == ("analyst", "librarian", "statistician")


@pytest.mark.parametrize("prompt", PLOTS)
def test_plots_are_the_visualizers_with_figures(prompt: str) -> None:
    assert data_roles(prompt.lower()) == ("visualizer", "analyst")


@pytest.mark.parametrize("prompt", TESTS)
def test_tests_are_the_statisticians_with_figures(prompt: str) -> None:
    assert data_roles(prompt.lower()) == ("statistician", "analyst")


@pytest.mark.parametrize("prompt", SOFTWARE)
def test_other_work_is_left_to_the_original(prompt: str) -> None:
    assert data_roles(prompt.lower()) == ()


@pytest.mark.parametrize(
    ("prompt", "roles"),
    [
        ("why did sales drop? plot it", ("analyst", "visualizer", "librarian", "statistician")),
        ("is the effect significant? plot it", ("statistician", "visualizer", "analyst")),
        ("plot it and compute the p-value", ("visualizer", "statistician", "analyst")),
        ("write a sql query for revenue per month", ("analyst", "dba", "librarian")),
        ("montre le chiffre d’affaires", ("analyst", "librarian")),
    ],
)
def test_several_kinds_of_words_bring_several_roles(prompt: str, roles: tuple[str, ...]) -> None:
    assert data_roles(prompt) == roles


def test_data_plans_have_fixed_todos_with_the_primary_last(notebook: BrainPreset) -> None:
    plan = heuristic_plan("why did revenue fall", preset=notebook)

    assert [todo.id for todo in plan.todos] == ["map-context", "check-assumptions", "analyse-data"]
    assert [(edge.from_todo_id, edge.to_todo_id) for edge in plan.dependencies] == [
        ("map-context", "analyse-data"),
        ("check-assumptions", "analyse-data"),
    ]


def test_figures_come_before_the_plot(notebook: BrainPreset) -> None:
    plan = heuristic_plan("is the effect significant? plot it", preset=notebook)

    pairs = [(edge.from_todo_id, edge.to_todo_id) for edge in plan.dependencies]
    assert ("analyse-data", "draw-plot") in pairs
