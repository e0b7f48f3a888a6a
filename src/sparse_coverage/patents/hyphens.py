"""Words that a line end cut in two are put together again."""

from __future__ import annotations

import re

_SOFT_HYPHEN = "\u00ad"
_BREAK = re.compile(r"(?<=[^\W\d_])-([ \t]*\n\s*| )(?=[^\W\d_])|\u00ad(?:[ \t]*\n\s*)?")
_HEAD = re.compile(r"[^\W\d_]{1,40}$")
_TAIL = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUSPENDED = frozenset("and or to und oder bis et ou".split())


def join_broken_words(text: str) -> str:
    """Return a text with the words joined that a line end, or the space that replaced it, cut in two.

    The hyphen goes only where the text has the whole word elsewhere; "state-of-⏎the-art" is nothing to guess about. "two-
    and three-dimensional" is no broken word.

    >>> join_broken_words("a semi-\\nconductor is a semiconductor, well-\\nknown")
    'a semiconductor is a semiconductor, well-known'
    """
    words: set[str] | None = None

    def joined(match: re.Match[str]) -> str:
        nonlocal words
        if match[0].startswith(_SOFT_HYPHEN):
            return ""
        tail_match = _TAIL.match(text, match.end())
        head_match = _HEAD.search(text[max(0, match.start() - 40) : match.start()])
        tail = tail_match[0] if tail_match else ""
        if head_match is None or not tail[:1].islower() or tail in _SUSPENDED:
            return match[0]
        if words is None:
            words = {word.lower() for word in _WORD.findall(text.replace(_SOFT_HYPHEN, ""))}
        head = head_match[0].lower()
        if f"{head}{tail}".lower() in words and f"{head}-{tail}".lower() not in words:
            return ""
        return "-" if "\n" in match[1] else match[0]

    return _BREAK.sub(joined, text)
