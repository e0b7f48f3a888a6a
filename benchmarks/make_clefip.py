"""Write a synthetic CLEF-IP 2013 tree in the genuine layout, traps included, to try the whole pipeline on.

    python benchmarks/make_clefip.py some-folder --documents 600
    sparse-coverage clefip some-folder
    sparse-coverage evaluate some-folder --system bm25

Nothing in it is real. It holds what CLEF-IP 2013 is known to trip programs with: documents in nested digit folders, several
abstracts and claims elements (English not always first), empty paragraphs that count, documents that are not English, not
well-formed or without text, topics without claims or without a document, families in the corpus, XPaths with and without
indexes, judged passages and documents that the corpus does not hold. `facts.json` says how many of each there are.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" '
    '"http://www.ir-facility.org/dtds/patents/v1.4/patent-document.dtd">\n'
)
THEMES = {
    "G10L": "noise microphone filter signal speech amplifier echo spectrum voice loudspeaker adaptive threshold",
    "H04N": "image sensor pixel display decoder frame camera video lens stream exposure channel",
    "C08L": "polymer rubber resin copolymer curing catalyst silica blend elastomer filler crosslinking melt",
    "F16K": "valve seat plunger spring solenoid housing stem bore pressure actuator diaphragm flow",
    "A61B": "catheter needle tissue probe electrode patient lumen tip imaging blade handle suture",
    "G06F": "processor memory cache query table record thread buffer index pointer kernel interrupt",
}
FOREIGN = {
    "DE": "Vorrichtung Verfahren Gehäuse Ventil Signal Schaltung Feder Anordnung Leitung Welle Lager Düse",
    "FR": "dispositif procédé boîtier soupape signal circuit ressort agencement conduit arbre palier buse",
}
PLAIN = (
    "the a of to in which is and with for by on at from said each first second arranged provided connected comprising"
)


@dataclass
class Facts:
    """What the tree holds, for whoever checks a program against it."""

    documents: int = 0
    english: int = 0
    malformed: list[str] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)
    topics: int = 0
    usable_topics: list[str] = field(default_factory=list)
    unusable_topics: list[str] = field(default_factory=list)
    relevant: list[str] = field(default_factory=list)
    missing_documents: list[str] = field(default_factory=list)
    missing_passages: list[str] = field(default_factory=list)
    family: dict[str, list[str]] = field(default_factory=dict)
    tiers: dict[str, str] = field(default_factory=dict)


@dataclass
class Content:
    """What one document says."""

    document: str
    language: str
    ipc: list[str]
    family: str
    theme: str
    paragraphs: list[str]
    claims: list[str]
    abstract: list[str] = field(default_factory=list)


class Writer:
    """Makes documents and topics from one stream of random numbers: same seed, same tree."""

    def __init__(self, root: Path, documents: int, topics: int, seed: int) -> None:
        self.root = root
        self.random = np.random.default_rng(seed)
        self.documents, self.topics = documents, topics
        self.facts = Facts()
        self.corpus = root / "01_document_collection" / "01_extracted"
        self.test = root / "02_topics" / "clef-ip-2013-clms-psg-TEST"
        self.qrels = root / "02_topics" / "2013-clef-ip-clsm-to-psg-qrels"

    def write(self) -> Facts:
        """Write everything."""
        for folder in (self.corpus, self.test / "tfiles", self.test / "tfam-docs", self.qrels):
            folder.mkdir(parents=True, exist_ok=True)
        blocks, judgements = [], []
        for number in range(1, self.topics + 1):
            block, lines = self.english_topic(number)
            blocks.append(block)
            judgements += lines
        for number in range(self.topics + 1, self.topics + 5):
            blocks.append(self.foreign_topic(number, "DE" if number % 2 else "FR"))
        while self.facts.documents < self.documents:
            self.negative()
        (self.test / "clef-ip-2013-clms-psg-TEST.txt").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
        name = "2013-clef-ip-QRELS-EN-claims-to-passages.txt"
        (self.qrels / name).write_text("\n".join(judgements) + "\n", encoding="utf-8")
        self.facts.topics = len(blocks)
        (self.root / "facts.json").write_text(json.dumps(vars(self.facts), indent=1), encoding="utf-8")
        return self.facts

    def english_topic(self, number: int) -> tuple[str, list[str]]:
        """Write a topic: its document, its family in the corpus, its relevant documents, and its judgements."""
        theme = list(THEMES)[number % len(THEMES)]
        term = f"{self.word()} {self.word()}"
        name = f"PSG-{number}"
        document = f"EP-{1_500_000 + number}-A1"
        family = str(40_000 + number)
        ipc = [f"{theme} {number}/02"]
        broken = number in (3, 4)
        claims = [] if broken else [self.sentence(theme, f"A {term} comprising a {term} element", 30)]
        third = {0: "any one of the preceding claims", 1: "claims 1 and 2"}.get(number % 4, "claim 2")
        for parents in () if broken else ("claim 1", third):
            claims.append(self.sentence(theme, f"A device according to {parents}, wherein the {term}", 18))
        own = Content(document, "EN", ipc, family, theme, [self.sentence(theme)], claims, [self.sentence(theme, term)])
        xml = self.xml(own)
        file = "EP-1500003-A1.xml" if number == 4 else f"{document}.xml"
        if number not in (4, 5):  # 4 shares the document of 3, which has no claims; that of 5 was never distributed
            (self.test / "tfiles" / file).write_text(xml, encoding="utf-8")
        usable = not broken and number != 5
        (self.facts.usable_topics if usable else self.facts.unusable_topics).append(name)
        member = (
            f"EP-{1_500_000 + number}-B1"  # the granted patent of the same application, a candidate for others only
        )
        granted = claims or [self.sentence(theme)]
        self.add(Content(member, "EN", ipc, family, theme, [self.sentence(theme, term)], granted))
        other = f"WO-{2_500_000 + number}-A1"  # another member of the family, with its own number
        texts = [self.sentence(theme, term)], [self.sentence(theme, term)]
        self.add(Content(other, "EN", ipc, family, theme, *texts))
        self.facts.family[name] = [member, other]
        chosen = [1] if number % 3 else [1, 3]
        block = _topic(name, file, f"{other}.xml", chosen)
        return block, self.relevant(name, theme, term, usable)

    def relevant(self, topic: str, theme: str, term: str, usable: bool) -> list[str]:
        """Write the relevant documents of a topic; return its judgements, spelled in all the ways that occur."""
        lines = []
        number = int(topic[4:])
        for place in range(2 + number % 2):
            document = f"EP-{700_000 + 10 * number + place:07d}-A2"
            paragraphs = [self.sentence(theme) for _ in range(6)]
            paragraphs[1] = ""  # an empty paragraph counts in the numbering
            for hit in (2, 4):
                paragraphs[hit] = self.sentence(theme, f"the {term} is described, and the {term}", 30)
            claims = [
                self.sentence(theme, f"A {term}", 20),
                self.sentence(theme, "An arrangement as claimed in claim 1", 15),
            ]
            abstract = [self.sentence(theme, term)]
            ipc, family = [f"{theme} {90 + number}/{10 + place}"], str(60_000 + 10 * number + place)
            self.add(Content(document, "EN", ipc, family, theme, paragraphs, claims, abstract))
            spellings = [
                "/patent-document/description/p[3]",
                "/patent-document[1]/description[1]/p[5]",
                "/patent-document/abstract/p",
                "/patent-document/claims/claim[1]",
            ]
            separator = "," if place % 2 else " "
            lines += [separator.join((topic, document, spelling)) for spelling in spellings]
            if usable:
                self.facts.relevant.append(document)
        missing = f"/patent-document/description/p[{90 + number}]"
        lines.append(f"{topic},{document},{missing}")
        if usable:
            self.facts.missing_passages.append(f"{document}{missing.removeprefix('/patent-document')}")
        if number == 1:
            lines.append(f"{topic},EP-9999999-A1,/patent-document/description/p[1]")
            self.facts.missing_documents.append("EP-9999999-A1")
        return lines

    def foreign_topic(self, number: int, language: str) -> str:
        """Write a topic in German or French: it is in the topic file, and the English judgements do not know it."""
        document = f"EP-{1_500_000 + number}-A1"
        words = [self.foreign(language, 25)]
        xml = self.xml(Content(document, language, ["F16K 31/06"], "", "F16K", words, words, words))
        (self.test / "tfiles" / f"{document}.xml").write_text(xml, encoding="utf-8")
        return _topic(f"PSG-{number}", f"{document}.xml", "", [1])

    def negative(self) -> None:
        """Write a document that is relevant to nothing: of a near class, of another, foreign, broken or empty."""
        number = self.facts.documents
        theme = list(THEMES)[int(self.random.integers(len(THEMES)))]
        document = f"{'WO' if number % 7 == 0 else 'EP'}-{800_000 + number:07d}-{('A1', 'A2', 'B1')[number % 3]}"
        kind = number % 20
        language = "DE" if kind in (3, 8) else "FR" if kind == 13 else "EN"
        group = int(str(self.random.choice(self.facts.usable_topics))[4:])
        tier = ("subgroup", "maingroup", "subclass", "none")[int(self.random.integers(4))]
        theme = list(THEMES)[group % len(THEMES)]
        ipc = {
            "subgroup": f"{theme} {group}/02",
            "maingroup": f"{theme} {group}/{50 + number % 40}",
            "subclass": f"{theme} {200 + number % 50}/00",
            "none": f"B6{number % 10}Z {1 + number % 9}/00",
        }[tier]
        family = str(900_000 + number)
        if kind == 17:
            path = self.path(document)
            path.write_text(
                HEADER + f'<patent-document ucid="{document}" lang="EN"><bibliographic-data><p>', encoding="utf-8"
            )
            self.facts.malformed.append(document)
            self.facts.documents += 1
            return
        if kind == 18:
            self.add(Content(document, "EN", [ipc], family, theme, [], []))
            self.facts.without_text.append(document)
        elif language == "EN":
            paragraphs = [self.sentence(theme) for _ in range(int(self.random.integers(3, 9)))]
            claims = [self.sentence(theme), self.sentence(theme)]
            abstract = [self.sentence(theme)]
            self.add(Content(document, "EN", [ipc], family, theme, paragraphs, claims, abstract))
        else:
            texts = [self.foreign(language, 30)], [self.foreign(language, 20)]
            self.add(Content(document, language, [ipc], family, theme, *texts))
        if language == "EN":
            self.facts.tiers[document] = tier

    def add(self, content: Content) -> None:
        """Write a document of the corpus."""
        self.path(content.document).write_text(self.xml(content), encoding="utf-8")
        self.facts.documents += 1
        self.facts.english += content.language == "EN"

    def path(self, document: str) -> Path:
        """Return the place of a document: nested folders of its digits."""
        office, number, _ = document.split("-")
        digits = number.zfill(12)
        folder = self.corpus / office / digits[:6] / digits[6:8] / digits[8:10] / digits[10:12]
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{document}.xml"

    def xml(self, content: Content) -> str:
        """Return a MAREC document; about half carry parts in other languages beside their own."""
        document, language, ipc = content.document, content.language, content.ipc
        abstract, paragraphs, claims = content.abstract, content.paragraphs, content.claims
        office, number, kind = document.split("-")
        date = f"{int(self.random.integers(1995, 2010))}0{int(self.random.integers(1, 10))}15"
        if self.random.random() < 0.5:
            classes = "".join(
                f"<classification-ipcr>{_padded(s)}20060101AFI20060101BHEP        </classification-ipcr>" for s in ipc
            )
            classes = f"<classifications-ipcr>{classes}</classifications-ipcr>"
        else:
            main = f"<main-classification>7{_padded(ipc[0])}A</main-classification>"
            classes = f"<classification-ipc><edition>7</edition>{main}</classification-ipc>"
        titles = "".join(
            f'<invention-title lang="{code}">{self.foreign(code, 4) if code != "EN" else f"{content.theme} device"}</invention-title>'
            for code in ("DE", "EN", "FR")
        )
        parts = [
            _part("abstract", language, _paragraphs(abstract)),
            _part("description", language, "<heading>Background</heading>" + _paragraphs(paragraphs))
            if paragraphs
            else "",
            _part("claims", language, _claims(claims)),
        ]
        if language == "EN" and self.random.random() < 0.5 and (abstract or claims):
            other = "DE" if self.random.random() < 0.5 else "FR"
            foreign = [
                _part("abstract", other, _paragraphs([self.foreign(other, 20)])),
                _part("claims", other, _claims([self.foreign(other, 20)] * 3)),
            ]
            parts = foreign + parts if self.random.random() < 0.5 else parts + foreign
        attributes = f'ucid="{document}" country="{office}" doc-number="{number}" kind="{kind}" lang="{language}"'
        published = (
            f"<country>{office}</country><doc-number>{number}</doc-number><kind>{kind}</kind><date>{date}</date>"
        )
        reference = (
            f'<publication-reference ucid="{document}"><document-id>{published}</document-id></publication-reference>'
        )
        technical = f"<technical-data>{classes}{titles if abstract or paragraphs or claims else ''}</technical-data>"
        return (
            f'{HEADER}<patent-document {attributes} family-id="{content.family}" date="{date}">'
            f"<bibliographic-data>{reference}{technical}</bibliographic-data>{''.join(parts)}</patent-document>\n"
        )

    def word(self) -> str:
        """Invent a word that no other text holds."""
        return "".join(self.random.choice(list("bdfgklmnprstvz")) + self.random.choice(list("aeiou")) for _ in range(4))

    def sentence(self, theme: str, opening: str = "", length: int = 24) -> str:
        """Return a sentence of a field's words, that starts with the opening."""
        words = [
            str(self.random.choice((THEMES[theme] if self.random.random() < 0.5 else PLAIN).split()))
            for _ in range(length)
        ]
        text = " ".join(([opening] if opening else []) + words)
        return f"{text[0].upper()}{text[1:]}."

    def foreign(self, language: str, length: int) -> str:
        """Return words of another language."""
        return " ".join(str(word) for word in self.random.choice(FOREIGN[language].split(), length))


def _topic(name: str, file: str, family: str, claims: list[int]) -> str:
    paths = " ".join(f"/patent-document/claims/claim[{number}]" for number in claims)
    lines = (("tid", name), ("tfile", file), ("tfam-docs", family), ("tclaims", paths))
    return "\n".join(f"<{tag}>{value}</{tag}>" for tag, value in lines)


def _padded(symbol: str) -> str:
    subclass, group = symbol.split(" ")
    return f"{subclass}{group.rjust(6)}        "


def _part(name: str, language: str, content: str) -> str:
    return f'<{name} lang="{language}">{content}</{name}>' if content else ""


def _paragraphs(texts: list[str]) -> str:
    return "".join(
        f'<p num="{number:04d}">{text}</p>' if text else f'<p num="{number:04d}"/>'
        for number, text in enumerate(texts, 1)
    )


def _claims(texts: list[str]) -> str:
    return "".join(
        f'<claim num="{number:04d}"><claim-text>{text}</claim-text></claim>' for number, text in enumerate(texts, 1)
    )


def make(root: Path, documents: int = 400, topics: int = 12, seed: int = 0) -> Facts:
    """Write a tree into a folder and return what is in it."""
    return Writer(root, documents, topics, seed).write()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where to write [a temporary folder, removed again]")
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--topics", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a small tree")
    given = parser.parse_args()
    documents = 120 if given.quick else given.documents
    with tempfile.TemporaryDirectory() as temporary:
        facts = make(given.folder or Path(temporary), documents, given.topics, given.seed)
    print(
        f"{facts.documents} documents, {facts.english} of them English, {facts.topics} topics in {given.folder or 'a temporary folder'}"
    )


if __name__ == "__main__":
    main()
