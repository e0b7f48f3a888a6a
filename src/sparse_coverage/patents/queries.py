"""What a user searches with: a text, a file of any kind that is read here, or claims of a patent, dependent ones expanded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Claim, Patent

ALL = "all"
"""What names every claim of a text, each without its number, where their numbers could be given."""
_HEAD = 1 << 16
_NAMES_CANCELLED = re.compile(r"(?:\d\s?[.:)]\s?|\()(?:cancell?ed|withdrawn|deleted)\b", re.I)
_RANGE = re.compile(r"(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?")
FILE_SUFFIXES = frozenset(
    ".txt .md .xml .json .jsonl .ndjson .csv .tsv .xlsx .xlsm .xls .docx .doc .pdf .rtf .odt .html .htm".split()
)


@dataclass(frozen=True, slots=True)
class QueryText:
    """The text to search with, and where it comes from, in words for people; nothing where a user typed it.

    `claims` are those that the text was put together from, where it was.
    """

    text: str
    source: str = ""
    claims: tuple[Claim, ...] = ()

    @property
    def numbered(self) -> str:
        """The text with the number of each claim before it, so that reading it gives the same claims again; 1 alone needs none."""
        return numbered_text(self.claims) if [one.number for one in self.claims] not in ([], [1]) else self.text


def looks_like_file(text: str) -> bool:
    """Tell whether a text is the name of a file rather than words to search for: one line, and a suffix that files have.

    >>> looks_like_file("my claim.pdf"), looks_like_file("A pump. It has a valve")
    (True, False)
    """
    return "\n" not in text and len(text) < 200 and Path(text.strip()).suffix.lower() in FILE_SUFFIXES


def claim_numbers(wanted: str) -> list[int]:
    """Return the numbers in a list such as `1,3-5`.

    >>> claim_numbers("1, 3-5")
    [1, 3, 4, 5]
    """
    numbers: list[int] = []
    for part in wanted.split(","):
        match = _RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or first < 1:
            raise InputError(f"Claims are numbers with commas and dashes between them, as 1,3-5, not '{wanted}'.")
        numbers += range(first, last + 1)
    return list(dict.fromkeys(numbers))


def claims_query(claims: Sequence[Claim], wanted: str | None, of: str) -> QueryText:
    """Return claims as a query: all of them, or those wanted, each with the claims it depends on. `of` names where they are from.

    Cancelled claims are none.
    """
    from sparse_coverage.patents.claims import expand_claim, is_cancelled

    claims = [claim for claim in claims if not is_cancelled(claim.text)]
    known = {claim.number for claim in claims}
    numbers = claim_numbers(wanted) if wanted not in (None, ALL) else sorted(known)
    if missing := [number for number in numbers if number not in known]:
        there = listed_numbers(sorted(known)) if known else "none"
        raise InputError(f"{of} has no claim {listed_numbers(missing)}; it has claims {there}.")
    chosen = {claim.number: claim for number in numbers for claim in expand_claim(claims, number)}
    ordered = [chosen[number] for number in sorted(chosen)]
    source = f"claim{'s' * (len(numbers) > 1)} {listed_numbers(sorted(numbers))} of {of}"
    if lent := sorted(chosen.keys() - set(numbers)):
        depend = "they depend" if len(numbers) > 1 else "it depends"
        source += f", with claim{'s' * (len(lent) > 1)} {listed_numbers(lent)}, on which {depend}"
    return QueryText("\n".join(claim.text for claim in ordered), source, tuple(ordered))


def numbered_text(claims: Sequence[Claim]) -> str:
    """Return claims one a line, each behind its number; what is missing between them is said to be cancelled.

    >>> numbered_text([Claim(2, "A lamp.", ""), Claim(4, "The lamp of claim 2.", "", (2,))])
    '2. A lamp.\\n3. (cancelled)\\n4. The lamp of claim 2.'
    """
    lines: list[str] = []
    for before, claim in zip([None, *claims], claims, strict=False):
        first = before.number + 1 if before else claim.number
        lines += [f"{number}. (cancelled)" for number in range(first, claim.number)]
        lines.append(f"{claim.number}. {' '.join(claim.text.split())}")
    return "\n".join(lines)


def listed_numbers(numbers: Sequence[int]) -> str:
    """Return rising numbers as people write them.

    >>> listed_numbers([1, 3, 4, 5, 8, 9])
    '1, 3-5, 8, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def patent_query(patent: Patent, wanted: str | None = None, of: str = "") -> QueryText:
    """Return a patent as a query: its claims, or those wanted; without any claims, its abstract, else its description."""
    from sparse_coverage.patents.claims import is_cancelled

    of = of or patent.id
    if wanted is not None or not all(is_cancelled(claim.text) for claim in patent.claims):
        return claims_query(patent.claims, wanted, of)
    for what, parts in (("the abstract", patent.abstract), ("the text", patent.description)):
        if parts:
            return QueryText(
                "\n".join(part.text for part in parts), f"{what} of {of}, which has no claims that can be told"
            )
    if patent.title:
        return QueryText(patent.title, f"the title of {of}, of which there is nothing else")
    raise InputError(f"{of} has no text to search with.")


def text_query(text: str, wanted: str | None = None, of: str = "") -> QueryText:
    """Return a text as a query: all of it but for cancelled claims, or the claims wanted, by the numbers printed before them.

    >>> text_query("1 - 48. (canceled) 49. A lamp with a dimmer.").text
    '49. A lamp with a dimmer.'
    """
    from sparse_coverage.patents.claims import (
        as_amended,
        begins_with_number,
        is_cancelled,
        numbered_claims,
        split_claims,
    )

    text = as_amended(text)
    if wanted is None and not _NAMES_CANCELLED.search(text):
        return QueryText(text, of)
    pieces = split_claims(text)
    if wanted is None:
        left = [piece for piece in pieces if not is_cancelled(piece)]
        if not left:
            raise InputError(f"Every claim of {of or 'the query'} is cancelled. Give one with a text.")
        return QueryText("\n".join(left) if len(left) < len(pieces) else text, of)
    if not any(begins_with_number(piece) for piece in pieces):
        raise InputError(
            f"{of or 'The query'} is one text without numbered claims, so --claims {wanted} names none of it."
        )
    return claims_query(numbered_claims(pieces), wanted, of or "the query")


def file_query(path: Path, wanted: str | None = None) -> QueryText:
    """Return what a file holds as a query: a text as it is; of a patent, a Word or a PDF file the claims, as `patent_query` does."""
    return file_query_and_patent(path, wanted)[0]


def file_query_and_patent(path: Path, wanted: str | None = None) -> tuple[QueryText, Patent | None]:
    """Return what a file holds as a query, and the patent that it was read as; None where it is a plain text."""
    # Loaded here: whoever searches with words needs no reader.
    from sparse_coverage.patents.readers import recognised
    from sparse_coverage.patents.reading.context import raise_problem
    from sparse_coverage.patents.reading.read import read_patents, unknown_file
    from sparse_coverage.patents.reading.sources import require_file

    require_file(path)
    content = path.read_bytes()
    if recognised(content[:_HEAD]):
        patents = read_patents(path, language="any", on_problem=raise_problem)
        first, second = next(patents, None), next(patents, None)
        if first is None:
            raise InputError(f"{path} holds no patent to search with.")
        if second is not None:
            raise InputError(
                f"{path} holds several patents. Search with all of them by --queries {path}, or give a file with one."
            )
        named = str(path) if first.id == path.stem.replace(" ", "-") else f"{first.id} ({path})"
        return patent_query(first, wanted, named), first
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = unknown_file(content[:_HEAD].lstrip())
        if not what.startswith("no patent format"):
            raise InputError(f"{path}: {what}") from None
        place = f"byte {error.start} is {content[error.start]:#04x}"
        raise InputError(f"{path} is not UTF-8: {place}. Save it as UTF-8.") from None
    if listed_in(path):
        raise InputError(
            f"{path} is a list of publication numbers. Search with each of them by --queries {path}, or among them alone by "
            f"--only {path}."
        )
    return text_query(text, wanted, str(path)), None


def listed_in(path: Path) -> tuple[str, ...]:
    """Return the publication numbers of a file that holds a list of them and nothing else: a text, or a table without any text."""
    from sparse_coverage.patents.numbers import read_numbers
    from sparse_coverage.patents.readers import recognised
    from sparse_coverage.patents.reading.read import read_patents

    if path.is_dir():
        return ()
    with path.open("rb") as stream:
        reader = recognised(stream.read(_HEAD))
    if reader is not None and reader.name not in ("table", "xlsx", "xls"):
        return ()
    if reader is not None:
        patents = islice(read_patents(path, language="any", on_problem=lambda problem: None), 20)
        if any(patent.claims or patent.abstract or patent.description for patent in patents):
            return ()
    try:
        found = read_numbers(path)
    except InputError:
        return ()
    return () if found.others else found.numbers
