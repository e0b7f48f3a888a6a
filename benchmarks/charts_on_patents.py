"""Claim charts on full-text patents: what a chart says of features that a patent's description does not have, and the time it takes.

    python benchmarks/charts_on_patents.py patents.jsonl [--encoder gte-small] [--count 80] [--skip 0] [--save calibration.json] [--time]

A patent's description supports what its own dependent claims add (`own`; `figure` where they have numbers). It does not disclose what
another patent's claim says (`foreign`; said of a part of its own: `graft`), nor that one of its parts is what its claims say of
another part, though every word of that is there (`swap`), nor numbers outside all that it has of that kind (`number`). Each is written
into claim 1, as applicants amend, as a dependent claim, and alone, and charted against the description. `--save` writes into a
calibration how often such features are called disclosed; charts say it. `--time` measures what charts and combinations of long
documents take instead.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from machine import describe

from sparse_coverage.charts.calibration import calibration_for
from sparse_coverage.charts.chart import ChartDocument, Verdict
from sparse_coverage.charts.charting import worth_reading
from sparse_coverage.charts.claims import encode_claims
from sparse_coverage.charts.combining import combine
from sparse_coverage.charts.elements import Element, chart_elements
from sparse_coverage.charts.phrases import noun_phrases
from sparse_coverage.charts.quantities import DocumentQuantities, Quantity, compare, quantities
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart
from sparse_coverage.charts.terms import common_words
from sparse_coverage.encoding import load_encoder
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import Claim, Patent, passages, read_patents
from sparse_coverage.patents.claims import numbered_claims
from sparse_coverage.progress import tracked
from sparse_coverage.text import stems

LACKING = ("graft", "foreign", "swap", "number")
_ADDED = re.compile(
    r"\bclaims?\s+\d+[^,;:]{0,40},?\s*(?:wherein|in which)\s*:?\s+(?:the|said)\s+(?P<thing>[^,;:]{2,60}?)\s+"
    r"(?P<said>(?:is|are|has|have|comprises?|includes?|contains?|consists?\s+of)\s[^;:]+?)\.?\s*$",
    re.S,
)
"""What a dependent claim says of one thing."""
_PLURAL = {
    "are": "is",
    "have": "has",
    "comprise": "comprises",
    "include": "includes",
    "contain": "contains",
    "consist": "consists",
}
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FROM, _TO = 3, 25
"""What is said has so many words."""
_STRANGE = 2
"""A planted feature has at least so many key terms that the document lacks."""
_TRIES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patents", type=Path, help="patents with claims and descriptions")
    parser.add_argument("--time", action="store_true", help="only how long charts and combinations take")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--count", type=int, default=80, help="so many patents that have features to plant")
    parser.add_argument("--skip", type=int, default=0, help="without the first ones")
    parser.add_argument("--save", type=Path, help="write the shares into this calibration, which is measured")
    options = parser.parse_args()
    print(describe())
    encoder = load_encoder(options.encoder)
    if options.time:
        on_time(options.patents, encoder)
    else:
        on_planted(options, encoder)


def on_planted(options, encoder) -> None:
    """Print what charts say of planted features, by kind and by where they stand."""
    calibration = calibration_for(encoder, options.save)
    patents = [patent for patent in read_patents(options.patents) if patent.claims and patent.description]
    chosen = list(islice(planted_features(patents), options.skip, options.skip + options.count))
    told: dict[tuple[str, str], Counter[str]] = {}
    same = Counter()
    for patent, features in tracked(chosen, "Reading patents", len(chosen)):
        records = tuple(PassageRecord.of(one) for one in passages(patent) if one.section == "description")
        vectors = KeptTokenVectors(encoder)
        verdicts: dict[str, list[str]] = {}
        for one in features:
            encoded = encode_claims(one.claims, [one.element], encoder, calibration)
            document = ChartDocument(patent.id, patent.title, records)
            [[cell]] = make_chart(encoded, [document], encoder, calibration, vectors=vectors).cells
            told.setdefault((one.kind, one.place), Counter())[cell.verdict] += 1
            verdicts.setdefault(one.element.text, []).append(cell.verdict)
        same.update(len(set(both)) == 1 for both in verdicts.values())
    print(f"{len(chosen)} patents; share of features called")
    print(f"{'':<22}{'features':>9}" + "".join(f"{word:>12}" for word in Verdict))
    for (kind, place), words in sorted(told.items()):
        shares = "".join(f"{words[word] / words.total():>12.2f}" for word in Verdict)
        print(f"{kind + ', ' + place:<22}{words.total():>9}{shares}")
    print(
        f"the same verdict in claim 1, as a dependent claim and alone: {same[True] / same.total():.3f} of {same.total()}"
    )
    if options.save:
        counts = {kind: told[kind, "in claim 1"] for kind in LACKING if (kind, "in claim 1") in told}
        shares = {kind: round(words[Verdict.DISCLOSED] / words.total(), 3) for kind, words in counts.items()}
        content = json.loads(options.save.read_text(encoding="utf-8"))
        content["figures"]["planted"] = {"patents": len(chosen), **shares}
        options.save.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Planted:
    """A feature at a place in claims, and what of it is in the patent's description: `kind` is own, foreign, graft, swap, figure or number.

    `strange` are the stems of its words that the description lacks.
    """

    kind: str
    place: str
    claims: tuple[Claim, ...]
    element: Element
    strange: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    thing: str
    said: str

    @property
    def text(self) -> str:
        return f"the {self.thing} {self.said}"

    def of(self, thing: str) -> _Said:
        """Say the same of another thing."""
        verb, _, rest = self.said.partition(" ")
        return _Said(thing, f"{_PLURAL.get(verb, verb)} {rest}")


def planted_features(patents: Sequence[Patent], seed: int = 0) -> Iterator[tuple[Patent, list[Planted]]]:
    """Yield patents with features planted into their claims: written into claim 1 as applicants amend, as a dependent claim, and alone."""
    said = {patent.id: list(_said(patent)) for patent in patents}
    every = [(patent.id, one) for patent in patents for one in said[patent.id]]
    for patent in patents:
        texts = [paragraph.text for paragraph in patent.description]
        words = set[str]().union(*(stems(text, "en") for text in texts))
        own = [one for one in said[patent.id] if stems(one.text, "en") <= words]
        if len(own) < 2 or not every:
            continue
        chance = np.random.default_rng([seed, *patent.id.encode()])
        first, second = (own[place] for place in chance.permutation(len(own))[:2].tolist())
        rows: list[tuple[str, str, tuple[str, ...]]] = [("own", first.text, ()), ("own", second.text, ())]
        for kind in ("graft", "foreign"):
            if found := _strange(every, patent.id, words, chance):
                other, lacking = found
                rows.append((kind, (other.of(first.thing) if kind == "graft" else other).text, lacking))
        apart = [
            (a, b)
            for a in own
            for b in own
            if not stems(a.thing, "en") & stems(b.text, "en") and not quantities(b.said)
        ]
        if apart:
            a, b = apart[int(chance.integers(len(apart)))]
            rows.append(("swap", b.of(a.thing).text, ()))
        there = DocumentQuantities(texts)
        for one in own:
            numbers = quantities(one.text)
            if numbers and all(found.agrees for found in compare(one.text, numbers, there, lambda _: 1.0)):
                rows.append(("figure", one.text, ()))
                if other_numbers := _changed(one.text, numbers, there):
                    rows.append(("number", other_numbers, ()))
                break
        yield patent, [planted for row in rows for planted in _into_claims(patent, *row)]


def _said(patent: Patent) -> Iterator[_Said]:
    for claim in patent.claims[1:]:
        match = _ADDED.search(claim.text)
        if match and _FROM <= len(match["said"].split()) <= _TO and noun_phrases([match["thing"]])[0]:
            yield _Said(" ".join(match["thing"].split()), " ".join(match["said"].split()))


def _strange(
    every: Sequence[tuple[str, _Said]], patent: str, words: set[str], chance: np.random.Generator
) -> tuple[_Said, tuple[str, ...]] | None:
    """Return what another patent's claim says, with key terms that are not among a description's words."""
    for place in chance.integers(len(every), size=_TRIES).tolist():
        owner, one = every[place]
        lacking = tuple(sorted(stems(one.said, "en") - words - common_words()))
        if owner != patent and len(lacking) >= _STRANGE and not quantities(one.said):
            return one, lacking
    return None


def _changed(text: str, numbers: Sequence[Quantity], there: DocumentQuantities) -> str | None:
    """Return a text with its numbers changed so that a document has nothing within them; None where no factor does it."""
    for factor in (7, 0.13, 31, 0.021):
        out, end = "", 0
        for one in numbers:
            out, end = out + text[end : one.start] + _scaled(one.text, factor), one.end
        out += text[end:]
        new = quantities(out)
        percent = any(one.unit == "%" and math.isfinite(one.high) and one.high > 100 for one in new)
        within = any(mine.holds(theirs) for mine in new for theirs, _ in there.like(mine))
        if not re.search(r"\de", out) and len(new) == len(numbers) and not percent and not within:
            return out
    return None


def _scaled(text: str, factor: float) -> str:
    return _DIGITS.sub(lambda found: f"{float(found[0].replace(',', '')) * factor:.4g}", text)


def _into_claims(patent: Patent, kind: str, text: str, strange: tuple[str, ...]) -> Iterator[Planted]:
    first = patent.claims[0].text.rstrip(" .")
    thing = noun_phrases([first])[0]
    name = thing[0].text if thing else "subject"
    amended = numbered_claims([f"{first}; and wherein {text}."])
    added = numbered_claims([f"{first}.", f"The {name} of claim 1, wherein {text}."])
    alone = numbered_claims([f"A {name}, wherein {text}."])
    for place, claims in (("in claim 1", amended), ("dependent", added), ("alone", alone)):
        start = claims[-1].text.rfind(text)
        element = Element("x", claims[-1].number, "element", start, start + len(text), text)
        yield Planted(kind, place, claims, element, strange)


def on_time(path: Path, encoder) -> None:
    """Print what a chart of ten documents of about 10,000 words takes in a warm process, and combinations out of 200."""
    calibration = calibration_for(encoder)
    sized = []
    for patent in read_patents(path):
        records = tuple(PassageRecord.of(passage) for passage in passages(patent))
        words = sum(len(record.text.split()) for record in records)
        sized.append((abs(words - 10_000), words, ChartDocument(patent.id, patent.title, records), patent.claims))
    chosen = sorted(sized, key=lambda one: (one[0], one[2].id))[:10]
    ten, words = [one[2] for one in chosen], np.mean([one[1] for one in chosen])
    claims = min((one[3][:1] for one in chosen), key=lambda one: abs(len(one[0].text.split()) - 150))
    elements = chart_elements(claims)
    make_chart(encode_claims(claims, elements, encoder, calibration), ten[:1], encoder, calibration)  # warms up
    for count in (5, 10):
        vectors = KeptTokenVectors(encoder)
        for what in ("first time", "again"):
            with measured(f"{len(elements)} elements against {count} documents of {words:,.0f} words, {what}"):
                encoded = encode_claims(claims, elements, encoder, calibration)
                make_chart(encoded, ten[:count], encoder, calibration, vectors=vectors)
    chance = np.random.default_rng(0)
    parts = [half_of(ten[n % 10], f"part-{n}", chance) for n in range(200)]
    vectors = KeptTokenVectors(encoder)
    with measured("looking through 200 documents, each half of one of the ten"):
        documents = worth_reading(encoded, parts, vectors, calibration)
    with measured(f"reading {len(documents)} of them closely"):
        chart = make_chart(encoded, documents, encoder, calibration, vectors=vectors)
    evidence = np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)
    for most in (2, 3):
        with measured(f"combinations of up to {most} of {len(documents)} documents read"):
            labels, ids = [element.label for element in elements], [one.id for one in documents]
            found = combine(evidence, labels, ids, calibration, most=most)
        print(f"    {len(found.found)} found, missing: {found.missing or 'nothing'}")


def half_of(document, id_, chance):
    """Return a document with a random half of the passages of another."""
    kept = chance.random(len(document.passages)) < 0.5
    records = tuple(record for record, stays in zip(document.passages, kept, strict=True) if stays)
    return replace(document, id=id_, passages=records)


@contextmanager
def measured(what: str):
    clock, cpu = time.perf_counter(), time.process_time()
    yield
    print(
        f"{what}: {time.process_time() - cpu:.2f} s of processor time, {time.perf_counter() - clock:.2f} s on the clock"
    )


if __name__ == "__main__":
    main()
