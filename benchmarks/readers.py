"""How fast are patents read, and in how much memory? Against bare lxml on the same elements.

    python benchmarks/readers.py [--quick] [--gigabytes 1]
    python benchmarks/readers.py --formats all [--gigabytes 0.03]      # or some: csv,aps

A synthetic bulk file in the layout of USPTO grants is written (seeded), then read two ways, each in a process of its own:

- bare: `lxml.etree.iterparse` over the same documents under one root, taking the text of the same elements and nothing else;
- ours: `read_patents`, which gives patents with numbered passages and linked claims.

With `--formats`, a file in each of the other formats is written and read: megabytes and documents a CPU second, peak of memory.

The exit status is 1 if the peak memory of ours is 300 MB or more, or its speed less than half of bare lxml's.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from lxml import etree

from sparse_coverage.patents import read_patents

PEAK_MB = 300
LEAST_SHARE = 0.5
# What our reader takes from such a document; the bare run takes the same.
TOUCHED = ("p", "claim", "invention-title", "document-id", "classification-ipcr", "classification-cpc", "orgname")
WORDS = (
    "the a of said wherein plunger spring housing valve is configured to be coupled with first second portion device method "
    "according invention embodiment signal layer substrate surface and may in which formed between member end axis fluid"
).split()


def documents(seed: int) -> Iterator[str]:
    """Yield grants without their declarations, as long and as rich in inline markup as genuine ones."""
    chance = random.Random(seed)
    sentences = [" ".join(chance.choices(WORDS, k=chance.randint(8, 40))) for _ in range(2000)]
    number = 9_000_000
    while True:
        number += 1
        paragraphs = []
        for index in range(chance.randint(30, 110)):
            text = ". ".join(chance.choices(sentences, k=chance.randint(2, 7)))
            marks = f'<figref idref="DRAWINGS">FIG. <b>{index}</b></figref> shows the part <b>{index * 2}</b>, '
            paragraphs.append(f'<p id="p-{index:04}" num="{index:04}">{marks}CO<sub>2</sub> {text}.</p>')
        claims = [
            f'<claim id="CLM-{n:05}" num="{n:05}"><claim-text>{n}. '
            + (
                f'The device of <claim-ref idref="CLM-{n - 1:05}">claim {n - 1}</claim-ref>, '
                if n % 5 != 1
                else "A device comprising "
            )
            + f"<claim-text>{chance.choice(sentences)};</claim-text>"
            + f"<claim-text>{chance.choice(sentences)}.</claim-text></claim-text></claim>"
            for n in range(1, chance.randint(8, 25))
        ]
        ipc = "<section>F</section><class>16</class><subclass>K</subclass><main-group>31</main-group><subgroup>06</subgroup>"
        cited = "".join(
            f'<us-citation><patcit num="{n:05}"><document-id><country>US</country><doc-number>{5_000_000 + n}</doc-number>'
            "<kind>A</kind><date>19990100</date></document-id></patcit><category>cited by applicant</category></us-citation>\n"
            for n in range(chance.randint(5, 40))
        )
        yield (
            '<us-patent-grant lang="EN" country="US" date-publ="20211019"><us-bibliographic-data-grant><publication-reference>'
            f"<document-id><country>US</country><doc-number>{number:08}</doc-number><kind>B2</kind><date>20211019</date></document-id>"
            "</publication-reference><application-reference><document-id><country>US</country><doc-number>1</doc-number>"
            "<date>20190101</date></document-id></application-reference><classifications-ipcr><classification-ipcr>"
            f"{ipc}</classification-ipcr></classifications-ipcr><classifications-cpc><main-cpc><classification-cpc>{ipc}"
            "</classification-cpc></main-cpc></classifications-cpc><invention-title>Valve</invention-title><us-references-cited>"
            f"{cited}</us-references-cited><us-parties><us-applicants><us-applicant><addressbook><orgname>Valves Ltd.</orgname>"
            "</addressbook></us-applicant></us-applicants></us-parties></us-bibliographic-data-grant>\n"
            f"<abstract><p>{chance.choice(sentences)}.</p></abstract>\n<description>"
            + "\n".join(paragraphs)
            + "</description>\n"
            "<claims>" + "\n".join(claims) + "</claims></us-patent-grant>\n"
        )


def records(seed: int) -> Iterator[dict[str, Any]]:
    """Yield patents as records, about as long as an application in full text."""
    chance = random.Random(seed)
    sentences = [" ".join(chance.choices(WORDS, k=chance.randint(8, 40))) for _ in range(2000)]
    for number in itertools.count(9_000_000):
        yield {
            "publication_number": f"US{number}B2",
            "title": "Valve with a plunger",
            "publication_date": "2021-10-19",
            "abstract": ". ".join(chance.choices(sentences, k=4)),
            "claims": " ".join(f"{n}. A device comprising {chance.choice(sentences)}." for n in range(1, 15)),
            "description": "\n".join(". ".join(chance.choices(sentences, k=5)) + "." for _ in range(40)),
            "ipc": "F16K 31/06; F16K 1/00",
            "applicants": "Valves Ltd.; Pumps Inc.",
        }


def _csv(record: Mapping[str, Any]) -> str:
    return ",".join('"' + value.replace('"', '""') + '"' for value in record.values()) + "\n"


def _aps(record: Mapping[str, Any]) -> str:
    paragraphs = "\n".join(f"PAR  {text}" for text in record["description"].splitlines())
    return (
        f"PATN\nWKU  0{record['publication_number'][2:9]}1\nTTL  {record['title']}\nISD  20211019\nABST\nPAL  {record['abstract']}\n"
        f"BSUM\n{paragraphs}\nCLMS\nNUM  1.\nPAR  {record['claims']}\n"
    )


def _docdb(record: Mapping[str, Any]) -> str:
    return (
        f'<exch:exchange-document country="US" doc-number="{record["publication_number"][2:9]}" kind="B2" date-publ="20211019">'
        f'<exch:bibliographic-data><exch:invention-title lang="en">{record["title"]}</exch:invention-title></exch:bibliographic-data>'
        f'<exch:abstract lang="en"><exch:p>{record["abstract"]}</exch:p></exch:abstract></exch:exchange-document>\n'
    )


def _st96(record: Mapping[str, Any]) -> str:
    paragraphs = "".join(f"<pat:P>{text}</pat:P>" for text in record["description"].splitlines())
    return (
        "<pat:PatentPublication><pat:PatentPublicationIdentification><com:IPOfficeCode>US</com:IPOfficeCode>"
        f"<pat:PublicationNumber>{record['publication_number'][2:9]}</pat:PublicationNumber></pat:PatentPublicationIdentification>"
        f"<pat:InventionTitle>{record['title']}</pat:InventionTitle><pat:Description>{paragraphs}</pat:Description>"
        f"<pat:Claims><pat:Claim><pat:ClaimText>{record['claims']}</pat:ClaimText></pat:Claim></pat:Claims></pat:PatentPublication>\n"
    )


NAMES = ",".join(next(records(0)))
FORMATS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str], str, str]] = {
    "csv": (NAMES + "\n", _csv, "", "utf-8"),
    "csv in UTF-16": (NAMES + "\n", _csv, "", "utf-16-le"),
    "lines of JSON": ("", lambda one: json.dumps(one) + "\n", "", "utf-8"),
    "JSON answer": ('{"total": 1, "data": [\n', lambda one: json.dumps(one, indent=1) + ",\n", "]}", "utf-8"),
    "aps": ("", _aps, "", "utf-8"),
    "docdb": (
        '<exch:exchange-documents xmlns:exch="http://www.epo.org/exchange">',
        _docdb,
        "</exch:exchange-documents>",
        "utf-8",
    ),
    "st96": ('<bulk xmlns:pat="http://x/ST96/Patent" xmlns:com="http://x/ST96/Common">', _st96, "</bulk>", "utf-8"),
}
"""For each format what stands before the records, how one is written, what stands behind, and the encoding."""


def run_formats(wanted: str, size: int) -> int:
    """Write and read a file of each format; return 1 where documents are lost or memory is not bounded."""
    chosen = list(FORMATS) if wanted == "all" else wanted.split(",")
    if unknown := [name for name in chosen if name not in FORMATS]:
        sys.exit(f"There is no format {unknown[0]!r} here. Known are {', '.join(FORMATS)}.")
    print(f"{'':16}{'documents':>10}{'MB':>7}{'MB/CPU s':>10}{'documents/CPU s':>17}{'peak MB':>9}")
    failed = False
    for name in chosen:
        before, written, behind, encoding = FORMATS[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            count = 0
            with path.open("w", encoding=encoding) as out:
                out.write(before)
                for record in records(7):
                    out.write(written(record))
                    count += 1
                    if count % 50 == 0 and out.tell() >= size:
                        break
                out.write(behind)
            run = measure("ours", path, 1)
            megabytes = path.stat().st_size / 10**6
        print(
            f"{name:16}{run.documents:10,}{megabytes:7.0f}{megabytes / run.cpu:10.1f}{run.documents / run.cpu:17.0f}{run.peak_mb:9.0f}",
            flush=True,
        )
        failed = failed or run.documents != count or run.peak_mb >= PEAK_MB
    print("\nFAIL" if failed else f"\nOK: every document read, memory under {PEAK_MB} MB")
    return int(failed)


def write(folder: Path, size: int) -> tuple[Path, Path, int]:
    """Write the same documents as a bulk file, and under one root for the bare parser."""
    bulk, rooted = folder / "bulk.xml", folder / "rooted.xml"
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>\n'
    count = 0
    with bulk.open("w", encoding="utf-8") as many, rooted.open("w", encoding="utf-8") as one:
        one.write("<bulk>")
        for document in documents(seed=7):
            if many.tell() >= size:
                break
            many.write(head + document)
            one.write(document)
            count += 1
        one.write("</bulk>")
    return bulk, rooted, count


def run_bare(path: Path) -> int:
    characters = count = 0
    for _, element in etree.iterparse(str(path), tag=(*TOUCHED, "us-patent-grant"), huge_tree=True):
        if element.tag == "us-patent-grant":
            count += 1
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        else:
            characters += len("".join(element.itertext()))
    return count


def run_ours(path: Path) -> int:
    return sum(1 for _ in read_patents(path))


@dataclass(frozen=True)
class Run:
    """One run in a process of its own: CPU seconds, because wall time tells more about who else uses the machine."""

    documents: int
    wall: float
    cpu: float
    peak_mb: float


def measure(name: str, path: Path) -> Run:
    """Run one task of this script in a new process."""
    command = [sys.executable, __file__, "--task", name, str(path)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    count, wall, cpu, peak = done.stdout.split()
    return Run(int(count), float(wall), float(cpu), float(peak))


def task(name: str, path: Path) -> None:
    """Read a file one way and print documents, wall seconds, CPU seconds and the peak of resident memory in MB."""
    wall, cpu = time.perf_counter(), time.process_time()
    count = run_bare(path) if name == "bare" else run_ours(path)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kilobyte = 1024 if sys.platform == "darwin" else 1
    print(count, wall, cpu, peak / kilobyte / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a file of 60 MB instead of one gigabyte")
    parser.add_argument("--formats", metavar="LIST", help="read these formats instead: all, or names with commas")
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3, help="interleaved; medians are shown")
    parser.add_argument("--task", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.task:
        task(arguments.task[0], Path(arguments.task[1]))
        return 0
    if arguments.formats:
        return run_formats(arguments.formats, int(arguments.gigabytes * 10**9))
    size = 60 * 10**6 if arguments.quick else int(arguments.gigabytes * 10**9)
    with tempfile.TemporaryDirectory() as folder:
        bulk, rooted, count = write(Path(folder), size)
        megabytes = bulk.stat().st_size / 10**6
        print(f"{count} documents, {megabytes:.0f} MB, medians of {arguments.repeats} interleaved runs\n", flush=True)
        ways = {
            "bare lxml iterparse": ("bare", rooted),
            "ours": ("ours", bulk),
        }
        runs: dict[str, list[Run]] = {name: [] for name in ways}
        for _ in range(arguments.repeats):
            for name, way in ways.items():
                runs[name].append(measure(*way))
    print(f"{'':22}{'documents/s':>12}{'MB/s':>7}{'documents/CPU s':>17}{'peak MB':>9}{'of bare (CPU)':>15}")
    base = median(run.cpu for run in runs["bare lxml iterparse"])
    failed = any(run.documents != count for several in runs.values() for run in several)
    for name, several in runs.items():
        wall, cpu = median(run.wall for run in several), median(run.cpu for run in several)
        peak = max(run.peak_mb for run in several)
        print(f"{name:22}{count / wall:12.0f}{megabytes / wall:7.0f}{count / cpu:17.0f}{peak:9.0f}{base / cpu:15.2f}")
        if name == "ours":
            failed = failed or peak >= PEAK_MB or base / cpu < LEAST_SHARE
    print(
        "\nFAIL"
        if failed
        else f"\nOK: one process peaks under {PEAK_MB} MB at {LEAST_SHARE} or more of the speed of bare lxml"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
