"""The words of a segment's documents, for filters such as `text:battery`: SQLite's full-text index (FTS5), a row a document.

Words are kept as they are written, in small letters and without accents, with their places, so phrases are found exactly. The
table `stems` says which of them have one stem, by the stemmer that is part of FTS5 (Porter's, for English): a word alone is
looked for in all its forms. Passages of a document, and names of several people, are set apart by a word that no text can hold.

The file is written once, from memory, and checked whole before its first use.
"""

from __future__ import annotations

import errno
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.index.records import DocumentRecord, PassageRecord, strings
from sparse_coverage.kernels import Mask

FIELDS = {
    "text": ("title", "claims", "body"),
    "title": ("title",),
    "claims": ("claims",),
    "applicant": ("applicant",),
    "inventor": ("inventor",),
}
"""The fields that words are looked for in, and the columns that make each. `body` is all that is no claim."""
_COLUMNS = ("title", "claims", "body", "applicant", "inventor")
_STEMMED = frozenset({"text", "title", "claims"})  # names have no forms
_WORDS = "tokenize='unicode61 remove_diacritics 2'"
_STEMS = "tokenize='porter unicode61 remove_diacritics 2'"
_APART = "\ue000"  # of private use: a word of its own to the tokeniser, and taken out of every text
_BATCH = 10_000
_MOST_KNOWN = 32  # answers that a reader keeps


@lru_cache(1)
def can_keep_words() -> bool:
    """Tell whether SQLite has FTS5 here; it nearly always does."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        except sqlite3.OperationalError:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words to look for in a field: one of them in any form, several as a phrase; `open_end` where the last may go on."""

    field: str
    words: tuple[str, ...]
    open_end: bool = False

    @property
    def any_form(self) -> bool:
        """Whether all words with the same stem will do."""
        return len(self.words) == 1 and not self.open_end and self.field in _STEMMED


def wanted_words(text: str, field: str) -> Wanted:
    """Read what a user looks for: `battery`, `"phase change"`, `lead-acid` (a phrase of two words), `batter*`.

    >>> wanted_words("Lead-Acid", "text").words, wanted_words("batter*", "title").open_end
    (('lead', 'acid'), True)
    """
    if field not in FIELDS:
        raise InputError(f"There is no field '{field}' to look for words in. There are {', '.join(FIELDS)}.")
    words = tuple(split_words(text))
    if not words:
        raise InputError(f"'{text}' holds no word to look for.")
    return Wanted(field, words, text.rstrip().endswith("*"))


def split_words(text: str) -> list[str]:
    """Return the words of a text as they are looked for."""
    return [word for word, _ in _tokens([text.replace(_APART, " ")], _WORDS)]


@lru_cache(1 << 10)
def stem_of(word: str) -> str:
    """Return the stem of a word."""
    return next((stem for stem, _ in _tokens([word], _STEMS)), word)


class WordWriter:
    """Gathers the words of a new segment's documents, and writes them as one file."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.executescript(
            f"""
            PRAGMA page_size = 4096;
            PRAGMA synchronous = OFF;
            CREATE VIRTUAL TABLE words USING fts5({", ".join(_COLUMNS)}, content='', columnsize=0, {_WORDS});
            CREATE TABLE stems (stem TEXT, word TEXT, PRIMARY KEY (stem, word)) WITHOUT ROWID;
            CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row);
            BEGIN;
            """
        )

    def add(self, number: int, record: DocumentRecord, passages: Sequence[PassageRecord]) -> None:
        """Add a document with all its passages."""
        columns = (
            [record.title],
            [passage.text for passage in passages if passage.section == "claims"],
            [passage.text for passage in passages if passage.section != "claims"],
            strings(record.metadata.get("applicants")),
            strings(record.metadata.get("inventors")),
        )
        row = (number, *map(_joined, columns))
        self._connection.execute(f"INSERT INTO words (rowid, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)", row)

    def finish(self, path: Path) -> None:
        """Write everything to a file, always the same bytes for the same documents."""
        words = [word for (word,) in self._connection.execute("SELECT term FROM vocabulary WHERE term <> ?", (_APART,))]
        stems = ((stem, words[place]) for stem, place in _tokens(_batches(words), _STEMS))
        self._connection.executemany(
            "INSERT OR IGNORE INTO stems VALUES (?, ?)", (pair for pair in stems if pair[0] != pair[1])
        )
        self._connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._connection.execute("COMMIT")
        self._connection.execute("DROP TABLE temp.vocabulary")
        self._connection.execute("VACUUM INTO ?", (str(path),))
        self._connection.close()

    def abandon(self) -> None:
        """Let go of everything."""
        self._connection.close()


class WordReader:
    """Finds the documents of a segment that hold some words, from any thread. Holds its file open, as `TextReader` does."""

    def __init__(self, path: Path, checksum: str) -> None:
        self._path = path
        self._checksum = checksum
        self._lock = threading.Lock()
        self._known: dict[Wanted, Mask] = {}
        self._unchecked = path.open("rb")
        uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        except sqlite3.OperationalError as error:
            self._unchecked.close()
            if not path.exists():  # a merge took it away since; SQLite does not say why it cannot open a file
                raise FileNotFoundError(errno.ENOENT, "No such file", str(path)) from None
            raise self._damaged(str(error)) from None
        # Opens the file. What cannot be read is told when it is asked for: other searches do without it.
        self._damage = ""
        try:
            self._connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.DatabaseError as error:
            self._damage = str(error)

    def documents(self, wanted: Wanted, count: int) -> Mask:
        """Return which of so many documents hold the words."""
        with self._lock:
            if (
                wanted in self._known
            ):  # one filter is asked several times: to search, to explain, to tell what it leaves out
                return np.array(self._known[wanted])
            self._check()
            try:
                # One text with all the numbers: rows would take three times as long.
                rows = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
                [(found,)] = self._connection.execute(rows, (self._query(wanted),)).fetchall()
            except sqlite3.OperationalError as error:
                if "no such module" in str(error):
                    raise InputError(_NO_FTS5) from None
                raise self._damaged(str(error)) from None
            except sqlite3.DatabaseError as error:
                raise self._damaged(str(error)) from None
            mask = np.zeros(count, dtype=bool)
            mask[np.fromstring(found or "", dtype=np.int64, sep=",")] = True
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[wanted] = mask
        return np.array(mask)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._unchecked.close()
            self._connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()
        if hasattr(self, "_unchecked"):
            self._unchecked.close()

    def _query(self, wanted: Wanted) -> str:
        if wanted.any_form:
            stem = stem_of(wanted.words[0])
            found = self._connection.execute("SELECT word FROM stems WHERE stem = ?", (stem,)).fetchall()
            forms = sorted({word for (word,) in found} | ({stem} if stem_of(stem) == stem else set()))
            words = " OR ".join(map(_quoted, forms)) or _quoted(wanted.words[0])
        else:
            words = _quoted(" ".join(wanted.words)) + (" *" if wanted.open_end else "")
        return f"{{{' '.join(FIELDS[wanted.field])}}} : ({words})"

    def _check(self) -> None:
        if self._unchecked.closed:
            return
        digest = sha256()
        while block := self._unchecked.read(1 << 20):
            digest.update(block)
        if digest.hexdigest() != self._checksum:
            self._unchecked.seek(0)
            raise self._damaged(self._damage or "wrong sha256")
        self._unchecked.close()

    def _damaged(self, cause: str) -> IndexStoreError:
        return IndexStoreError(
            f"{self._path}: damaged ({cause}). Restore the file from a copy, or build the index again."
        )


_NO_FTS5 = (
    "Filters by words need SQLite with FTS5, which this Python was built without. The installers of python.org, conda and the "
    "usual Linux distributions have it."
)


def no_words(folder: Path) -> InputError:
    """Return what to tell where a segment has no words to look for."""
    if not can_keep_words():
        return InputError(_NO_FTS5)
    return InputError(
        f"{folder}: this index was written by a version that kept no words, so it cannot be filtered by them. Add them with: "
        f"sparse-coverage index refresh {folder}"
    )


def _joined(texts: Iterable[str]) -> str:
    return f" {_APART} ".join(text.replace(_APART, " ") for text in texts)


def _batches(words: Sequence[str]) -> Iterator[str]:
    for first in range(0, len(words), _BATCH):
        yield " ".join(words[first : first + _BATCH])


def _tokens(texts: Iterable[str], tokeniser: str) -> list[tuple[str, int]]:
    """Return the words that FTS5 makes of texts, each with its place among all of them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, content='', columnsize=0, {tokeniser})")
        connection.execute("CREATE VIRTUAL TABLE places USING fts5vocab(texts, instance)")
        found: list[tuple[str, int]] = []
        for text in texts:
            connection.execute("INSERT INTO texts (rowid, text) VALUES (1, ?)", (text,))
            rows = connection.execute('SELECT term, "offset" FROM places').fetchall()
            first = len(found)
            found += sorted(((term, first + place) for term, place in rows), key=lambda pair: pair[1])
            connection.execute("INSERT INTO texts (texts) VALUES ('delete-all')")
    return found


def _quoted(text: str) -> str:
    return '"' + re.sub('"', '""', text) + '"'
