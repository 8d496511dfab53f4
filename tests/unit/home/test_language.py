from __future__ import annotations

import pytest

from braincode_jupyter.home.language import spoken_language


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "zh_CN"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": ""}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "BRAINCODE_LANGUAGE": "en"}, "en"),
        ({"BRAINCODE_LANGUAGE": "zh-CN"}, "zh"),
        ({"BRAINCODE_LANGUAGE": "klingon", "LANG": "fr_FR"}, "fr"),
    ],
)
def test_language_of_a_process_is_chosen_or_that_of_its_locale(
    environ: dict[str, str], language: str
) -> None:
    assert spoken_language(environ=environ) == language


def test_page_is_heard_before_the_locale_and_after_a_choice() -> None:
    french = {"LANG": "fr_FR.UTF-8"}

    assert spoken_language("zh", french) == "zh"
    assert spoken_language("en", french) == "en"
    assert spoken_language("zh", {**french, "BRAINCODE_LANGUAGE": "fr"}) == "fr"
