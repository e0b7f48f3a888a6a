"""Where a run comes from, written into the run itself: a header after the `ir_metadata` schema, in comment lines.

The schema (https://www.ir-metadata.org) has YAML between `# ir_metadata.start` and `# ir_metadata.end`. Who ran it is left out: the
program does not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluate import Evaluation, settings_of
from sparse_coverage.experiments.provenance import surroundings
from sparse_coverage.experiments.systems import reads

REPOSITORY = "https://github.com/ZoeYou/patent-sparse-coverage"


def run_header(bench: Workbench, found: Evaluation, tag: str, command: str) -> str:
    """Return the header of a run as comment lines."""
    lines = ["ir_metadata.start", *_yaml(run_facts(bench, found, tag, command)), "ir_metadata.end"]
    return "".join(f"# {line}\n" for line in lines)


def run_facts(bench: Workbench, found: Evaluation, tag: str, command: str) -> dict[str, Any]:
    """Return what the schema asks for: platform, implementation, method, research goal and data.

    What has no place of its own in it (how documents were cut, what vocabularies were learned from) stands under `other`.
    """
    about = surroundings()
    machine = about["machine"]
    libraries = [f"python=={about['python']}", *(f"{name}=={version}" for name, version in about["packages"].items())]
    settings = settings_of(found.system, found.options)["options"]
    encoder = bench.encoders().get(found.options.encoder) if "encoder" in reads(found.system) else None
    collection = bench.collection
    return {
        "tag": tag,
        "platform": {
            "hardware": {"cpu": {"model": machine["processor"], "number of cores": machine["cores"]}},
            "operating system": {"kernel": machine["system"]},
            "software": {
                "libraries": {"python": libraries},
                "retrieval toolkit": [f"sparse-coverage=={about['sparse-coverage']}"],
            },
        },
        "implementation": {"executable": {"cmd": command}, "source": {"lang": ["Python"], "repository": REPOSITORY}},
        "method": {
            "automatic": True,
            "score ties": "corpus order",
            "retrieval": [{"name": found.system, **settings, **({"encoder run": encoder} if encoder else {})}],
        },
        "research goal": {"evaluation": {"reported measures": list(found.values)}},
        "data": {
            "test collection": {"name": collection.name},
            "other": {
                "judged topics": len(collection.judged),
                "documents": len(bench.corpus.documents),
                "passages": len(bench.corpus),
                "passages are": collection.by,
                "fingerprint": bench.fingerprint,
                "notes": list(bench.notes()),
            },
        },
        "written": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def _yaml(value: Mapping[str, Any] | Sequence[Any], indent: str = "") -> Iterator[str]:
    """Yield nested mappings and lists as YAML; a value is written as JSON, which YAML reads."""
    items = value.items() if isinstance(value, Mapping) else ((None, one) for one in value)
    for name, one in items:
        start = f"{indent}- " if name is None else f"{indent}{name}:"
        if isinstance(one, Mapping) and name is None:
            first, *rest = _yaml(one, indent + "  ")
            yield f"{indent}- {first.strip()}"
            yield from rest
        elif isinstance(one, Mapping | list) and one:
            yield start.rstrip()
            yield from _yaml(one, indent + "  ")
        else:
            yield f"{start.rstrip()} {json.dumps(one, ensure_ascii=False)}"
