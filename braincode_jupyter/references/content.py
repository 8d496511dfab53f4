"""What a reference gave: content, or the reason why there is none.

A resolver returns `Content` or `Missing`; it raises `UnresolvedReferenceError` for what stops the
run. `ResolvedReference` ties the outcome to the token and makes sections and the record of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.records import ReferenceUsed
from braincode_jupyter.protocol.sections import Section

if TYPE_CHECKING:
    from braincode_jupyter.brain.grammar import Reference
    from braincode_jupyter.protocol.records import ReferenceKind
    from braincode_jupyter.protocol.sections import ImagePart

TITLES: dict[ReferenceKind, str] = {
    "file": "File",
    "image": "Image",
    "session": "Session",
    "cell": "Cell",
    "output": "Output",
    "variable": "Variable",
}
"""Fixed headings of reference sections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a reference points at, ready to be sent.

    Parameters
    ----------
    kind : ReferenceKind
        What it turned out to be; an ``@path`` may be a file or an image.
    uri : str
        Pointer to it: path inside the project, ``cell:ID``, ``var:NAME``, ``session:ID``.
    label : str
        What is sent, for people.
    text : str
        What is sent, as text.
    images : tuple of ImagePart
        What is sent, as pictures.
    cut : str or None
        What was left out; None if all was sent.
    masked : int
        Values that looked like keys and were masked.
    """

    kind: ReferenceKind
    uri: str
    label: str
    text: str
    images: tuple[ImagePart, ...] = ()
    cut: str | None = None
    masked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Why there is no content; the run goes on and says so.

    ``reason`` is told to the models too, ``hint`` (near names) to the user alone: what was not
    referenced must not reach a prompt.
    """

    kind: ReferenceKind
    uri: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedReference:
    """One reference of the request and what it gave."""

    reference: Reference
    outcome: Content | Missing

    @property
    def sections(self) -> tuple[Section, ...]:
        """The labelled pieces of a prompt: the text, then one per further image."""
        outcome, token = self.outcome, self.reference.token
        title = TITLES[outcome.kind]
        if isinstance(outcome, Missing):
            text = f"Reference {token} could not be inlined: {outcome.reason}."
            return (_section(title, token, text),)
        if outcome.kind == "image" and len(outcome.images) == 1:
            return (_section(title, token, outcome.text, image=outcome.images[0]),)
        pictures = (
            _section("Image", token, f"Picture {number} of {token}.", image=image)
            for number, image in enumerate(outcome.images, start=1)
        )
        return (_section(title, token, outcome.text), *pictures)

    def record(self, timestamp: int) -> ReferenceUsed:
        """Return the journal's record of this reference: a pointer and a digest, not the text."""
        outcome, token = self.outcome, self.reference.token
        if isinstance(outcome, Missing):
            return ReferenceUsed(
                timestamp=timestamp,
                token=token,
                kind=outcome.kind,
                state="missing",
                uri=outcome.uri,
                label="nothing",
                reason=outcome.reason,
            )
        payload = [encoded(outcome.text), *(image.data for image in outcome.images)]
        return ReferenceUsed(
            timestamp=timestamp,
            token=token,
            kind=outcome.kind,
            state="sent" if outcome.cut is None else "cut",
            uri=outcome.uri,
            label=outcome.label,
            size_bytes=sum(map(len, payload)),
            sha256=_digest(payload),
            reason=outcome.cut,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """All references of a request, in order of their first occurrence.

    The request itself is not changed. ``warnings`` holds one sentence for each reference that is
    missing.
    """

    references: tuple[ResolvedReference, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sections(self) -> tuple[Section, ...]:
        """Sections of all references, in order."""
        return tuple(section for item in self.references for section in item.sections)

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """Attached images; as soon as there is one, text agents must see."""
        return tuple(
            image
            for item in self.references
            if isinstance(item.outcome, Content)
            for image in item.outcome.images
        )

    def records(self, timestamp: int) -> tuple[ReferenceUsed, ...]:
        """Return one record per reference."""
        return tuple(item.record(timestamp) for item in self.references)


def too_large(uri: str, size: int, limit: int) -> Missing:
    """Return what is said of a file over a limit."""
    return Missing(kind="file", uri=uri, reason=f"file is {size} bytes (limit {limit})")


def encoded(text: str) -> bytes:
    """Return UTF-8 bytes of any text, lone surrogates included."""
    return text.encode("utf-8", errors="surrogatepass")


def _section(title: str, token: str, text: str, *, image: ImagePart | None = None) -> Section:
    return Section(
        kind="reference", owner="user", source=token, title=title, text=text, image=image
    )


def _digest(payload: list[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in payload:
        digest.update(piece)
    return digest.hexdigest()
