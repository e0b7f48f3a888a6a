"""The folder in which the commands of the pages are typed: patents, an index, a claim, all small and invented."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

from made_documents_for_charts import made_calibration
from tiny_bert import write_checkpoint

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.charts.calibration import own_calibration
from sparse_coverage.encoding import load_encoder
from sparse_coverage.patents import read_patents

ROOT = Path(__file__).parents[2]
CLAIM = (
    "A valve comprising a plunger biased by a spring, wherein a sensor in the housing of the pump measures the noise."
)
THINGS = (
    "valve",
    "pump",
    "sensor",
    "spring",
    "housing",
    "plunger",
    "battery",
    "drum",
    "teapot",
    "antenna",
    "lens",
    "brake",
)
# The numbers that the pages name.
IDS = (
    "EP-1234567-A1", "EP-2345678-A1", "EP-1246167-A1", "EP-0049154-A1", "EP-1000001-A1", "EP-1000002-A1",
    "EP-1000003-A1", "US-5000001-A", "US-5000002-A", "WO-9500001-A1", "EP-1000004-A1", "EP-1000005-A1",
)  # fmt: skip


def record(number: int, id_: str) -> dict[str, object]:
    """Return an invented patent."""
    one, other = THINGS[number % 12], THINGS[(number + 5) % 12]
    text = f"The {one} has a {other} with a phase change material, which is pressed against the rubber of the device."
    return {
        "id": id_,
        "title": f"{one.capitalize()} with a {other}",
        "abstract": f"A {one} comprising a {other} and a plunger biased by a spring.",
        "claims": [
            f"1. A {one} comprising a {other}, wherein the {other} is cooled.",
            "2. The device of claim 1, with a valve.",
        ],
        "description": [text, f"A battery or an accumulator drives the {one}. {text}"],
        "publication_date": f"{1990 + number}-06-15",
        "priority_date": f"{1988 + number}-06-15",
        "ipc": ["F16K 31/06"] if number % 2 else ["H04N 5/44", "G06F 3/01"],
        "applicants": ["Bosch GmbH"],
        "family": str(number),
        "language": "en",
    }


def write_folder(folder: Path) -> Path:
    """Write everything that the pages name. The default encoder is a tiny one in the cache that the environment names."""
    from sparse_coverage.encoding.weights import cache_folder

    encoder_folder = write_checkpoint(cache_folder() / "models" / "minilm")
    (encoder_folder / "sparse-coverage.json").write_text('{"files": {}}', encoding="utf-8")
    (folder / "patents").mkdir(parents=True)
    lines = [json.dumps(record(number, id_)) + "\n" for number, id_ in enumerate(IDS)]
    (folder / "patents" / "all.jsonl").write_text("".join(lines), encoding="utf-8")
    files = ROOT / "docs" / "tutorial-files"
    shutil.copy(files / "draft.docx", folder)
    for name in ("EP", "week-46", "week-47"):
        (folder / name).mkdir()
    shutil.copy(files / "patents" / "EP-9110112-A1.xml", folder / "EP")
    shutil.copy(files / "patents" / "EP-9113351-A1.xml", folder / "week-46")
    shutil.copy(files / "patents" / "EP-9118590-A1.xml", folder / "week-47")
    shutil.copy(files / "patents" / "EP-9113351-A1.xml", folder / "corrected.xml")
    with zipfile.ZipFile(folder / "EP.zip", "w") as archive:
        archive.write(files / "patents" / "EP-9112977-B1.xml", "EP-9112977-B1.xml")
    (folder / "more").mkdir()
    (folder / "more" / "one.jsonl").write_text(json.dumps(record(3, "EP-1000009-A1")) + "\n", encoding="utf-8")
    (folder / "claim.txt").write_text(CLAIM, encoding="utf-8")
    (folder / "our-portfolio.csv").write_text("Publication Number,Title\nEP1000002A1,Plunger\n", encoding="utf-8")
    (folder / "features.txt").write_text(CLAIM.replace(", wherein ", ",\nwherein "), encoding="utf-8")
    (folder / "topics.tsv").write_text(f"Q1\t{CLAIM}\n", encoding="utf-8")
    vectors = [{"id": f"D{number}", "vector": {"valve": 1.5, f"t{number}": 0.5}} for number in range(4)]
    (folder / "splade.jsonl").write_text("".join(json.dumps(line) + "\n" for line in vectors), encoding="utf-8")
    (folder / "queries.jsonl").write_text(json.dumps({"id": "Q1", "vector": {"valve": 1.0}}) + "\n", encoding="utf-8")
    write_checkpoint(folder / "my-checkpoint", seed=3)
    encoder = load_encoder(threads=1)
    made_calibration(encoder).save(own_calibration(encoder))
    patents = list(read_patents(folder / "patents"))
    model = SparseCoverage.fit(patents, encoder=encoder, size=60)
    model.save(folder / "my-model")
    for name in ("my-index", "another-index"):
        Index.build(folder / name, model, patents)
    return folder
