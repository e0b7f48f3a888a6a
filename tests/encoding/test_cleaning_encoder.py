from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage import Index, Patent, SparseCoverage
from sparse_coverage.encoding.encoder import CleaningEncoder, with_cleaning
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.patents import Paragraph

TEXTS = ["The valve (10) of the pump (12a, 14) and the spring.", "A sensor (3) for noise; a housing.", "the plunger"]


def test_cleaned_text_is_encoded_and_places_are_those_of_the_original(tiny_encoder: OpenVinoEncoder) -> None:
    cleaning = CleaningEncoder(tiny_encoder, ["numerals"])
    encoded = next(cleaning.encode(TEXTS[:1]))
    words = [TEXTS[0][a:b] for a, b in zip(encoded.starts, encoded.ends, strict=True)]
    assert words == ["The", "valve", "of", "the", "pump", *"and", "the", "spring", "."]
    plain = next(tiny_encoder.encode(["The valve of the pump and the spring."]))
    np.testing.assert_array_equal(encoded.vectors, plain.vectors)


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["valve", "(10)", "&amp;", "H.sub.2O", "(1, 2)", "\n", "ab-\ncd"])).map(" ".join)
)
def test_places_stay_inside_any_text_and_in_order(tiny_encoder: OpenVinoEncoder, text: str) -> None:
    cleaning = CleaningEncoder(tiny_encoder, ["entities", "scripts", "hyphenation", "numerals"])
    tokens, encoded = cleaning.tokenize(text), next(cleaning.encode([text]))
    np.testing.assert_array_equal(tokens.starts, encoded.starts)
    np.testing.assert_array_equal(tokens.ends, encoded.ends)
    assert ((tokens.starts >= 0) & (tokens.starts <= tokens.ends) & (tokens.ends <= len(text))).all()
    assert (np.diff(tokens.starts) >= 0).all()


def test_a_model_remembers_how_it_cleans(tiny_encoder: OpenVinoEncoder, tmp_path: Path) -> None:
    model = SparseCoverage.fit(TEXTS, encoder=tiny_encoder, size=15, clean=["numerals"])
    model.save(tmp_path / "model")
    again = SparseCoverage.load(tmp_path / "model", encoder=tiny_encoder)
    assert again.encode_query(TEXTS[0]).as_dict() == model.encode_query(TEXTS[0]).as_dict()
    assert again.clean == model.clean == ("numerals",)
    assert again.encoder is tiny_encoder
    assert again.vocabulary.config.fingerprint == f"{tiny_encoder.fingerprint}+numerals"
    patents = [
        Patent(id=f"X{n}", abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),))
        for n, text in enumerate(TEXTS)
    ]
    index = Index.build(tmp_path / "index", model, patents)
    assert Index.open(tmp_path / "index", encoder=tiny_encoder).search(TEXTS[0])[0].document == "X0"
    for match in index.explain(TEXTS[0], "X0").matches:
        assert TEXTS[0][match.passage.start : match.passage.end] == match.passage.text
    with pytest.raises(MismatchError):
        SparseCoverage(tiny_encoder, model.vocabulary)


def test_an_unknown_step_is_refused_before_any_work(tiny_encoder: OpenVinoEncoder) -> None:
    with pytest.raises(InputError, match="numerals"):
        with_cleaning(tiny_encoder, ["polish"])
    assert with_cleaning(tiny_encoder, []) is tiny_encoder
