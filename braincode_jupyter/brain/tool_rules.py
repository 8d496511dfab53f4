"""Permission rules: what they say, and whether one applies to a path or a command.

Deny and ask rules reach far: the text of a command as the original compares it, and the words of
every sub-command in it, however it is quoted, wrapped or spelled. Allow rules reach short: one
simple command that the original would have matched too, whose first words are the pattern's.

References
----------
Braincode, permission grammar. The built-in rules are ``data/tool_rules.json``; those for Python
are ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from braincode_jupyter.brain.command_words import CommandWords, read_command
from braincode_jupyter.brain.globs import rule_path, rule_pattern
from braincode_jupyter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import JsonValue

RuleAction = Literal["allow", "ask", "deny"]

MAX_RULES = 1_000
MAX_PATTERN_CHARS = 500
MAX_NESTED_TEXTS = 4
"""Levels of command texts inside words, as in ``sh -c "sh -c …"``, that are looked into."""
_LOOKED_AT_WORDS = 64
"""Words after a program's name in which its sub-command is looked for; after that it is found."""

_SHORT_FORMS = {"--recursive": "r", "--force": "f"}
_LONG_FORMS = {letter: name for name, letter in _SHORT_FORMS.items()}
_PIECES = re.compile(r"[^\s;&|(){}<>,`$=]+")
_HOLDS_COMMAND = re.compile(r"[\s;&|(){}<>`$,]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of policy.

    Parameters
    ----------
    kind : {"path", "command"}
        What its pattern is compared with.
    pattern : str
        As it was written.
    action : {"allow", "ask", "deny"}
        What it says.
    needs_review : bool
        Whether a change that it matches has to be reviewed.
    reason : str
        Why, for the person who is asked.
    is_builtin : bool
        It came with the product; an allow of this kind holds in trusted projects alone.
    holds_after_untrusted : bool
        An allow that also holds once the run has read text of others.
    """

    kind: Literal["path", "command"]
    pattern: str
    action: RuleAction
    needs_review: bool = False
    reason: str = ""
    is_builtin: bool = False
    holds_after_untrusted: bool = False

    @property
    def label(self) -> str:
        """How the rule is named to people."""
        return f"{self.action} {self.kind} {self.pattern!r}"


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", populate_by_name=True)

    pattern: str = Field(min_length=1, max_length=MAX_PATTERN_CHARS)
    review: Literal["required", "optional"] = "optional"
    reason: str = ""
    after_untrusted: bool = Field(default=False, alias="afterUntrusted")


class _PathEntry(_Entry):
    edit: RuleAction


class _CommandEntry(_Entry):
    policy: RuleAction


class _Document(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    paths: list[_PathEntry] = Field(default_factory=list[_PathEntry], max_length=MAX_RULES)
    commands: list[_CommandEntry] = Field(default_factory=list[_CommandEntry], max_length=MAX_RULES)


def read_rules(document: JsonValue) -> tuple[Rule, ...]:
    """Read the ``permissions`` of a tools file.

    Parameters
    ----------
    document : JsonValue
        Decoded JSON; None is no rules.

    Returns
    -------
    tuple of Rule
        In the order in which they stand, paths first.

    Raises
    ------
    ConfigurationError
        If an entry cannot be read: a deny rule is never dropped silently (security R59).
    """
    try:
        found = _Document.model_validate(document or {})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(
            f"A permission rule cannot be read: {place or 'permissions'}: {first['msg']}.",
            hint="Mend it in tools.json; no tool is used before.",
        ) from error
    return _rules(found)


def _rules(document: _Document, *, is_builtin: bool = False) -> tuple[Rule, ...]:
    entries: list[tuple[Literal["path", "command"], RuleAction, _Entry]] = [
        *(("path", entry.edit, entry) for entry in document.paths),
        *(("command", entry.policy, entry) for entry in document.commands),
    ]
    return tuple(
        Rule(
            kind=kind,
            pattern=entry.pattern,
            action=action,
            needs_review=entry.review == "required",
            reason=entry.reason,
            is_builtin=is_builtin,
            holds_after_untrusted=entry.after_untrusted,
        )
        for kind, action, entry in entries
    )


_DATA = files("braincode_jupyter.brain").joinpath("data/tool_rules.json").read_bytes()

BUILT_IN_RULES: tuple[Rule, ...] = _rules(_Document.model_validate_json(_DATA), is_builtin=True)
"""Rules that come first and cannot be removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandText:
    """A command, prepared for many rules.

    Parameters
    ----------
    text : str
        As it would be run.
    words : CommandWords
        The same, taken apart.
    every : tuple of tuple of str
        Words of every sub-command in lower case, those in words of others included.
    programs : frozenset of str
        What any of these words could be called as a program.
    """

    text: str
    words: CommandWords
    every: tuple[tuple[str, ...], ...]
    programs: frozenset[str]


def read_for_rules(text: str) -> CommandText:
    """Take a command apart as far as rules look into it.

    Parameters
    ----------
    text : str
        As it would be run.

    Returns
    -------
    CommandText
        Prepared for `command_matches`.
    """
    words = read_command(text)
    found = dict.fromkeys(
        tuple(word.casefold() for word in command) for command in _all_commands(text, words)
    )
    programs = frozenset(
        name for command in found for word in command for name in _program_names(word)
    )
    return CommandText(text=text, words=words, every=tuple(found), programs=programs)


def path_matches(rule: Rule, path: str, *, folds_case: bool = False) -> bool:
    """Whether a rule speaks of a path.

    Parameters
    ----------
    rule : Rule
        Any rule.
    path : str
        Resolved, relative to the project.
    folds_case : bool
        Whether the file system takes upper and lower case for the same.

    Returns
    -------
    bool
        False for rules of commands.
    """
    if rule.kind != "path":
        return False
    pattern, name = rule_path(rule.pattern), rule_path(path)
    if folds_case:
        pattern, name = pattern.casefold(), name.casefold()
    return pattern == name or rule_pattern(pattern).fullmatch(name) is not None


def command_matches(rule: Rule, command: CommandText) -> bool:
    """Whether a rule speaks of a command.

    Parameters
    ----------
    rule : Rule
        Any rule.
    command : CommandText
        What would be run.

    Returns
    -------
    bool
        False for rules of paths.
    """
    if rule.kind != "command":
        return False
    if rule.action == "allow":
        return _is_allowed(rule.pattern, command)
    if text_matches(rule.pattern, command.text):
        return True
    wanted = rule.pattern.casefold().split()
    if not wanted or ("*" not in wanted[0] and wanted[0] not in command.programs):
        return False
    return any(_speaks_of(wanted, words) for words in command.every)


def text_matches(pattern: str, text: str) -> bool:
    """Compare a pattern with the text of a command as the original does.

    Parameters
    ----------
    pattern, text : str
        Both are compared in lower case, blanks as one space.

    Returns
    -------
    bool
        Whether the text is the pattern, or holds it as whole words.

    References
    ----------
    Braincode, permission grammar: command normalise, command match.
    """
    wanted, found = _normalised(pattern), _normalised(text)
    if "*" in wanted:
        return rule_pattern(wanted).fullmatch(found) is not None
    return bool(wanted) and f" {wanted} " in f" {found} "


def _normalised(text: str) -> str:
    return " ".join(text.split()).lower()


def _is_allowed(pattern: str, command: CommandText) -> bool:
    """Match one simple command whose first words are the pattern's, letter by letter."""
    found, wanted = command.words.words, pattern.split()
    if found is None or not wanted or not text_matches(pattern, command.text):
        return False
    if len(found) < len(wanted):
        return False
    return all(
        rule_pattern(part).fullmatch(word) is not None if "*" in part else part == word
        for part, word in zip(wanted, found, strict=False)
    )


def _all_commands(text: str, words: CommandWords) -> Iterator[Sequence[str]]:
    """Yield every sub-command, those in words of others included."""
    if not words.is_parsed:
        yield _PIECES.findall(re.sub(r"[\\'\"]", "", text))
    waiting = [(command, 0) for command in words.commands]
    seen: set[str] = set()
    while waiting:
        command, depth = waiting.pop()
        yield command
        inner = {word for word in command if _HOLDS_COMMAND.search(word)} - seen
        seen |= inner
        for word in inner if depth < MAX_NESTED_TEXTS else ():
            yield _PIECES.findall(word)
            waiting += [(nested, depth + 1) for nested in read_command(word).commands]


def _speaks_of(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words, in lower case, are or hold what the words of a pattern name."""
    options = [word for word in wanted[1:] if _is_option(word)]
    names = [word for word in wanted[1:] if not _is_option(word)]
    starts = [at + 1 for at, word in enumerate(words) if _is_program(wanted[0], word)]
    return (
        bool(starts)
        and _has_options(options, words[starts[0] :])
        and any(_has_names(names, words[at : at + _LOOKED_AT_WORDS]) for at in starts)
    )


def _is_program(wanted: str, word: str) -> bool:
    names = _program_names(word)
    if "*" in wanted:
        return any(rule_pattern(wanted).fullmatch(name) is not None for name in names)
    return wanted in names


@lru_cache(maxsize=1_024)
def _program_names(word: str) -> tuple[str, ...]:
    """Return what a word in the place of a program may be called: path, name, ``-mNAME``."""
    name = re.split(r"[/\\]", word)[-1].removesuffix(".exe")
    return (word, name, word[2:]) if word.startswith("-m") else (word, name)


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1


def _has_options(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether all options are there, in any order, grouping and spelling."""
    if not wanted:
        return True
    given = [word for word in words if _is_option(word)]
    letters = {letter for word in given if not word.startswith("--") for letter in word[1:]}
    long = {word.partition("=")[0] for word in given if word.startswith("--")}
    return all(_has_option(option, letters=letters, long=long) for option in wanted)


def _has_option(option: str, *, letters: set[str], long: set[str]) -> bool:
    if option.startswith("--"):
        return _has_long(option, long) or _SHORT_FORMS.get(option, "") in letters
    return all(
        letter in letters or _has_long(_LONG_FORMS.get(letter, ""), long) for letter in option[1:]
    )


def _has_long(option: str, given: set[str]) -> bool:
    """Whether a long option, or an abbreviation of it, is there."""
    return bool(option) and any(option.startswith(name) and len(name) > 2 for name in given)  # noqa: PLR2004 - the dashes


def _has_names(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether sub-command words come first; any option may take the next word for its value."""
    states = {0}
    for word in words:
        if len(wanted) in states:
            return True
        states = _after(word, states, wanted=wanted)
    return len(wanted) in states or (len(words) == _LOOKED_AT_WORDS and bool(states))


_AFTER_OPTION = -1_000


def _after(word: str, states: set[int], *, wanted: Sequence[str]) -> set[int]:
    """Return how many wanted words are found; below zero: an option may take the next word."""
    reached: set[int] = set()
    for state in states:
        found = state - _AFTER_OPTION if state < 0 else state
        if state < 0:
            reached.add(found)
        if _is_option(word):
            reached |= {found, found + _AFTER_OPTION}
        elif found < len(wanted) and _equals(wanted[found], word):
            reached.add(found + 1)
    return reached


def _equals(wanted: str, word: str) -> bool:
    return rule_pattern(wanted).fullmatch(word) is not None if "*" in wanted else wanted == word
