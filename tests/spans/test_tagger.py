"""The compiled tagger against a plain one, and what surrounds it."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.spans import tagger as tagger_module
from sparse_coverage.spans.tagger import PerceptronTagger, load_arrays, weights_from_arrays

WORDS = """the a of in and said valve valves drum rotating rotated comprising comprises is was 10 1999 2.5 mm light-emitting The
    ( ) , ; . : housing quickly FIG. it which can open 's - -- Ω é x THE computer-implemented method for storing data -x""".split()


class PlainTagger:
    """The averaged perceptron as its description says it: named features, dictionaries, one word after the other."""

    def __init__(self, arrays):
        text = {name: arrays[name].tobytes().decode().split("\n") for name in ("tags", "feature_names", "known_words")}
        self.tags = text["tags"]
        self.known = {
            word: self.tags[tag] for word, tag in zip(text["known_words"], arrays["known_tags"].tolist(), strict=True)
        }
        self.weights = {}
        for row, name in enumerate(text["feature_names"]):
            entries = slice(arrays["offsets"][row], arrays["offsets"][row + 1])
            pairs = zip(arrays["classes"][entries].tolist(), arrays["weights"][entries].tolist(), strict=True)
            self.weights[name] = {self.tags[tag]: weight for tag, weight in pairs}

    @staticmethod
    def normalised(word):
        if "-" in word and word[0] != "-":
            return "!HYPHEN"
        if word.isdigit() and len(word) == 4:
            return "!YEAR"
        return "!DIGITS" if word[0].isdigit() else word.lower()

    def tag(self, sentences):
        found = []
        for sentence in sentences:
            before, before2 = ".", "NN"
            sentence = [tagger_module._TRAINED_AS.get(word, word) for word in sentence]
            around = ["-START-", "-START2-", *map(self.normalised, sentence), "-END-", "-END2-"]
            for i, word in enumerate(sentence, start=2):
                tag = self.known.get(word)
                if tag is None:
                    scores = dict.fromkeys(self.tags, 0)
                    for feature in (
                        "bias",
                        f"i suffix {word[-3:]}",
                        f"i pref1 {word[0]}",
                        f"i-1 tag {before}",
                        f"i-2 tag {before2}",
                        f"i tag+i-2 tag {before} {before2}",
                        f"i word {around[i]}",
                        f"i-1 tag+i word {before} {around[i]}",
                        f"i-1 word {around[i - 1]}",
                        f"i-1 suffix {around[i - 1][-3:]}",
                        f"i-2 word {around[i - 2]}",
                        f"i+1 word {around[i + 1]}",
                        f"i+1 suffix {around[i + 1][-3:]}",
                        f"i+2 word {around[i + 2]}",
                    ):
                        for candidate, weight in self.weights.get(feature, {}).items():
                            scores[candidate] += weight
                    tag = max(self.tags, key=lambda name, scores=scores: (scores[name], name))
                found.append(tag)
                before, before2 = tag, before
        return found


@pytest.fixture(scope="module")
def arrays():
    return load_arrays()


@pytest.fixture(scope="module")
def plain(arrays):
    return PlainTagger(arrays)


@pytest.fixture(scope="module")
def compiled(arrays):
    return PerceptronTagger(weights_from_arrays(arrays))


def tag_names(tagger, sentences):
    words = [word for sentence in sentences for word in sentence]
    ends = np.cumsum([len(sentence) for sentence in sentences]).astype(np.intp)
    return [tagger.tags[tag] for tag in tagger.tag(words, ends)]


@given(st.lists(st.lists(st.one_of(st.sampled_from(WORDS), st.text(min_size=1, max_size=6)), max_size=12), max_size=4))
def test_the_compiled_tagger_agrees_with_the_plain_one(compiled, plain, sentences):
    assert tag_names(compiled, sentences) == plain.tag(sentences)


def test_plain_english_is_tagged_as_english(compiled):
    sentence = "The new machine quickly washes dirty clothes in cold water .".split()
    assert tag_names(compiled, [sentence]) == ["DT", "JJ", "NN", "RB", "VBZ", "JJ", "NNS", "IN", "JJ", "NN", "."]


def test_a_fixed_tag_wins(arrays):
    tagger = PerceptronTagger(weights_from_arrays(arrays), {"said": "DT"})
    assert tag_names(tagger, [["Said", "valve", "opens", "."]])[0] == "DT"


def test_forgetting_words_changes_no_tag(arrays, monkeypatch):
    sentences = [["the", "rotating", "drum"], ["a", "valve", "opens"], ["the", "rotating", "drum"]]
    tagger = PerceptronTagger(weights_from_arrays(arrays))
    expected = [tag_names(tagger, [sentence]) for sentence in sentences]
    monkeypatch.setattr(tagger_module, "MOST_WORDS_REMEMBERED", 2)
    assert [tag_names(tagger, [sentence]) for sentence in sentences] == expected


def test_threads_share_one_tagger(compiled):
    sentences = [[f"word{i}", "the", f"thing{i}s", "rotating", "drum"] for i in range(60)]
    expected = [tag_names(compiled, [sentence]) for sentence in sentences]
    found: dict[int, list] = {}

    def work(number):
        found[number] = [tag_names(compiled, [[*sentence[:-1], "drum"]]) for sentence in sentences]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[number] == expected for number in range(4))


@pytest.mark.parametrize("ends", [[], [1], [3], [2, 1, 2]])
def test_sentences_that_do_not_fit_the_words_are_refused(compiled, ends):
    with pytest.raises(ValueError, match="2 words do not fall into sentences"):
        compiled.tag(["a", "drum"], np.array(ends, dtype=np.intp))
