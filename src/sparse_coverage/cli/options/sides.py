"""The options that say which sides an index has beside Sparse Coverage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import NamesIn, together
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.encoding import Encoder
    from sparse_coverage.retrievers import Side

side_options = together(
    click.option(
        "--with",
        "kinds",
        multiple=True,
        type=NamesIn("systems:KINDS", what="side"),
        help="Also keep what another system needs. Repeatable.",
    ),
    click.option("--hybrid", is_flag=True, help="The same as --with bm25 --with dense: what `search --hybrid` needs."),
    click.option(
        "--dense-encoder", metavar="NAME", help="The encoder of the dense side [that of Sparse Coverage here]."
    ),
)


def make_sides(
    index: Path,
    encoder: Encoder | None,
    threads: int | None,
    *,
    kinds: tuple[str, ...],
    hybrid: bool,
    dense_encoder: str | None,
) -> dict[str, int]:
    """Add the sides that were asked for to an index, and refresh those it has. Return the blocks made of each."""
    from sparse_coverage.retrievers import refresh_sides
    from sparse_coverage.retrievers.one_pass import PoolingEncoder
    from sparse_coverage.retrievers.sides import sides_of
    from sparse_coverage.systems import HYBRID

    wanted = dict.fromkeys((*kinds, *(HYBRID if hybrid else ())))
    if dense_encoder and "dense" not in wanted:
        raise InputError("--dense-encoder is for the dense side: ask for it with --with dense or --hybrid.")
    # A side that is there already is opened as it was made, unless another encoder is asked for: then it is refused.
    present = () if dense_encoder else sides_of(index)
    pooling = encoder if isinstance(encoder, PoolingEncoder) else None
    plain = encoder if pooling is None else pooling.encoder
    new = [_new_side(index, kind, dense_encoder, plain, threads) for kind in wanted if kind not in present]
    kept = {} if pooling is None else {"dense": pooling.rows.get}
    made = refresh_sides(index, new, encoder=plain, threads=threads, kept=kept)
    if pooling is not None:
        pooling.rows.remove()
    return made


def encoder_for(index: Path, encoder: Encoder, sides: Mapping[str, Any], cleaned: bool = False) -> Encoder:
    """Return the encoder to build an index with: where it has a dense side of the same encoder, one that pools on the way."""
    from sparse_coverage.retrievers.one_pass import PoolingEncoder

    dense = sides["hybrid"] or "dense" in sides["kinds"]
    return PoolingEncoder(encoder, index) if dense and not sides["dense_encoder"] and not cleaned else encoder


def _new_side(index: Path, kind: str, dense_encoder: str | None, encoder: Encoder | None, threads: int | None) -> Side:
    from sparse_coverage.retrievers import Bm25, Colbert, Dense, Splade
    from sparse_coverage.search.own_model import MODEL_FOLDER
    from sparse_coverage.vocabulary import load_vocabulary

    if kind == "bm25":
        return Bm25()
    if kind == "splade":
        return Splade(threads=threads)
    if kind == "colbert":
        return Colbert(threads=threads)
    if dense_encoder:
        return Dense(dense_encoder, threads=threads)
    if encoder is not None:
        return Dense(encoder)
    return Dense(load_vocabulary(index / MODEL_FOLDER).config.encoder, threads=threads)
