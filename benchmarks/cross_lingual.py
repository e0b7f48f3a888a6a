"""Claims in German and French against English documents: words, centers, and the vectors of two encoders.

    python benchmarks/cross_lingual.py GRANTS COLLECTION [--documents 600]

GRANTS is a folder of EP grants as XML (claims in three languages), COLLECTION a BEIR folder whose documents are searched beside them.
Each claim of a grant is a query in each language; right is the grant itself, of which only the English claims are searched. Two indexes
are built, with vectors of MiniLM and of the multilingual sentence encoder (`index --vectors use-multilingual`).
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


def main() -> None:
    """Measure and print."""
    grants = claims_of(Path(sys.argv[1]))
    count = int(sys.argv[sys.argv.index("--documents") + 1]) if "--documents" in sys.argv else 600
    lines = (Path(sys.argv[2]) / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["text"]][:count]
    texts = [(row["_id"], f"{row['title']}. {row['text']}") for row in rows]
    texts += [(name, claim) for name, by in grants.items() for claim in by["en"]]
    names = list(dict.fromkeys(name for name, _ in texts))
    pairs = [(name, "\n\n".join(text for other, text in texts if other == name)) for name in names]
    with TemporaryDirectory() as folder:
        model = SparseCoverage.fit(pairs, encoder=load_encoder(), size=2000)
        other = model.with_vectors_of(load_encoder("use-multilingual"))
        indexes = {
            name: Index.build(Path(folder) / name, made, pairs)
            for name, made in (("minilm", model), ("use-multilingual", other))
        }
        table = Table(title=f"R@1 / R@10 of claims against English: {len(grants)} grants among {len(names)} documents")
        for column in ("claims in", "queries", *SYSTEMS):
            table.add_column(column)
        for language in LANGUAGES[1:]:
            queries = [(claim, name) for name, by in grants.items() for claim in by[language]]
            cells = []
            for index, ranking in SYSTEMS.values():
                ranked = indexes[index].ranked_by(ranking)
                found = [[hit.document for hit in hits] for hits in ranked.search([one for one, _ in queries], 10)]
                right = [name in ten for ten, (_, name) in zip(found, queries, strict=True)]
                first = [ten[:1] == [name] for ten, (_, name) in zip(found, queries, strict=True)]
                cells.append(f"{np.mean(first):.2f} / {np.mean(right):.2f}")
            table.add_row(language, str(len(queries)), *cells)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
