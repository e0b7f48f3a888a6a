"""From what a user names (files, folders, patterns, `-`) to the plain files in there, one after the other.

Compressed files and archives are looked into as streams. No member is ever unpacked to disk.
"""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Problem
from sparse_coverage.patents.readers.text_files import is_office_file
from sparse_coverage.patents.reading.context import MEBIBYTE, Limits, ReadError

STDIN = "-"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # which begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BEIR_CORPUS, BEIR_QUERIES = "corpus.jsonl", "queries.jsonl"
BEIR_SKIPPED = "the queries of a test collection, not its documents. Name the file itself to read it."


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file among the sources. `named` is False for one that was found in a folder; `skipped` says why it is not read."""

    path: str
    named: bool = False
    skipped: str = ""


def expand(names: Sequence[str]) -> Iterator[tuple[str, Iterator[SourceFile]]]:
    """Yield what the sources name, one by one and in a stable order: a file or folder, and the files in there."""
    for name in names:
        for match in [name] if name == STDIN or Path(name).exists() else _matches(name):
            path = Path(match)
            yield match, _files(path) if match != STDIN and path.is_dir() else iter([SourceFile(match, named=True)])


def source_names(source: str | Path | Sequence[str | Path]) -> list[str]:
    """Return the sources as a list of names."""
    return [str(source)] if isinstance(source, str | Path) else [str(one) for one in source]


def require_present(names: Sequence[str]) -> None:
    """Raise an error that lists the names that are nowhere, or names a pipe or a device."""
    if absent := missing(names):
        raise InputError(f"no such file or folder, and no file matches it as a pattern: {', '.join(absent)}")
    for name in names:
        if name != STDIN:
            require_file(Path(name))


def missing(sources: Sequence[str]) -> list[str]:
    """Return the names that are neither a file nor a folder nor a pattern that matches one."""
    return [name for name in sources if name != STDIN and not Path(name).exists() and not _matches(name)]


def _matches(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207, a pattern may be absolute


def _files(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[SourceFile]:
    """Walk a folder in the order of names, whatever the file system's. Hidden files are not patents."""
    real = folder.resolve()
    if real in above:
        yield SourceFile(str(folder), skipped="a link back to a folder that it lies in")
        return
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        yield SourceFile(str(folder))  # cannot be listed, and will be reported when it cannot be opened either
        return
    for path in paths:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path, (*above, real))
        elif not path.is_file():
            yield SourceFile(
                str(path), skipped="a link to nothing" if path.is_symlink() else "neither a file nor a folder"
            )
        elif path.name == BEIR_QUERIES and (folder / BEIR_CORPUS).exists():
            yield SourceFile(str(path), skipped=BEIR_SKIPPED)
        else:
            yield SourceFile(str(path))


def require_file(path: Path) -> None:
    """Refuse a named pipe or a device, which can be read only once, and where nothing may ever come."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{path} is a pipe or a device, not a file. Give its content on standard input: … - < {path}")


def wide_encoding(head: bytes) -> str:
    """Return the encoding of a text of two or four bytes a letter, from its mark or from where its zeros are; else nothing.

    >>> wide_encoding("id,title".encode("utf-16")), wide_encoding("id,title".encode("utf-16-le")), wide_encoding(b"id,title")
    ('utf-16', 'utf-16-le', '')
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    sample = head[: min(len(head), 4096) // 2 * 2]
    zeros = sample[1::2].count(0), sample[::2].count(0)
    enough = len(sample) // 2 * 0.6
    if len(sample) < 8 or min(zeros) > enough / 10 or max(zeros) < enough:
        return ""
    return "utf-16-le" if zeros[0] > zeros[1] else "utf-16-be"


class Recoded(io.RawIOBase):
    """A stream of wide letters as UTF-8, in which all the rest is read. What is no letter becomes a replacement character."""

    def __init__(self, inner: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._inner = inner
        self._decode = codecs.getincrementaldecoder(encoding)("replace").decode
        self._left = b""

    def readable(self) -> bool:
        """Return True: this stream is for reading."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer, as `io.BufferedReader` asks."""
        view = memoryview(target).cast("B")
        while not self._left and (block := self._inner.read(MEBIBYTE)):
            self._left = self._decode(block).encode("utf-8", "replace")
        data, self._left = self._left[: len(view)], self._left[len(view) :]
        view[: len(data)] = data
        return len(data)


def open_source(name: str) -> BinaryIO:
    """Open a file, or standard input."""
    return sys.stdin.buffer if name == STDIN else Path(name).open("rb")


Stream = tuple[str, "io.BufferedReader[Any]"]
Refuse = Callable[[Problem], None]
_HEAD = 512
_ZIP_END = 22 + 0xFFFF  # the record at the end of a zip file and the longest comment
# What the standard library raises on a damaged, encrypted or unsupported archive.
_DAMAGE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError, ValueError)
_OUTSIDE = "refused: the path of this member leads out of the archive."


class Counted(io.RawIOBase):
    """A stream that counts its bytes, stops when they become too many, and reports damage in one way."""

    def __init__(self, inner: IO[bytes], limit: Callable[[], int] | None = None) -> None:
        super().__init__()
        self._read: Callable[[int], bytes] = getattr(inner, "read1", inner.read)
        self._limit = limit
        self._damage: ReadError | None = None
        self.count = 0

    def readable(self) -> bool:
        """Return True: this stream is for reading."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer, as `io.BufferedReader` asks. What stands before a damaged place is given first."""
        view, filled = memoryview(target).cast("B"), 0
        try:
            while self._damage is None and filled < len(view) and (data := self._read(len(view) - filled)):
                view[filled : filled + len(data)] = data
                filled += len(data)
        except ReadError as error:
            self._damage = error
        except _DAMAGE as error:
            self._damage = ReadError(f"damaged file: {error or type(error).__name__}")
        if self._damage is not None and not filled:
            raise self._damage
        self.count += filled
        if self._limit is not None and self.count > self._limit():
            raise ReadError("refused: it decompresses to far more than patents do (a decompression bomb?).")
        return filled


def open_nested(name: str, raw: IO[bytes], limits: Limits, refuse: Refuse, depth: int = 0) -> Iterator[Stream]:
    """Yield the plain files in a stream with their names: itself, or what its archive holds, to the allowed depth.

    Each must be read before the next is asked for. A member that cannot be taken is given to `refuse`.
    """
    counted = Counted(raw)
    stream = io.BufferedReader(counted, MEBIBYTE)
    kind = _kind(stream.peek(_HEAD)[:_HEAD])
    if kind is None:
        yield name, stream
    elif depth >= limits.archive_depth:
        raise ReadError(f"refused: archives nested more than {limits.archive_depth} deep.")
    elif kind == "gzip":
        unzipped = cast(BinaryIO, gzip.GzipFile(fileobj=stream))
        inner = Counted(unzipped, lambda: _allowance(counted.count, limits))
        yield from open_nested(name, cast(BinaryIO, inner), limits, refuse, depth + 1)
    elif kind == "tar":
        yield from _tar(name, stream, limits, refuse, depth)
    else:
        # A file can be read in place; what comes through a pipe or out of another archive must be spooled.
        with nullcontext(raw) if depth == 0 and raw.seekable() else _spooled(stream) as file:
            yield from _zip(name, file, limits, refuse, depth)


def _kind(head: bytes) -> str | None:
    if head[:2] == b"\x1f\x8b":
        return "gzip"
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return None if is_office_file(head) else "zip"
    # An archive of nothing has no member to say that it is one.
    return "tar" if head[257:262] == b"ustar" or head == bytes(_HEAD) else None


def _allowance(compressed: int, limits: Limits) -> int:
    return max(limits.expansion_from, compressed * limits.expansion)


def _leads_outside(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or parts[0].endswith(":")


def _tar(name: str, stream: IO[bytes], limits: Limits, refuse: Refuse, depth: int) -> Iterator[Stream]:
    """Yield the members of a tar archive, and of those that follow it in the same file.

    `tarfile` takes a damaged header for the end of the archive. Here it is an error, and so is an end that is not marked by
    a block of zeros: the archive was cut.
    """
    position, complete = 0, False

    class Header(tarfile.TarInfo):
        @classmethod
        def fromtarfile(cls, tarfile: tarfile.TarFile) -> Any:
            nonlocal position
            position = tarfile.offset
            return super().fromtarfile(tarfile)

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Any:
            nonlocal complete
            filled = any(buf)
            complete = not filled and (complete or bool(buf))
            try:
                return super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError as error:
                if filled:
                    raise tarfile.TarError(str(error)) from None  # no HeaderError, which would be passed over
                raise

    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=Header, ignore_zeros=True) as archive:
            for member in archive:
                path = f"{name}!{member.name}"
                if _leads_outside(member.name):
                    refuse(Problem(path, 0, _OUTSIDE))
                elif member.isfile():
                    inner = archive.extractfile(member)
                    if inner is not None:
                        yield from _member(path, inner, limits, refuse, depth)
                elif not member.isdir():
                    refuse(Problem(path, 0, "refused: a link or a device instead of a file."))
    except _DAMAGE as error:
        cause = f"damaged file: {error or type(error).__name__} (in the member at byte {position:,})"
        raise ReadError(f"{cause}; what follows was not read.") from None
    if not complete:
        raise ReadError(
            f"damaged file: it ends at byte {position:,} without the mark of an archive's end; it may have been cut."
        )


def _zip(name: str, file: IO[bytes], limits: Limits, refuse: Refuse, depth: int) -> Iterator[Stream]:
    size = file.seek(0, io.SEEK_END)
    spent = 0
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGE as error:
        raise ReadError(f"damaged file: {error}") from None
    members = archive.infolist()
    for problem in _lost_members(name, file, members):
        refuse(problem)
    for info in members:
        path = f"{name}!{info.filename}"
        if info.is_dir():
            continue
        if _leads_outside(info.filename):
            refuse(Problem(path, 0, _OUTSIDE))
            continue
        # A member's own size and the whole archive's: overlapping members would evade the first.
        left = limits.expansion_from + size * limits.expansion - spent
        allowed = min(_allowance(info.compress_size, limits), max(0, left))
        try:
            member = archive.open(info)
        except _DAMAGE as error:
            refuse(Problem(path, 0, f"damaged file: {error or type(error).__name__}"))
            continue
        with member:
            inner = Counted(member, partial(int, allowed))
            yield from _member(path, cast(BinaryIO, inner), limits, refuse, depth)
            spent += inner.count


def _lost_members(name: str, file: IO[bytes], members: list[zipfile.ZipInfo]) -> Iterator[Problem]:
    """Yield what `zipfile` passes over: members that a damaged directory hides, and an archive that stands before this one."""
    file.seek(max(0, file.seek(0, io.SEEK_END) - _ZIP_END))
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    listed = int.from_bytes(tail[end + 10 : end + 12], "little")
    before = min((info.header_offset for info in members), default=0)
    if listed not in (len(members) % 0x10000, 0xFFFF):  # the largest number stands for one that is written elsewhere
        yield Problem(
            name,
            0,
            f"damaged file: its directory shows {len(members):,} members of {listed:,}; the others were not read.",
        )
    elif before:
        yield Problem(
            name, 0, f"damaged file: its directory lists nothing of its first {before:,} bytes, which were not read."
        )


def _member(path: str, inner: IO[bytes], limits: Limits, refuse: Refuse, depth: int) -> Iterator[Stream]:
    try:
        yield from open_nested(path, inner, limits, refuse, depth + 1)
    except ReadError as error:
        refuse(Problem(path, 0, error.cause))


def _spooled(stream: IO[bytes]) -> IO[bytes]:
    """Copy a zip file, whose directory is at its end, to where it can be read from the end."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115, the caller closes it
    while block := stream.read(MEBIBYTE):
        spool.write(block)
    return spool
