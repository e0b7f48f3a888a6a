"""Drawings of a document: images and PDF pages that lie beside the file it was read from."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path

from sparse_coverage.index import DocumentRecord
from sparse_coverage.patents.numbers import parse_number

MEDIA = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".pdf": "application/pdf",
    ".tif": "image/png",
    ".tiff": "image/png",
}
"""What drawings are sent as, by their endings. TIFF becomes PNG, which browsers show; that takes the package Pillow."""
_TEXTS = frozenset((".xml", ".sgm", ".sgml", ".txt", ".json", ".html"))
_MOST_FILES = 5000


def drawings_of(document: DocumentRecord) -> list[Path]:
    """Return the drawings of a document in the order of their names.

    In a folder with the text of one document all images belong to it; else those whose names begin with that of its file, or with
    its number. A document that was uploaded has no folder.
    """
    source = Path(str(document.metadata.get("source") or ""))
    if len(source.parts) < 2 or not source.is_file():
        return []
    beside = [path for path, _ in zip(source.parent.iterdir(), range(_MOST_FILES), strict=False) if path.is_file()]
    images = [path for path in beside if path.suffix.lower() in MEDIA and path != source and _can_show(path)]
    if sum(path.suffix.lower() in _TEXTS for path in beside) > 1:
        number = parse_number(document.id)
        names = (source.stem.lower(), f"{number.country}{number.number}".lower() if number else source.stem.lower())
        images = [
            path
            for path in images
            if path.name.lower().replace("-", "").startswith(tuple(n.replace("-", "") for n in names))
        ]
    return sorted(images, key=lambda path: path.name)


def drawing_content(path: Path) -> bytes:
    """Return a drawing as it is sent."""
    if path.suffix.lower() not in (".tif", ".tiff"):
        return path.read_bytes()
    from PIL import Image

    stream = io.BytesIO()
    with Image.open(path) as image:
        image.convert("L" if image.mode in ("1", "L") else "RGB").save(stream, "PNG")
    return stream.getvalue()


def _can_show(path: Path) -> bool:
    return path.suffix.lower() not in (".tif", ".tiff") or find_spec("PIL") is not None
