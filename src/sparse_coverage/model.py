"""Sparse Coverage as one object: an encoder, a span unit and a vocabulary that turn any text into a sparse vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, overload

from sparse_coverage.dataclass_json import from_json
from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder, load_encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.files import checksum_of, new_folder, read_json, write_json
from sparse_coverage.kernels import Floats
from sparse_coverage.patents.passages import By
from sparse_coverage.presets import DEFAULT_PRESET, Preset, get_preset
from sparse_coverage.spans import Spans, SpanUnit, get_unit
from sparse_coverage.vectors import ActivationConfig, SparseVector, Traced, trace
from sparse_coverage.vectors.scoring import ScoringConfig, similarity, strongest
from sparse_coverage.vocabulary import Selection, Vocabulary, load_vocabulary, save_vocabulary
from sparse_coverage.vocabulary.sampling import Documents, Sampling, opened, sample_by_year
from sparse_coverage.vocabulary.storage import vocabulary_folder

if TYPE_CHECKING:
    from sparse_coverage.vocabulary import SampleConfig

MODEL_FILE, FORMAT = "model.json", 4
MAX_SPANS = 5_000_000
"""How many spans of sections a vocabulary is learned from, as in the paper."""
SAMPLED_SPANS_A_CENTER = 30
"""How many spans of passages it is learned from for each center."""
_TRACED = 8_192  # spans that are compared with the centers at once: more than a thread takes at a time


class SparseCoverage:
    """Turns text into sparse vectors over a vocabulary of semantic centers.

    Make one with `fit`, keep it with `save`, get it back with `load`:

        model = SparseCoverage.fit(read_patents("patents/"), size=10_000)
        vector = model.encode_query("A valve comprising a plunger biased by a spring")
        vectors = model.encode_document(["A pump with a plunger.", "A spring."])

    It is an `encoder`, a `vocabulary`, and the settings `activation` and `scoring`. `by` says how an index of it cuts
    patents, and `without` what it does not keep of passages (see `Preset`), unless asked otherwise.
    `unit` is needed only where the vocabulary's unit is a user's own and has no installed name. `vectors` is the encoder that makes the
    vectors of whole passages, where that is another one (see `with_vectors_of`).
    """

    def __init__(
        self,
        encoder: Encoder,
        vocabulary: Vocabulary,
        activation: ActivationConfig | None = None,
        scoring: ScoringConfig | None = None,
        by: By = "paragraph",
        unit: SpanUnit | None = None,
        without: Sequence[str] = (),
        vectors: Encoder | None = None,
    ) -> None:
        if encoder.fingerprint != vocabulary.config.fingerprint:
            raise MismatchError(
                f"The vocabulary was made with encoder '{vocabulary.config.encoder}' ({vocabulary.config.fingerprint}), "
                f"but this is '{encoder.name}' ({encoder.fingerprint}). Load the same encoder, or fit a vocabulary for this one."
            )
        self.encoder = encoder
        self.vocabulary = vocabulary
        self.activation = activation or ActivationConfig()
        self.scoring = scoring or ScoringConfig()
        self.by = by
        self.without = tuple(without)
        self.vectors = vectors
        self.unit = get_unit(unit or vocabulary.config.unit)
        if self.unit.name != vocabulary.config.unit:
            raise MismatchError(
                f"The vocabulary was made of the unit '{vocabulary.config.unit}', but this is '{self.unit.name}'. "
                "Give the same unit, or fit a vocabulary for this one."
            )

    @classmethod
    def fit(
        cls,
        documents: Documents,
        *,
        size: int | None = None,
        encoder: str | Encoder = DEFAULT_ENCODER,
        unit: str | SpanUnit = "token",
        preset: str | Preset = DEFAULT_PRESET,
        by: By | None = None,
        sampling: Sampling = Sampling(),  # noqa: B008 - immutable
        selection: Selection = Selection(),  # noqa: B008 - immutable
        seed: int = 0,
        threads: int | None = None,
        work: str | Path | None = None,
    ) -> SparseCoverage:
        """Learn the vocabulary of a collection: patents, plain texts or (id, text) pairs.

        `size` is V, the number of centers. `encoder` is a name, a folder, a hub id or an encoder; `unit` a name or a unit: what
        counts as one span. `preset` says how the method is set: `default`, which finds more, or `paper`, exactly as published
        (see `presets`); `by` how patents are cut, where that shall differ from the preset.

        `sampling` says which documents and how many spans of them the vocabulary is learned from: spans of whole passages, cut
        as an index cuts them, or with the preset `paper` of all sections, uniformly. Where it limits the documents, give a list, or
        a function that opens them: they are read twice. `selection` says how centers and radii are chosen. Both follow `seed`.

        In the folder `work` an interrupted run can be taken up again, and the sample used for other sizes without encoding
        anything twice; without it a temporary folder is used.
        """
        from sparse_coverage.vocabulary import build_vocabulary, check_settings, draw_sample

        settings = get_preset(preset) if isinstance(preset, str) else preset
        settings = settings if by is None else replace(settings, by=by)
        max_documents, only = sampling.max_documents, sampling.only
        max_spans = sampling.max_spans or sample_size(settings, size, selection.sizes)
        chosen: dict[str, Any] = {
            "size": size,
            "sizes": selection.sizes,
            "tau": selection.tau,
            "selection": selection.method,
            "seed": seed,
        }
        check_settings(**chosen, max_spans=max_spans)
        running = load_encoder(encoder) if isinstance(encoder, str) else encoder
        span_unit = get_unit(unit)
        name = span_unit.name  # complete: it names the tagger too, where there is a choice
        config = replace(sample_config(settings, running, name, max_spans, max_documents, seed), only=str(only))
        with nullcontext(work) if work is not None else TemporaryDirectory(prefix="sparse-coverage-") as folder:
            taken = (
                only.of(opened(documents))
                if max_documents is None
                else sample_by_year(documents, max_documents, seed, only)
            )
            total = len(documents) if isinstance(documents, Sized) else max_documents
            if total is not None and max_documents is not None:
                total = min(total, max_documents)
            sample = draw_sample(Path(folder), taken, running, span_unit, config, total=total)
            vocabulary = build_vocabulary(
                sample,
                running,
                name,
                **chosen,
                common=settings.common,
                threads=threads,
                checkpoints=None if work is None else Path(folder),
                only=str(only),
            )
        chosen_settings = (settings.activation, settings.scoring, settings.by, span_unit, settings.without)
        return cls(running, vocabulary, *chosen_settings)

    def encoded_by(self, encoder: Encoder) -> SparseCoverage:
        """Return the same model with another encoder that gives the same vectors."""
        return self._with_encoders(encoder, self.vectors)

    def with_vectors_of(self, encoder: Encoder) -> SparseCoverage:
        """Return the same model, but the vectors of whole passages, and of queries to compare them with, come from another encoder.

        That costs a second pass. It is for an encoder that is made for whole texts, such as `use-multilingual`, which puts sixteen
        languages into one space.
        """
        return self._with_encoders(self.encoder, encoder)

    def _with_encoders(self, encoder: Encoder, vectors: Encoder | None) -> SparseCoverage:
        settings = (self.activation, self.scoring, self.by, self.unit, self.without)
        return SparseCoverage(encoder, self.vocabulary, *settings, vectors)

    @property
    def whole_encoder(self) -> Encoder:
        """What makes the vectors of whole passages."""
        return self.vectors or self.encoder

    @overload
    def encode_query(self, texts: str) -> SparseVector: ...  # type: ignore[overload-overlap]

    @overload
    def encode_query(self, texts: Iterable[str]) -> list[SparseVector]: ...

    def encode_query(self, texts: str | Iterable[str]) -> SparseVector | list[SparseVector]:
        """Return the sparse vector of a query; of several, a list. However long a query is, all its spans make one vector."""
        return self._encoded(texts, query=True)

    @overload
    def encode_document(self, texts: str) -> SparseVector: ...  # type: ignore[overload-overlap]

    @overload
    def encode_document(self, texts: Iterable[str]) -> list[SparseVector]: ...

    def encode_document(self, texts: str | Iterable[str]) -> SparseVector | list[SparseVector]:
        """Return the sparse vector of a document; of several, a list. Many are quicker together; to stream them, use `trace`."""
        return self._encoded(texts, query=False)

    def trace(self, texts: Iterable[str], *, query: bool = False) -> Iterator[Traced]:
        """Yield the sparse vector of each text, in order, with its spans and what each of them activates. Streams.

        In a `query` a center that several spans activate may count more than once (see `ActivationConfig.repeats`).
        """
        kept, passed, read = tee(texts, 3)
        threads = getattr(self.encoder, "threads", 1)
        spans = self.with_wholes(read, self.unit.pool_many(kept, self.encoder.encode(passed)))
        for several in windows(spans, len, _TRACED):
            for [traced] in trace(several, self.vocabulary, self.activation, query=query, threads=threads):
                yield traced

    def with_wholes(self, texts: Iterable[str], spans: Iterable[Spans]) -> Iterator[Spans]:
        """Yield the spans of each text with the vectors of its whole chunks: their own, or those of another encoder (`vectors`)."""
        if self.vectors is None:
            for _, one in zip(texts, spans, strict=True):
                yield one
            return
        for tokens, one in zip(self.vectors.encode(texts), spans, strict=True):
            yield replace(one, totals=tokens.chunk_totals())

    def _encoded(self, texts: str | Iterable[str], *, query: bool) -> SparseVector | list[SparseVector]:
        if isinstance(texts, str):
            return next(self.trace([texts], query=query)).vector
        return [traced.vector for traced in self.trace(texts, query=query)]

    def similarity(self, queries: Sequence[SparseVector], documents: Sequence[SparseVector]) -> Floats:
        """Return a row for each query and a column for each document: their scores as far as they need no corpus (no idf)."""
        return similarity(queries, documents, self.scoring)

    def decode(self, vector: SparseVector, top_k: int | None = None) -> list[tuple[str, float]]:
        """Return a vector in words: the anchors of its centers with their weights, strongest first."""
        return [(self.vocabulary.anchors[center].text, weight) for center, weight in strongest(vector, top_k)]

    def locate_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the spans of a text are, in the order that `SparseVector.spans` counts them. Needs no encoding."""
        starts, ends = self.unit.locate(text, self.encoder.tokenize(text))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def save(self, folder: str | Path) -> None:
        """Write the model into a new folder: the vocabulary and how it is used. The encoder's weights stay in the store."""
        with new_folder(Path(folder)) as partial:
            self.write_into(partial)

    def write_into(self, folder: Path) -> None:
        """Write the model's files into an existing folder."""
        save_vocabulary(self.vocabulary, folder)
        settings = {
            "activation": asdict(self.activation),
            "scoring": asdict(self.scoring),
            "by": self.by,
            "without": list(self.without),
            "vectors": [] if self.vectors is None else [self.vectors.name, self.vectors.fingerprint],
            "format": FORMAT,
        }
        write_json(folder / MODEL_FILE, {**settings, "sha256": checksum_of(settings)})

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        encoder: Encoder | None = None,
        unit: SpanUnit | None = None,
        runtime: str = "auto",
        threads: int | None = None,
    ) -> SparseCoverage:
        """Read a model from a folder, or from the model hub (`owner/name`). `from_pretrained` is the same.

        Its encoder is loaded from the store. An int8 model stays one; else it computes in what this CPU does best, bf16 or fp32.
        `unit` is needed where the model was fitted with a unit that has no installed name.
        """
        folder = vocabulary_folder(folder)
        vocabulary = load_vocabulary(folder)
        settings = model_settings(folder)
        # int8 was a choice and stays one; bf16 and fp32 agree closely enough that each machine takes its best.
        precision = "int8" if vocabulary.config.precision == "int8" else "auto"
        running = encoder or load_encoder(
            vocabulary.config.encoder, runtime=runtime, precision=precision, threads=threads
        )
        read = (settings.activation, settings.scoring, settings.by, unit, settings.without)
        other = load_encoder(settings.vectors[0], threads=threads) if settings.vectors else None
        return cls(running, vocabulary, *read, other)

    from_pretrained = load


def sample_size(preset: Preset, size: int | None, sizes: Sequence[int] = ()) -> int:
    """Return how many spans to learn from: see `docs/vocabulary.md` for what was measured.

    >>> sample_size(get_preset("paper"), 10_000), sample_size(get_preset("default"), None), sample_size(get_preset("default"), 50_000)
    (5000000, 300000, 1500000)
    """
    from sparse_coverage.vocabulary.build import DEFAULT_SIZE

    if preset.learn == "sections":
        return MAX_SPANS
    return SAMPLED_SPANS_A_CENTER * max((size or DEFAULT_SIZE, DEFAULT_SIZE, *sizes))


def sample_config(
    preset: Preset, encoder: Encoder, unit: str, max_spans: int, max_documents: int | None, seed: int
) -> SampleConfig:
    """Return what determines the sample that a vocabulary is learned from."""
    from sparse_coverage.encoding.catalogue import languages_of
    from sparse_coverage.vocabulary import SampleConfig

    by: By | Literal[""] = preset.by if preset.learn == "passages" else ""
    # Spans in a language that the encoder does not know are far from all others, so they would be chosen as centers first.
    translations = languages_of(encoder.name) != ["en"]
    facts = (encoder.fingerprint, encoder.precision, encoder.dimension)
    return SampleConfig(*facts, unit, max_spans, max_documents, seed, by, translations=translations)


def scoring_of(folder: Path) -> ScoringConfig:
    """Return how a saved model scores, without loading its encoder."""
    return model_settings(folder).scoring


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What a model's folder says beside its vocabulary."""

    activation: ActivationConfig
    scoring: ScoringConfig
    by: By
    without: tuple[str, ...]
    vectors: tuple[str, ...]
    """The name and the fingerprint of the encoder of whole passages, where it is another one."""


def model_settings(folder: Path) -> ModelSettings:
    """Return the settings of a saved model; any that do not fit are an error."""
    return from_json(ModelSettings, read_settings(folder), str(folder / MODEL_FILE))


def read_settings(folder: Path) -> dict[str, Any]:
    """Return what a model's folder says beside its vocabulary; a damaged file is an error."""
    if not (folder / MODEL_FILE).is_file():
        raise InputError(f"{folder}: there is no {MODEL_FILE}, so it is not a whole model folder.")
    settings: dict[str, Any] = read_json(folder / MODEL_FILE)
    if not isinstance(settings, dict) or settings.pop("sha256", None) != checksum_of(settings):
        raise InputError(
            f"{folder / MODEL_FILE}: damaged (wrong sha256). Restore it from a copy, or fit the model again."
        )
    if (version := settings.pop("format", None)) != FORMAT:
        raise InputError(
            f"{folder / MODEL_FILE}: model format {version}, this version reads format {FORMAT}. Fit the model again: "
            "sparse-coverage fit PATENTS -o MODEL"
        )
    return settings
