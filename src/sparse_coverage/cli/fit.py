"""`sparse-coverage fit`: patents in, a vocabulary out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from sparse_coverage.cli.cluster import fit_with_ray, workplace_options
from sparse_coverage.cli.options import (
    json_option,
    output_option,
    path_option,
    research,
    seed_option,
    show,
    threads_option,
)
from sparse_coverage.cli.options.inputs import ProblemLog, paths_argument, reading_options, reading_settings
from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError
from sparse_coverage.files import as_typed

if TYPE_CHECKING:
    from sparse_coverage.patents import Patent, Problem
    from sparse_coverage.patents.patent import Note


@click.command(no_args_is_help=True)
@paths_argument
@output_option("model")
@research.encoder_option()
@research.runtime_option
@research.precision_option
@research.preset_option
@research.unit_option()
@research.size_option("How many centers [10,000, or a tenth of the spans if fewer].")
@click.option("--sizes", help="Smaller sizes to measure radii for in the same pass, as 1000,2000,5000.")
@research.selection_option
@research.tau_option
@research.max_documents_option
@research.years_option
@research.with_text_option
@research.max_spans_option
@path_option(
    "--work", help="Keep the sample and the state of the run here: interrupted, the same command goes on from there."
)
@seed_option("Same seed, same input: same vocabulary.")
@reading_options
@workplace_options
@threads_option
@json_option
def command(
    paths: tuple[str, ...],
    output: Path,
    encoder: str,
    runtime: str,
    precision: str,
    sizes: str | None,
    work: Path | None,
    years: str,
    with_text: bool,
    on: str,
    address: str | None,
    threads: int | None,
    **settings: Any,
) -> int:
    """Learn a vocabulary of semantic centers from the patents in PATHS.

    Files, folders, patterns and archives are read; formats are recognised from content.

    \b
    Example:
      sparse-coverage fit patents/ -o my-model -V 10000
      sparse-coverage fit patents/ -o my-model -V 50000 --sizes 10000,20000 --work my-work
      sparse-coverage fit epo/ -o my-model --preset paper --years 2000-2010 --with-text --max-documents 300000
      sparse-coverage fit patents/ -o my-model --on ray --address head:6379 --work /shared/work
      sparse-coverage index patents/ --model my-model -o my-index
    """
    from sparse_coverage import SparseCoverage, load_encoder
    from sparse_coverage.files import require_free
    from sparse_coverage.presets import get_preset
    from sparse_coverage.vocabulary import Sampling, Selection
    from sparse_coverage.vocabulary.sampling import Restriction

    require_free(output)
    sampled = settings["max_documents"] is not None
    if "-" in paths and sampled:
        raise InputError("Standard input can be read only once, but sampling documents reads it twice: give files.")
    log = ProblemLog()
    settings["sizes"] = _numbers(sizes)
    loading: dict[str, Any] = {"runtime": runtime, "precision": precision}
    reading = reading_settings()
    if on == "ray":
        if years or with_text:
            raise InputError(
                "--years and --with-text are not for --on ray: give the cluster only the files it shall learn from."
            )
        loading |= {"language": reading["language"], "encoder": encoder}
        model = fit_with_ray(address, threads, paths, output, work, log, **loading, **settings)
    else:
        # For an estimate of the time left: sections are encoded as they are read, passages after all were read.
        counted = get_preset(settings["preset"]).learn == "sections" and "-" not in paths
        documents = (_Counted if counted else _Documents)(paths, reading, log, readings=1 + sampled)
        running = load_encoder(encoder, threads=threads, **loading)
        only = Restriction(years, reading["language"].removeprefix("only-") if years or with_text else "", with_text)
        sampling = Sampling(settings.pop("max_documents"), settings.pop("max_spans"), only)
        selection = Selection(settings.pop("selection"), settings.pop("sizes"), settings.pop("tau"))
        model = SparseCoverage.fit(
            documents, encoder=running, sampling=sampling, selection=selection, threads=threads, work=work, **settings
        )
    model.save(output)
    config = model.vocabulary.config
    told = (
        f"[bold]{config.size:,}[/bold] centers from {config.spans:,} spans ({config.unit}, {config.encoder}, "
        f"{config.precision}), median radius {float(sorted(model.vocabulary.radii)[config.size // 2]):.3f}\n"
        + (f"Learned from documents {escape(config.only)}.\n" if config.only else "")
        + f"Saved in [bold]{escape(str(output))}[/bold]. "
        f"Next: sparse-coverage index PATHS --model {escape(as_typed(output))} -o INDEX"
    )
    show({"model": str(output), "problems": len(log.problems), **record(config)}, told)
    return log.status


class _Documents:
    """Reads the patents anew each time; what cannot be read is reported in the last reading only."""

    def __init__(self, paths: tuple[str, ...], reading: dict[str, Any], log: ProblemLog, readings: int) -> None:
        self._paths = list(paths)
        self._settings = reading
        self._log = log
        self._left = readings

    def __iter__(self) -> Iterator[Patent]:
        self._left -= 1
        last = self._left == 0
        return self._read(self._log if last else _ignore, self._log.note if last else _ignore)

    def _read(self, report: Callable[[Problem], None], note: Callable[[Note], None]) -> Iterator[Patent]:
        from sparse_coverage import read_patents

        return read_patents(self._paths, on_problem=report, on_note=note, **self._settings)


class _Counted(_Documents):
    """Knows how many there are, at the price of one more reading."""

    def __len__(self) -> int:
        from sparse_coverage.progress import tracked

        return sum(1 for _ in tracked(self._read(_ignore, _ignore), "Counting documents"))


def _ignore(problem: Problem) -> None:
    """Report nothing."""


def _numbers(sizes: str | None) -> list[int]:
    try:
        return [int(size) for size in (sizes or "").replace(" ", "").split(",") if size]
    except ValueError:
        raise InputError(f"--sizes takes numbers with commas between them, as 1000,2000,5000, not '{sizes}'.") from None
