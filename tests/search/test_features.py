"""Features first: what of a claim is searched for, what each document has of it, and what has that which the first ten lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.search.features import feature_at, feature_places, weighed_text
from sparse_coverage.workspace import ElementText, OpenIndex, SearchRequest

CLAIM = "A pump comprising a housing, a rotor with curved blades, and a seal of graphite."
FEATURES = ("A pump comprising a housing", "a rotor with curved blades", "a seal of graphite.")
PUMP = ["A pump has a housing.", "A pump has a housing and a rotor with curved blades."]
TEXTS = {f"EP-{n}-A1": PUMP for n in range(1, 13)} | {f"EP-{n}-A1": ["A lamp.", "A torch."] for n in range(30, 130)}
TEXTS |= {"EP-20-A1": ["Dry bearings of steel.", "Seals are made of graphite."]}


def elements(*weights: int) -> tuple[ElementText, ...]:
    return tuple(ElementText(text, label, weight) for text, label, weight in zip(FEATURES, "abc", weights, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Path:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = [
        Patent(id_, description=tuple(Paragraph(text, f"/p[{n}]", f"{n:04}") for n, text in enumerate(texts, 1)))
        for id_, texts in TEXTS.items()
    ]
    activation = ActivationConfig(k=1, assignment="nearest")
    model = SparseCoverage.fit(patents, encoder=encoder, size=40, preset=Preset(activation=activation))
    Index.build(made := tmp_path_factory.mktemp("features") / "index", model, patents)
    return made


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[OpenIndex]:
    with OpenIndex.open(folder, "words") as index:
        yield index


def test_a_search_says_which_features_a_passage_has_and_what_covers_those_that_the_first_ten_lack(
    opened: OpenIndex,
) -> None:
    found = opened.search(SearchRequest(query=CLAIM, elements=elements(1, 2, 1), ranking="words"))
    assert len(found.hits) == 10
    first = found.touched[found.hits[0].document]
    assert [one.level for one in first] == ["touched", "touched", ""]
    assert [one.number for one in first] == ["0001", "0002", ""]
    assert found.beyond is not None
    assert found.beyond.lacking == ("c",)
    assert [hit.document for hit in found.beyond.hits] == ["EP-20-A1"]
    assert [one.level for one in found.touched["EP-20-A1"]] == ["", "", "touched"]


def test_what_is_left_out_is_neither_searched_nor_missed_and_what_counts_twice_comes_first(opened: OpenIndex) -> None:
    without = opened.search(SearchRequest(query=CLAIM, elements=elements(1, 1, 0), ranking="words", k=20))
    assert "graphite" not in without.query
    assert "EP-20-A1" not in [hit.document for hit in without.hits]
    assert without.beyond is None
    alone = opened.search(SearchRequest(query=CLAIM, elements=elements(0, 0, 2), ranking="words"))
    assert alone.hits[0].document == "EP-20-A1"
    plain = opened.search(SearchRequest(query=CLAIM, ranking="words"))
    same = opened.search(SearchRequest(query=CLAIM, elements=elements(1, 1, 1), ranking="words"))
    assert [(hit.document, hit.score) for hit in same.hits] == [(hit.document, hit.score) for hit in plain.hits]
    with pytest.raises(InputError, match="Every feature is left out"):
        opened.search(SearchRequest(query=CLAIM, elements=elements(0, 0, 0)))


def test_the_share_counts_words_that_no_document_has(opened: OpenIndex) -> None:
    [[touch]] = opened.index.touched(["a seal of unobtainium and kryptonite"], ["EP-20-A1"]).values()
    assert touch.level == ""


def test_a_feature_that_counts_twice_is_one_place() -> None:
    text = weighed_text(CLAIM, list(zip(FEATURES, (1, 2, 0), strict=True)))
    places = feature_places(text, FEATURES)
    assert places[1].text == f"{FEATURES[1]} {FEATURES[1]}"
    assert [feature_at(place, places) for place in places[:2]] == [0, 1]
    assert places[2].text == ""


def test_the_command_line_takes_features_and_shows_them(
    folder: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    lines = tmp_path / "features.txt"
    lines.write_text(f"# mine\n-{FEATURES[0]}\n!x\t{FEATURES[1]}\n{FEATURES[2]}\n", encoding="utf-8")
    status, out, err = run("search", folder, CLAIM, "--features", lines, "--ranking", "words", "-k", 3)
    assert status == 0, err
    assert (
        out.index("EP-1-A1")
        < out.index("1a ● x ● 1c ○")
        < out.index("Have what the first ten lack: 1c")
        < out.index("EP-20-A1")
    )
    lines.write_text("a seal of lead\n", encoding="utf-8")
    status, _, err = run("search", folder, CLAIM, "--features", lines)
    assert (status, "not in the claim" in err) == (1, True)
