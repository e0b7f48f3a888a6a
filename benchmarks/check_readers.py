"""Check the readers against an independent count: plain lxml XPath and plain json on genuine files.

    python benchmarks/check_readers.py DATA

DATA is a folder with XML files (EPO, USPTO) and `.jsonl` files in any depth. The table has one row a document; the exit status
is 1 if a count differs, a document is missing, a claim depends on itself or a later one, or a file that lxml cannot parse is not
reported with its line.
Without DATA there is nothing to compare with, and nothing is done.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from lxml import etree
from rich.console import Console
from rich.table import Table

from sparse_coverage.patents import Problem, read_patents

# Root element: where a person would look for claims and paragraphs. Only parts in the document's own language are counted.
XPATHS = {
    "patent-document": ("/*/claims[{n}]/claim", "/*/description[{n}]//p[not(ancestor::p)]"),
    "ep-patent-document": ("/*/claims[@lang='{lang}']/claim", "/*/description[@lang='{lang}']//p[not(ancestor::p)]"),
    "us-patent-grant": ("/*/claims/claim", "/*/description//p[not(ancestor::p)]"),
    "us-patent-application": ("/*/claims/claim", "/*/description//p[not(ancestor::p)]"),
    "wo-published-application": ("/*/claims/claim", "/*/description//p[not(ancestor::p)]"),
    "PATDOC": ("/PATDOC/SDOCL//CLM", "/PATDOC/SDODE//PARA[not(ancestor::PARA)]"),
    "patent-application-publication": (
        "/*/subdoc-claims/claim",
        "/*/subdoc-description//paragraph[not(ancestor::paragraph)]",
    ),
}
Counts = tuple[int, int]


def independent_counts(path: Path) -> Iterator[Counts | int]:
    """Yield (claims, paragraphs) for each document of a file, or the line of its first error."""
    if path.suffix == ".jsonl":
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            yield len(record.get("claims", [])), printed_paragraphs(record.get("description", ""))
        return
    for document in re.split(rb"(?=<\?xml )", path.read_bytes()):
        if not document.strip():
            continue
        try:
            root = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True))
        except etree.XMLSyntaxError as error:
            yield error.lineno or 0
            continue
        claims, paragraphs = (xpath.format(lang=root.get("lang"), n=1) for xpath in XPATHS[root.tag])
        # A paragraph that holds nothing but a drawing has no text and makes no passage.
        empty = sum(not "".join(p.itertext()).strip() for p in root.xpath(paragraphs))
        yield len(root.xpath(claims)), len(root.xpath(paragraphs)) - empty


def printed_paragraphs(text: str | list[str]) -> int:
    """Count by walking: how far do printed paragraph numbers go up, one by one, [0001] or (1)? A list is cut already."""
    if isinstance(text, list):
        return sum(bool(paragraph.strip()) for paragraph in text)
    if not text.strip():
        return 0
    for form in ("[{:04d}] ", " ({}) "):
        number = 2 if form.format(1) not in " " + text and form.format(2) in " " + text else 1
        position = 0
        count = 0
        while True:
            found = (" " + text).find(form.format(number), position)
            while (
                found >= 0
                and form.startswith(" ")
                and re.match(r"[a-z,.;:)]", text[found + len(form.format(number)) - 1 :])
            ):
                found = (" " + text).find(form.format(number), found + 1)
            if found < 0:
                break
            count, number, position = count + 1, number + 1, found + 1
        if count > 1:
            return count
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, help="folder with genuine files")
    parser.add_argument("--quick", action="store_true", help="accepted for uniformity; the check is quick anyway")
    arguments = parser.parse_args()
    if arguments.data is None:
        print("No folder given, nothing compared. Usage: python benchmarks/check_readers.py DATA")
        return 0
    table = Table("file", "document", "claims", "expected", "paragraphs", "expected", "")
    files = sorted(p for p in arguments.data.rglob("*") if p.suffix in (".xml", ".jsonl"))
    wrong = documents = 0
    for path in files:
        problems: list[Problem] = []
        patents = list(read_patents(path, language="any", on_problem=problems.append))
        expected = list(independent_counts(path))
        broken = [line for line in expected if isinstance(line, int)]
        counts = [pair for pair in expected if not isinstance(pair, int)]
        if [problem.line for problem in problems] != broken or len(patents) != len(counts):
            wrong += 1
            table.add_row(path.name, f"{len(patents)} read, {len(counts)} expected", "", "", "", "", "DIFFERENT")
        for problem in problems:
            table.add_row(path.name, f"line {problem.line}: {problem.cause}", "", "", "", "", "reported")
        for patent, (claims, paragraphs) in zip(patents, counts, strict=False):
            documents += 1
            wrong += any(not all(0 < n < claim.number for n in claim.depends_on) for claim in patent.claims)
            same = (len(patent.claims), len(patent.description)) == (claims, paragraphs)
            wrong += not same
            if not same or len(counts) < 100:
                row = (len(patent.claims), claims, len(patent.description), paragraphs)
                table.add_row(path.name, patent.id, *map(str, row), "equal" if same else "DIFFERENT")
        if len(counts) >= 100:
            table.add_row(path.name, f"{len(counts)} documents", "", "", "", "", "differences above, if any")
    Console(width=120).print(table)
    print(f"{len(files)} files, {documents} documents compared, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
