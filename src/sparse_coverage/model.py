"""Sparse Coverage as one object: an encoder, a span unit and a vocabulary that turn any text into a sparse vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import tee
from pathlib import Path

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder, load_encoder
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.files import new_folder, read_json, write_json
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.progress import tracked
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import ActivationConfig, SparseVector, activate, aggregate
from sparse_coverage.vocabulary import SpanSample, Vocabulary, build_vocabulary, load_vocabulary, save_vocabulary

MODEL_FILE = "model.json"
MAX_SPANS = 5_000_000


class SparseCoverage:
    """Turns text into sparse vectors over a vocabulary of semantic centers.

    Make one with `fit`, keep it with `save`, get it back with `load`:

        model = SparseCoverage.fit(read_patents("patents/"), size=10_000)
        vector = model.encode_query("A valve comprising a plunger biased by a spring")
    """

    def __init__(self, encoder: Encoder, vocabulary: Vocabulary, activation: ActivationConfig | None = None) -> None:
        if encoder.fingerprint != vocabulary.config.fingerprint:
            raise MismatchError(
                f"The vocabulary was made with encoder '{vocabulary.config.encoder}' ({vocabulary.config.fingerprint}), "
                f"but this is '{encoder.name}' ({encoder.fingerprint}). Load the same encoder, or fit a vocabulary for this one."
            )
        self.encoder = encoder
        self.vocabulary = vocabulary
        self.activation = activation or ActivationConfig()
        self._unit = get_unit(vocabulary.config.unit)

    @classmethod
    def fit(
        cls,
        documents: Iterable[Patent | str],
        *,
        encoder: str | Encoder = DEFAULT_ENCODER,
        unit: str = "token",
        size: int | None = None,
        tau: float = 99.0,
        max_spans: int = MAX_SPANS,
        seed: int = 0,
        activation: ActivationConfig | None = None,
    ) -> SparseCoverage:
        """Learn the vocabulary of a collection: patents (their sections) or plain texts.

        `size` is V, the number of centers; `tau` the percentile that sets each radius; `max_spans` how many spans are
        sampled, uniformly, to choose the centers from.
        """
        running = load_encoder(encoder) if isinstance(encoder, str) else encoder
        span_unit = get_unit(unit)
        sample = SpanSample(max_spans, running.dimension, seed)
        kept, texts = tee(_sections(documents))
        vectors = running.encode(section.text for section in texts)
        for section, tokens in zip(kept, tracked(vectors, "Encoding sections"), strict=True):
            sample.add(span_unit.pool(section.text, tokens), section.text, section.document, section.id)
        return cls(running, build_vocabulary(sample, running, unit, size=size, tau=tau, seed=seed), activation)

    def encode_query(self, text: str) -> SparseVector:
        """Return the sparse vector of a query. However long it is, all its spans make one vector."""
        return next(self.encode_documents([text]))

    def encode_documents(self, texts: Iterable[str]) -> Iterator[SparseVector]:
        """Yield the sparse vector of each text, in order. Streams."""
        kept, passed = tee(texts)
        for text, tokens in zip(kept, self.encoder.encode(passed), strict=True):
            spans = self._unit.pool(text, tokens)
            yield aggregate(spans, activate(spans.vectors, self.vocabulary, self.activation))

    def locate_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the spans of a text are, in the order that `SparseVector.spans` counts them. Needs no encoding."""
        starts, ends = self._unit.locate(text, self.encoder.tokenize(text))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def save(self, folder: str | Path) -> None:
        """Write the model into a new folder: the vocabulary and how it is used. The encoder's weights stay in the store."""
        with new_folder(Path(folder)) as partial:
            self.write_into(partial)

    def write_into(self, folder: Path) -> None:
        """Write the model's files into an existing folder."""
        save_vocabulary(self.vocabulary, folder)
        write_json(folder / MODEL_FILE, {"activation": asdict(self.activation)})

    @classmethod
    def load(cls, folder: str | Path, *, encoder: Encoder | None = None, threads: int | None = None) -> SparseCoverage:
        """Read a model. Its encoder is loaded from the store at the precision it was fitted with where the CPU has it."""
        folder = Path(folder)
        vocabulary = load_vocabulary(folder)
        if not (folder / MODEL_FILE).is_file():
            raise InputError(f"{folder}: there is no {MODEL_FILE}, so it is not a whole model folder.")
        activation = ActivationConfig(**read_json(folder / MODEL_FILE)["activation"])
        running = encoder or load_encoder(vocabulary.config.encoder, precision=_usable(vocabulary), threads=threads)
        return cls(running, vocabulary, activation)


def _usable(vocabulary: Vocabulary) -> str:
    """int8 was a choice and stays one; bf16 and fp32 agree closely enough that each machine takes its best."""
    return "int8" if vocabulary.config.precision == "int8" else "auto"


def _sections(documents: Iterable[Patent | str]) -> Iterator[Passage]:
    for number, document in enumerate(documents):
        if isinstance(document, str):
            yield Passage(f"text-{number}", f"text-{number}", "document", "/", document, 0, len(document))
        else:
            yield from passages(document, by="section")
