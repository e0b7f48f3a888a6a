"""Claims in German and French against English documents, and against documents in their own language.

    python benchmarks/cross_lingual.py GRANTS COLLECTION [--documents 600] [--only across]

GRANTS is a folder of EP grants as XML (claims in three languages), COLLECTION a BEIR folder whose documents, in English, are searched
beside them. Across languages each claim of a grant is a query in German and in French; right is the grant, of which only the English
claims are searched. Within a language the claims with odd numbers are queries, and each grant is a document of its claims with even
numbers, one in each language; right is the one in the language of the query. Each by words, and with vectors of MiniLM and of the
multilingual sentence encoder (`index --vectors use-multilingual`). `--only across` or `within` measures one of the two.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from lxml import etree
from rich.console import Console
from rich.table import Table

from sparse_coverage import Index, SparseCoverage, load_encoder

LANGUAGES = ("en", "de", "fr")
SYSTEMS = {
    "words": ("minilm", "words"),
    "vectors, minilm": ("minilm", "vectors"),
    "combined, minilm": ("minilm", "combined"),
    "vectors, use-multilingual": ("use-multilingual", "vectors"),
    "combined, use-multilingual": ("use-multilingual", "combined"),
}


def claims_of(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Return the claims of each grant that has them in all three languages."""
    found = {}
    for path in sorted(folder.glob("*.xml")):
        root = etree.parse(path, etree.XMLParser(recover=True, resolve_entities=False)).getroot()
        by = {
            str(one.get("lang")): [" ".join("".join(claim.itertext()).split()) for claim in one.iter("claim")]
            for one in root.iter("claims")
        }
        if all(by.get(language) for language in LANGUAGES):
            found[path.stem] = by
    return found


def ranked(
    folder: Path, documents: list[tuple[str, str]], queries: dict[str, list[tuple[str, str]]], title: str
) -> None:
    """Index documents with both kinds of vectors and print how often each system finds what each query is to find."""
    model = SparseCoverage.fit(documents, encoder=load_encoder(), size=2000)
    models = {"minilm": model, "use-multilingual": model.with_vectors_of(load_encoder("use-multilingual"))}
    indexes = {name: Index.build(folder / name, made, documents) for name, made in models.items()}
    table = Table(title=f"R@1 / R@10: {title}; {len(documents)} documents")
    for column in ("claims in", "queries", *SYSTEMS):
        table.add_column(column)
    for language, asked in queries.items():
        cells = []
        for index, ranking in SYSTEMS.values():
            found = indexes[index].ranked_by(ranking).search([text for text, _ in asked], 10)
            places = [[hit.document for hit in hits] for hits in found]
            right = [name in ten for ten, (_, name) in zip(places, asked, strict=True)]
            first = [ten[:1] == [name] for ten, (_, name) in zip(places, asked, strict=True)]
            cells.append(f"{np.mean(first):.2f} / {np.mean(right):.2f}")
        table.add_row(language, str(len(asked)), *cells)
    Console(width=140).print(table)


def main() -> None:
    """Measure and print."""
    grants = claims_of(Path(sys.argv[1]))
    count = int(sys.argv[sys.argv.index("--documents") + 1]) if "--documents" in sys.argv else 600
    lines = (Path(sys.argv[2]) / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["text"]][:count]
    others = [(row["_id"], f"{row['title']}. {row['text']}") for row in rows]
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    print(f"{len(grants)} grants")
    with TemporaryDirectory() as folder:
        english = [(name, "\n\n".join(by["en"])) for name, by in grants.items()]
        across = {code: [(claim, name) for name, by in grants.items() for claim in by[code]] for code in LANGUAGES[1:]}
        if only != "within":
            ranked(Path(folder) / "across", [*others, *english], across, "claims against English")
        even = [
            (f"{name}-{code}", "\n\n".join(by[code][1::2]))
            for name, by in grants.items()
            for code in LANGUAGES
            if by[code][1::2]
        ]
        known = {name for name, _ in even}
        within = {
            code: [
                (claim, f"{name}-{code}")
                for name, by in grants.items()
                for claim in by[code][::2]
                if f"{name}-{code}" in known
            ]
            for code in LANGUAGES
        }
        if only != "across":
            ranked(Path(folder) / "within", [*others, *even], within, "claims against other claims in their language")


if __name__ == "__main__":
    main()
