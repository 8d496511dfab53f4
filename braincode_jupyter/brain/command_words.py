"""The words of a command line, read as a POSIX shell reads them.

Only a command that is one plain list of literal words can be matched by an allow rule or be run
without a shell. Everything else is still taken apart, nested substitutions and lists included, so
that deny rules see the words of every sub-command. What cannot be read is said to be so; nothing
is guessed in its favour.

References
----------
POSIX.1-2024, Shell Command Language, sections 2.2 (quoting), 2.3 (tokens), 2.7 (redirection) and
2.10 (grammar). Brace expansion and ``$'…'`` are of bash; here they only make a word not literal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from braincode_jupyter.brain.text import visible

MAX_COMMAND_CHARS = 16_384
"""A longer command is not read."""
MAX_DEPTH = 24
"""Substitutions and groups inside each other; deeper ones are not read."""

_BLANK = " \t"
_OPERATORS = ";&|()<>\n"
_EXPANDED = "*?[]{}~"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_RESERVED = frozenset({
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandWords:
    """A command line taken apart.

    Parameters
    ----------
    commands : tuple of tuple of str
        Words of every sub-command, quotes removed; expansions stand as they were written.
    not_simple : str
        Why it is more than one plain list of literal words, or why it could not be read; empty for
        a simple command.
    is_parsed : bool
        Whether it could be read to its end.
    """

    commands: tuple[tuple[str, ...], ...]
    not_simple: str
    is_parsed: bool = True

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words to run without a shell; None if a shell would be needed."""
        return None if self.not_simple or not self.commands else self.commands[0]


class _UnreadableError(Exception):
    """The text is no complete command."""


@dataclass(slots=True)
class _Reader:
    """Reads one text from left to right; nested texts share its findings."""

    text: str
    depth: int = 0
    position: int = 0
    commands: list[tuple[str, ...]] = field(default_factory=list["tuple[str, ...]"])
    reasons: list[str] = field(default_factory=list[str])

    def read(self, closer: str = "") -> None:
        """Read commands up to the end, or to the ``)`` that closes a group."""
        words: list[str] = []
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in _BLANK:
                self.position += 1
            elif char == "#":
                self._note("a comment")
                self._skip_comment()
            elif char in _OPERATORS:
                if char == ")" and closer == ")":
                    self.position += 1
                    self._end(words)
                    return
                words = self._operator(words)
            else:
                self._word(words)
        self._end(words)
        if closer:
            raise _UnreadableError("a group that is not closed")

    def _note(self, reason: str) -> None:
        self.reasons.append(reason)

    def _end(self, words: list[str]) -> None:
        if words:
            self.commands.append(tuple(words))

    def _skip_comment(self) -> None:
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end

    def _operator(self, words: list[str]) -> list[str]:
        """Read an operator; return the words that the command goes on with."""
        char = self.text[self.position]
        self.position += 1
        if char in "<>":
            self._note("a redirection")
            return self._redirection(words)
        self._end(words)
        if char == "(":
            self._note("a group")
            self._nested_group()
        elif char == ")":
            raise _UnreadableError("a ) without its (")
        else:
            self._note("more than one line" if char == "\n" else f"the operator {char}")
        return []

    def _redirection(self, words: list[str]) -> list[str]:
        rest = self.text[self.position : self.position + 2]
        if rest.startswith("("):
            return words
        self.position += len(rest) - len(rest.lstrip("<>&|-"))
        while self.text[self.position : self.position + 1] in (" ", "\t"):
            self.position += 1
        if self.position < len(self.text) and self.text[self.position] not in _OPERATORS:
            self._word([])
        return words

    def _nested_group(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _UnreadableError("too many levels")
        self.read(")")
        self.depth -= 1

    def _word(self, words: list[str]) -> None:
        """Read one word and add it; a number before a redirection is none."""
        parts: list[str] = []
        start = self.position
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in _BLANK or char in _OPERATORS:
                break
            parts.append(self._piece(char))
        raw, word = self.text[start : self.position], "".join(parts)
        if raw.isdigit() and self.text[self.position : self.position + 1] in ("<", ">"):
            return
        if not words:
            self._check_first(raw)
        words.append(word)

    def _check_first(self, raw: str) -> None:
        if _ASSIGNMENT.match(raw):
            self._note("an assignment")
        elif raw in _RESERVED:
            self._note(f"the shell word {raw}")

    def _piece(self, char: str) -> str:
        """Read one quoted or plain piece of a word."""
        self.position += 1
        if char == "'":
            return self._until_quote()
        if char == '"':
            return self._double_quoted()
        if char == "\\":
            return self._escaped()
        if char == "$":
            return self._expansion()
        if char == "`":
            return self._backquoted()
        if char in _EXPANDED:
            self._note(f"the unquoted character {char}")
        return char

    def _until_quote(self) -> str:
        end = self.text.find("'", self.position)
        if end < 0:
            raise _UnreadableError("a quote that is not closed")
        found = self.text[self.position : end]
        self.position = end + 1
        return found

    def _escaped(self) -> str:
        if self.position >= len(self.text):
            raise _UnreadableError("a backslash at the end")
        char = self.text[self.position]
        self.position += 1
        if char == "\n":
            self._note("more than one line")
            return ""
        return char

    def _double_quoted(self) -> str:
        parts: list[str] = []
        while self.position < len(self.text):
            char = self.text[self.position]
            self.position += 1
            if char == '"':
                return "".join(parts)
            if char == "\\" and self.text[self.position : self.position + 1] in tuple('$`"\\\n'):
                parts.append(self._escaped())
            elif char == "$":
                parts.append(self._expansion(in_quotes=True))
            elif char == "`":
                parts.append(self._backquoted())
            else:
                parts.append(char)
        raise _UnreadableError("a quote that is not closed")

    def _expansion(self, *, in_quotes: bool = False) -> str:
        """Read what follows a ``$``; return it as it was written."""
        start = self.position - 1
        char = self.text[self.position : self.position + 1]
        self._note("a substitution" if char == "(" else "an expansion")
        if char == "(":
            self.position += 1
            self._nested_group()
        elif char == "{":
            self.position += 1
            self._braced()
        elif char and char in "'\"" and not in_quotes:
            return ""
        return self.text[start : self.position]

    def _braced(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _UnreadableError("too many levels")
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "}":
                self.position += 1
                self.depth -= 1
                return
            self._piece(char)
        raise _UnreadableError("an expansion that is not closed")

    def _backquoted(self) -> str:
        self._note("a substitution")
        match = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL).match(self.text, self.position)
        end = match.end() if match else self.position
        if self.text[end : end + 1] != "`":
            raise _UnreadableError("a substitution that is not closed")
        inner = re.sub(r"\\([$`\\])", r"\1", self.text[self.position : end])
        self.position = end + 1
        if self.depth >= MAX_DEPTH:
            raise _UnreadableError("too many levels")
        _Reader(inner, self.depth + 1, 0, self.commands, self.reasons).read()
        return f"`{inner}`"


def read_command(text: str) -> CommandWords:
    """Take a command line apart.

    Parameters
    ----------
    text : str
        What would be run.

    Returns
    -------
    CommandWords
        Its sub-commands, and why it is not simple if it is not.
    """
    if len(text) > MAX_COMMAND_CHARS:
        return CommandWords(commands=(), not_simple="it is too long", is_parsed=False)
    reader = _Reader(text)
    try:
        reader.read()
    except _UnreadableError as error:
        return CommandWords(commands=tuple(reader.commands), not_simple=str(error), is_parsed=False)
    return CommandWords(commands=tuple(reader.commands), not_simple=_why_not_simple(reader, text))


def _why_not_simple(reader: _Reader, text: str) -> str:
    spaced = text.replace("\t", " ").replace("\n", " ")
    if visible(spaced) != spaced:
        return "an invisible character"
    if reader.reasons:
        return reader.reasons[0]
    if not reader.commands or not reader.commands[0][0]:
        return "it names no program"
    return "" if len(reader.commands) == 1 else "more than one command"
