"""Samples: proportional, uniform, reproducible, in flat memory, safe on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage.encoding.encoder import Tokens, TokenVectors
from sparse_coverage.errors import InputError, MismatchError, VocabularyError
from sparse_coverage.model import sample_config
from sparse_coverage.patents import Claim, Paragraph, Patent, passages
from sparse_coverage.patents.patent import in_other_language
from sparse_coverage.presets import get_preset
from sparse_coverage.progress import heard_by
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SampleConfig, SpanSample, draw_sample, passage_sample
from sparse_coverage.vocabulary import sampler as sampler_module
from sparse_coverage.vocabulary.passage_sample import PassageSampler, choose_passages
from sparse_coverage.vocabulary.sampling import sample_by_year


class WordEncoder:
    """Each word is a token; its vector depends on the word alone. Enough to see which words were sampled."""

    name, fingerprint, precision, dimension = "words", "words-1", "fp32", 16

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken
        self.encoded = 0

    def tokenize(self, text: str) -> Tokens:
        raise NotImplementedError

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        for text in texts:
            self.encoded += 1
            words, starts, place = text.split(" "), [], 0
            for word in words:
                starts.append(place)
                place += len(word) + 1
            vectors = np.stack(
                [np.random.default_rng(list(word.encode())).standard_normal(16) for word in words]
            ).astype(np.float32)
            vectors[[word == "zero" for word in words]] = 0
            if self.broken:
                vectors[-1, 3] = np.nan
            first = np.array(starts, np.int32)
            ends = first + np.array([len(word) for word in words], np.int32)
            yield TokenVectors(vectors, first, ends, np.zeros(len(words), np.int32))


def config(max_spans: int = 1000, seed: int = 0, unit: str = "token") -> SampleConfig:
    return SampleConfig("words-1", "fp32", 16, unit, max_spans, None, seed)


def texts(count: int) -> list[str]:
    return [" ".join(f"d{document}w{word}" for word in range(40)) for document in range(count)]


def sample(folder: Path, documents: Iterable[Patent | str], how: SampleConfig, *, broken: bool = False) -> SpanSample:
    return draw_sample(folder, documents, WordEncoder(broken), get_unit("token"), how)  # type: ignore[arg-type]


@pytest.mark.parametrize("wanted", [1000, 10, 5], ids=["all passages do", "a part does", "the last is too long"])
def test_the_bar_of_a_sample_of_passages_goes_to_its_end_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: int
) -> None:
    monkeypatch.setattr(passage_sample, "GROUP_CHARACTERS", 40)
    words = [f"a{number} b{number} c{number}" for number in range(20)]
    chosen = choose_passages(words, "paragraph", wanted, 0, None)
    heard: list[tuple[int, int | None]] = []
    sampler = PassageSampler(tmp_path, wanted)
    with heard_by(lambda label, done, total: heard.append((done, total)) if "sample" in label else None):
        sampler.run(chosen, WordEncoder(), get_unit("token"))  # type: ignore[arg-type]
    assert {total for _, total in heard} == {1000}
    shown = [done for done, _ in heard]
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (0, 1000)
    assert len(set(shown)) > 2


def test_a_small_collection_is_kept_whole_in_order(tmp_path: Path) -> None:
    found = sample(tmp_path, texts(3), config())
    assert list(found.texts()) == " ".join(texts(3)).split(" ")
    assert found.documents == 3
    assert found.seen == {"document": 120}
    anchor = found.anchors(np.array([41]))[0]
    assert (anchor.text, anchor.document) == ("d1w1", "text-1")


def test_an_encoder_that_knows_english_alone_learns_nothing_from_translations(tmp_path: Path) -> None:
    german = in_other_language("claims", "de", [Claim(1, "ein ventil mit feder", "/patent-document/claims/claim[1]")])
    claim = Claim(1, "a valve with spring", "/patent-document/claims/claim[1]")
    patent = Patent("EP-1", claims=(claim,), translations=german)
    wanted = {"minilm": "a valve with spring", "my-own": "a valve with spring ein ventil mit feder"}
    for name, words in wanted.items():
        encoder = WordEncoder()
        encoder.name = name
        how = sample_config(get_preset("default"), encoder, "token", 1000, None, 0)  # type: ignore[arg-type]
        found = draw_sample(tmp_path / name, [patent], encoder, get_unit("token"), how)  # type: ignore[arg-type]
        assert sorted(found.texts()) == sorted(words.split())


def test_the_sample_does_not_depend_on_how_the_stream_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sample(tmp_path / "whole", texts(100), config(300))
    for characters in (1, 1000, 7000):
        monkeypatch.setattr(sampler_module, "GROUP_CHARACTERS", characters)
        cut = sample(tmp_path / str(characters), iter(texts(100)), config(300))
        assert list(cut.texts()) == list(whole.texts())
        for name in ("points.f16", "anchors.jsonl"):
            assert (cut.folder / name).read_bytes() == (whole.folder / name).read_bytes()


def test_every_document_has_the_same_chance(tmp_path: Path) -> None:
    """Not the first ones that fill the quota: 4,000 spans, 1,000 kept, by quarter of the stream."""
    found = sample(tmp_path, texts(100), config(1000))
    assert len(found) == 1000
    quarters = np.bincount([int(text[1:].split("w")[0]) // 25 for text in found.texts()], minlength=4)
    assert (np.abs(quarters - 250) < 4 * np.sqrt(250 * 0.75)).all(), quarters


def test_sections_are_represented_in_proportion(tmp_path: Path) -> None:
    def part(name: str, number: int, words: int) -> str:
        return " ".join(f"{name}{number}x{word}" for word in range(words))

    patents = [
        Patent(
            id=f"P{n}",
            abstract=(Paragraph(part("abstract", n, 10), "/a"),),
            claims=(Claim(1, part("claim", n, 20), "/c"),),
            description=(Paragraph(part("description", n, 70), "/d"),),
        )
        for n in range(60)
    ]
    found = sample(tmp_path, patents, config(2000))
    sections = [part.section for part in passages(patents[0], by="section")]
    assert found.seen == dict(zip(sections, (600, 1200, 4200), strict=True))
    kept = [text.rstrip("0123456789").split("x")[0].rstrip("0123456789") for text in found.texts()]
    assert kept.count("abstract") == pytest.approx(200, abs=45)
    assert kept.count("claim") == pytest.approx(400, abs=60)
    assert kept.count("description") == pytest.approx(1400, abs=70)


def test_the_disk_never_holds_much_more_than_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler_module, "GROUP_CHARACTERS", 500)
    largest = 0
    write = sampler_module.ShardFolder.write

    def watched(self, number, shard) -> None:  # type: ignore[no-untyped-def]
        nonlocal largest
        write(self, number, shard)
        largest = max(largest, sum(len(s.draws) for s in self))

    monkeypatch.setattr(sampler_module.ShardFolder, "write", watched)
    found = sample(tmp_path, texts(200), config(100))  # 8,000 spans pass by
    assert len(found) == 100
    assert largest <= 100 * sampler_module.SLACK + 120  # and one group of three documents


def test_vectors_that_are_no_numbers_stop_the_run_and_name_the_passage(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="text-0 holds a value that is not a number"):
        sample(tmp_path, texts(2), config(), broken=True)


def test_texts_without_spans_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="no spans"):
        sample(tmp_path, ["...", "???"], config())


def test_a_span_without_a_direction_is_no_point(tmp_path: Path) -> None:
    found = sample(tmp_path, ["one zero two", "zero"], config())
    assert list(found.texts()) == ["one", "two"]
    assert found.seen == {"document": 4}


def test_a_finished_sample_of_other_documents_is_refused(tmp_path: Path) -> None:
    sample(tmp_path, texts(9), config())
    assert len(sample(tmp_path, iter(texts(9)), config())) == 360
    with pytest.raises(MismatchError, match=r"sample of other documents: 'd0w0.* stands there where 'another"):
        sample(tmp_path, ["another text", *texts(9)], config())


def test_an_interrupted_sample_of_other_documents_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it is the second group that differs."""
    monkeypatch.setattr(sampler_module, "GROUP_CHARACTERS", 500)
    patents = [Patent(id=f"P{n}", abstract=(Paragraph(text, "/a"),)) for n, text in enumerate(texts(9))]
    with monkeypatch.context() as patch:
        patch.setattr(sampler_module.Sampler, "finish", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sample(tmp_path, patents, config())
    second = int(sampler_module.ShardFolder(tmp_path / "shards").read(1).first[1:])
    others = [replace(patent, id="Q") if n == second else patent for n, patent in enumerate(patents)]
    with pytest.raises(MismatchError, match=f"P{second} stands there where Q stands here"):
        sample(tmp_path, others, config())
    assert len(sample(tmp_path, patents, config())) == 360


def test_groups_that_are_on_disk_are_not_encoded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler_module, "GROUP_CHARACTERS", 500)
    whole = sample(tmp_path / "whole", texts(9), config())
    encoder = WordEncoder()

    def half() -> Iterator[str]:
        yield from texts(9)[:5]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draw_sample(tmp_path / "work", half(), encoder, get_unit("token"), config())  # type: ignore[arg-type]
    done = encoder.encoded
    assert 0 < done < 9
    resumed = draw_sample(tmp_path / "work", texts(9), encoder, get_unit("token"), config())  # type: ignore[arg-type]
    assert encoder.encoded == 9
    assert (resumed.folder / "points.f16").read_bytes() == (whole.folder / "points.f16").read_bytes()


def test_a_new_sample_makes_an_old_traversal_worthless(tmp_path: Path) -> None:
    for name in ("traversal-0.npz", "cells-random-0-10.bin"):
        (tmp_path / name).write_bytes(b"of a sample that is gone")
    sample(tmp_path, texts(2), config())
    assert not list(tmp_path.glob("traversal-*"))
    assert not list(tmp_path.glob("cells-*"))


@pytest.mark.parametrize("name", ["points.f16", "anchors.jsonl"])
def test_a_cut_file_is_noticed(tmp_path: Path, name: str) -> None:
    found = sample(tmp_path, texts(3), config())
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(VocabularyError, match=f"{name}: .*cut"):
        list(SpanSample(tmp_path).texts())
    with pytest.raises(VocabularyError, match="sha256 differs"):
        found.check()


def test_a_cut_shard_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler_module, "GROUP_CHARACTERS", 500)

    def stop(self: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sampler_module.Sampler, "finish", stop)
        with pytest.raises(KeyboardInterrupt):
            sample(tmp_path, texts(9), config())
    shard = sorted((tmp_path / "shards").iterdir())[1]
    shard.write_bytes(shard.read_bytes()[:100])
    with pytest.raises(VocabularyError, match=r"000001\.safetensors: the file is missing or damaged"):
        sample(tmp_path, texts(9), config())
    for path in sorted((tmp_path / "shards").iterdir())[1:]:  # what the message says
        path.unlink()
    assert list(sample(tmp_path, texts(9), config()).texts()) == " ".join(texts(9)).split(" ")


def patent(number: int, year: int) -> Patent:
    return Patent(id=f"P{number}", title="x", publication_date=f"{year}-01-01")


def test_documents_are_sampled_in_proportion_to_years() -> None:
    patents = [patent(n, 2000 + (n % 10 >= 7) + (n % 10 == 9)) for n in range(1000)]  # 70, 20 and 10 in a hundred
    chosen = [p for p in sample_by_year(patents, 100, seed=0) if isinstance(p, Patent)]
    years = [p.publication_date[:4] for p in chosen]
    assert (years.count("2000"), years.count("2001"), years.count("2002")) == (70, 20, 10)
    assert [int(p.id[1:]) for p in chosen] == sorted(int(p.id[1:]) for p in chosen)


def test_which_documents_are_chosen_does_not_depend_on_their_order() -> None:
    patents = [patent(n, 2000 + n % 3) for n in range(200)]
    forward = {p.id for p in sample_by_year(patents, 40, seed=5) if isinstance(p, Patent)}
    backward = {p.id for p in sample_by_year(patents[::-1], 40, seed=5) if isinstance(p, Patent)}
    assert forward == backward
    assert forward != {p.id for p in sample_by_year(patents, 40, seed=6) if isinstance(p, Patent)}


def test_an_input_that_can_be_read_only_once_is_refused_kindly() -> None:
    with pytest.raises(InputError, match="read only once"):
        sample_by_year(iter([patent(1, 2000)]), 1, seed=0)
    assert len(list(sample_by_year(lambda: iter([patent(1, 2000)]), 1, seed=0))) == 1
