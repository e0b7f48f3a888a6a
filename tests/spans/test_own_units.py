"""A unit of one's own: as an object where names are taken."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hash_encoder import HashEncoder

from sparse_coverage import InputError, MismatchError, SparseCoverage
from sparse_coverage.files import checksum_of
from sparse_coverage.spans import get_unit
from sparse_coverage.spans.span import Indices, SpanUnit, TokenPlaces

TEXTS = ["A valve and a spring.", "A pump with a plunger.", "Noise of a pump."]


class EveryOther(SpanUnit):
    """Every second token that holds a letter."""

    name = "every-other"

    def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
        first = np.flatnonzero(places.lexical)[::2]
        return first, first + 1


def test_an_object_is_taken_where_names_are_and_asked_for_when_the_model_is_loaded(tmp_path: Path) -> None:
    encoder = HashEncoder()
    model = SparseCoverage.fit(TEXTS, encoder=encoder, unit=EveryOther(), size=4)
    assert model.locate_spans("A valve and a spring.") == [(0, 1), (8, 11), (14, 20)]
    model.save(tmp_path / "model")
    with pytest.raises(
        InputError, match=r"no span unit 'every-other'.*units are: token, all-tokens, np, np\+token.*object"
    ):
        SparseCoverage.load(tmp_path / "model", encoder=encoder)
    again = SparseCoverage.from_pretrained(tmp_path / "model", encoder=encoder, unit=EveryOther())
    assert again.encode_query(TEXTS[0]).as_dict() == model.encode_query(TEXTS[0]).as_dict()
    with pytest.raises(MismatchError, match="made of the unit 'every-other', but this is 'token'"):
        SparseCoverage.load(tmp_path / "model", encoder=encoder, unit=get_unit("token"))


def test_a_model_of_another_format_names_both_numbers_and_the_command(tmp_path: Path) -> None:
    encoder = HashEncoder()
    SparseCoverage.fit(TEXTS, encoder=encoder, size=4).save(tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    settings = json.loads(path.read_text())
    settings.pop("sha256")
    settings["format"] = 0
    path.write_text(json.dumps({**settings, "sha256": checksum_of(settings)}))
    with pytest.raises(InputError, match=r"format 0, this version reads format \d.*sparse-coverage fit"):
        SparseCoverage.load(tmp_path / "model", encoder=encoder)
