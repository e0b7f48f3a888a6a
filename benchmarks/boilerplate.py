"""Do generic passages and bare titles win? Formulas that fit every patent are planted into full texts, and titles put beside them.

    python benchmarks/boilerplate.py path/to/claims-to-papers.toml

Half of the documents are indexed, each with two planted paragraphs of legal and generic wording; of the other half the titles alone
are indexed, as records without a text. The claims of the first half are searched. Told: how often one of the ten best documents has a
planted paragraph as its best passage, how many of the ten are bare titles, and the mean reciprocal rank of the right document.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage import Index, Preset, SparseCoverage
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.presets import get_preset

K = 10
FORMULAS = (
    "Unless otherwise defined, all technical and scientific terms used herein have the meaning commonly understood by one of ordinary "
    "skill in the art to which this disclosure belongs.",
    "As used herein, the singular forms include plural references unless the context clearly dictates otherwise, and the term comprising "
    "means including without being limited to the elements that are named.",
    "The embodiments described above are to be understood as illustrative examples; various modifications and combinations may be made "
    "without departing from the scope of the invention as set out in the appended claims.",
    "It will be appreciated that the steps of the method may be carried out in any order, that components of the system may be combined "
    "or divided, and that features of one embodiment may be used in another.",
    "The foregoing description has been presented for the purpose of illustration and is not intended to be exhaustive or to limit the "
    "invention to the precise form disclosed.",
    "The system may be implemented in hardware, software or a combination of both, and includes a processor, a memory that stores "
    "instructions, and an interface, none of which is shown in detail.",
)


def planted(documents: list[Patent]) -> Iterator[Patent]:
    """Yield the first half with two formulas each, then the titles of the other half."""
    half = len(documents) // 2
    for number, patent in enumerate(documents[:half]):
        formulas = [FORMULAS[(number + step) % len(FORMULAS)] for step in (0, 2)]
        extra = tuple(Paragraph(text, f"/planted[{place}]") for place, text in enumerate(formulas))
        yield replace(patent, description=(*patent.description, *extra))
    for patent in documents[half:]:
        yield Patent(patent.id, patent.title)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection")
    parser.add_argument("-V", "--size", type=int, default=5_000)
    parser.add_argument("--documents", type=int, help="take the first so many documents only")
    options = parser.parse_args()
    collection = load_collection(options.collection)
    documents = list(collection.documents())[: options.documents]
    texts = {patent.id for patent in documents[: len(documents) // 2]}
    default, paper = get_preset("default"), replace(get_preset("paper"), learn="passages")
    presets: dict[str, Preset] = {
        "paper": paper,
        "paper, top-mean:3": replace(paper, scoring=replace(paper.scoring, rank="top-mean:3")),
        "default, best passage": replace(default, scoring=replace(default.scoring, rank="best")),
        "default, not smoothed": replace(default, scoring=replace(default.scoring, smoothing=0.0)),
        "default": default,
    }
    table = Table(title=f"{len(texts)} full texts, {len(documents) - len(texts)} bare titles, V={options.size:,}")
    for column in ("", "best passage is planted", "bare titles among ten", "MRR"):
        table.add_column(column)
    with TemporaryDirectory() as work, Workbench(collection, default_cache(), token_budget=40 << 30) as bench:
        for number, (name, preset) in enumerate(presets.items()):
            model = SparseCoverage.fit(
                list(planted(documents)), encoder=bench.encoder("minilm"), size=options.size, preset=preset
            )
            index = Index.build(Path(work) / str(number), model, planted(documents))
            generic = titles = shown = 0
            ranks = []
            for query in collection.judged:
                right = collection.judgements[query.id].documents & texts
                if not right:
                    continue
                hits = index.search(query.text, 100)
                generic += sum("/planted" in hit.passages[0].id or hit.passages[0].text in FORMULAS for hit in hits[:K])
                titles += sum(hit.document not in texts for hit in hits[:K])
                shown += K
                found = [place for place, hit in enumerate(hits, 1) if hit.document in right]
                ranks.append(1 / found[0] if found else 0.0)
            cells = [
                f"{100 * generic / shown:.1f} %",
                f"{100 * titles / shown:.1f} %",
                f"{100 * sum(ranks) / len(ranks):.1f}",
            ]
            table.add_row(name, *cells)
    Console(width=140).print(describe(), table)


if __name__ == "__main__":
    main()
