"""The names that sentence-transformers users know: encode_query, encode_document, similarity, decode."""

from __future__ import annotations

import numpy as np
import pytest
from small_index import CENTERS, random_queries

from sparse_coverage import ActivationConfig, Index, Patent, Preset, ScoringConfig, SparseCoverage
from sparse_coverage.patents import Paragraph
from sparse_coverage.vectors.scoring import similarity, strongest

TEXTS = ["A valve comprising a spring and a plunger.", "A pump housing with a sensor.", "A plunger and a spring."]
QUERY = "a spring in the housing of a pump"


@pytest.fixture(scope="module")
def model(tiny_encoder):
    activation = ActivationConfig(k=8, assignment="nearest")
    return SparseCoverage.fit(TEXTS, encoder=tiny_encoder, size=25, preset=Preset(activation=activation))


def test_similarity_is_the_score_of_an_index_that_knows_no_idf(model, tmp_path):
    patents = [
        Patent(id=f"XX-{number}", abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),))
        for number, text in enumerate(TEXTS)
    ]
    index = Index.build(tmp_path / "index", model, patents, scoring=ScoringConfig(alpha=0.0, rho=0.0))
    query = model.encode_query(QUERY)
    assert [one.as_dict() for one in model.encode_query([QUERY])] == [query.as_dict()]
    assert model.encode_document([]) == []
    table = model.similarity([query], [model.encode_document(text) for text in TEXTS])
    np.testing.assert_allclose(model.similarity([query], model.encode_document(TEXTS)), table, rtol=1e-4)
    assert table.shape == (1, 3)
    np.testing.assert_allclose(table[0], index.scores(query), rtol=1e-3)  # the index holds 16-bit weights
    assert (table > 0).sum() >= 2


def test_similarity_of_made_up_vectors_is_a_product_of_matrices():
    queries, documents = random_queries(1, 4), random_queries(2, 6)

    def dense(vectors):
        rows = np.zeros((len(vectors), CENTERS))
        for row, vector in zip(rows, vectors, strict=True):
            row[vector.centers] = vector.weights
        return rows

    norms = np.asarray([document.span_count**0.5 for document in documents])
    np.testing.assert_allclose(similarity(queries, documents), dense(queries) @ dense(documents).T / norms, rtol=1e-5)
    assert similarity([], documents).shape == (0, 6)
    assert similarity(queries, []).shape == (4, 0)


def test_a_vector_is_decoded_into_the_words_that_anchor_its_centers(model):
    vector = model.encode_document(TEXTS[0])
    words = model.decode(vector)
    assert len(words) == len(vector)
    assert sorted(words, key=lambda pair: -pair[1]) == words
    center = int(vector.centers[np.argmax(vector.weights)])
    assert words[0] == (model.vocabulary.anchors[center].text, pytest.approx(float(vector.weights.max())))
    assert model.decode(vector, top_k=3) == words[:3]


def test_equal_weights_are_in_the_order_of_their_centers():
    vector = random_queries(3, 1)[0]
    vector.weights[:] = 0.5
    assert [center for center, _ in strongest(vector)] == sorted(vector.centers.tolist())
