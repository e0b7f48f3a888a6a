"""Commands as a user types them."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from sparse_coverage.cli import cli


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)


def output(result: Result) -> Any:
    if result.exception is not None:
        raise result.exception
    return json.loads(result.stdout)
