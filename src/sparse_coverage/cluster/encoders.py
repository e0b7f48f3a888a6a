"""The same encoder in every worker, loaded once in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sparse_coverage.encoding import Encoder, load_encoder
from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.encoding.cleaning_encoder import with_cleaning
from sparse_coverage.errors import MismatchError
from sparse_coverage.patents.cleaning.cleaned import step_names


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """What a worker needs to load the encoder that the run was started with."""

    name: str
    runtime: str
    precision: str
    fingerprint: str
    clean: tuple[str, ...]
    threads: int

    @classmethod
    def of(cls, encoder: Encoder, clean: Sequence[str], runtime: str, threads: int) -> EncoderSpec:
        """Describe a running encoder: its arithmetic by name, so that no node chooses another."""
        is_folder = encoder.name not in CATALOGUE and Path(encoder.name).is_dir()
        name = str(Path(encoder.name).absolute()) if is_folder else encoder.name
        return cls(name, runtime, encoder.precision, encoder.fingerprint, step_names(clean), threads)

    def load(self) -> Encoder:
        """Return the encoder of this process, as it is."""
        return _loaded(self)

    def load_cleaning(self) -> Encoder:
        """Return the encoder of this process with the cleaning of the run."""
        return with_cleaning(_loaded(self), self.clean)


@lru_cache(maxsize=1)
def _loaded(spec: EncoderSpec) -> Encoder:
    encoder = load_encoder(spec.name, runtime=spec.runtime, precision=spec.precision, threads=spec.threads)
    if encoder.fingerprint != spec.fingerprint:
        raise MismatchError(
            f"A node has other weights for the encoder '{spec.name}' ({encoder.fingerprint}) than the run was started with "
            f"({spec.fingerprint}). Put the same ones on every node, or name a folder that all nodes see."
        )
    return encoder
