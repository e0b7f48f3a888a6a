"""The commands a user types, on a synthetic CLEF-IP tree and on the demo, with a tiny encoder."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest
from typed_commands import output, run

from sparse_coverage.experiments.paper import paper_table


def test_check_and_pool_of_a_tree(tree: Path, cache: Path, tmp_path: Path) -> None:
    found = run("clefip", tree)
    assert found.return_value == 1  # a relevant document and a topic's document are missing, on purpose
    assert "EP-9999999-A1" in found.output
    pool = output(run("clefip", tree, "--pool", 100, "-o", tmp_path / "pool.json", "--json"))
    assert len(pool["documents"]) == 100
    assert json.loads((tmp_path / "pool.json").read_text(encoding="utf-8")) == pool
    assert pool["counts"]["uniform"] == round(0.25 * (100 - pool["counts"]["relevant"]))
    again = output(run("clefip", tree, "--pool", 100, "-o", tmp_path / "again.json", "--json"))
    assert again == pool
    table = run(
        "reproduce", "lengths", "--collection", tree, "--pool", 100, "--cache", cache, "-o", tmp_path / "report"
    )
    assert "17,323" in table.output


def test_evaluate_on_a_tree(tree: Path, cache: Path, tiny_checkpoint: Path, tmp_path: Path) -> None:
    words = ("evaluate", tree, "--pool", 100, "--cache", cache, "--threads", 1, "--encoder", tiny_checkpoint)
    words += ("--system", "bm25", "--system", "dense", "--system", "paper", "--unit", "token", "--unit", "np", "-V", 60)
    record = output(run(*words, "--runs", tmp_path / "runs", "--json"))
    assert len(record["systems"]) == 4
    assert any("relevant passages are not in the corpus" in note for note in record["notes"])
    bm25 = record["systems"]["bm25"]["measures"]
    assert bm25["R@100"]["mean"] > 0.9  # the topic's invented words stand in its relevant documents
    assert bm25["R@100"]["low"] <= bm25["R@100"]["mean"] <= bm25["R@100"]["high"]
    assert bm25["PassageR@1000"]["mean"] < 1  # judged passages that do not exist stay misses
    assert len(record["comparisons"]) == 6 * 6
    runs = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert len(runs) == 8
    ranked = {
        line.split()[2]
        for line in (tmp_path / "runs" / "bm25.run").read_text(encoding="utf-8").splitlines()
        if line.startswith("PSG-1 ")
    }
    assert not ranked & {"EP-1500001-A1", "EP-1500001-B1", "WO-2500001-A1"}  # its own family
    shown = run(*words, "--against", "bm25")
    assert "randomisation" in shown.output
    assert shown.exception is None


def test_a_run_made_elsewhere_is_measured_and_compared(cache: Path, tmp_path: Path) -> None:
    """Our own BM25 run, written and given back, has the values of the system itself."""
    words = ("evaluate", "demo", "--cache", cache, "--system", "bm25", "--json")
    output(run(*words, "--runs", tmp_path))
    record = output(run(*words, "--run", tmp_path / "bm25.run"))
    assert list(record["systems"]) == ["bm25", "bm25.run"]
    alone = output(run("evaluate", "demo", "--cache", cache, "--run", tmp_path / "bm25.run", "--json"))
    assert list(alone["systems"]) == ["bm25.run"]
    here, there = record["systems"].values()
    assert here["per_query"]["MAP"] == pytest.approx(there["per_query"]["MAP"])
    assert here["per_query"]["MAP(D)"] == there["per_query"]["MAP(D)"]  # from the run of passages beside it
    (tmp_path / "elsewhere").mkdir()
    lines = (tmp_path / "bm25.run").read_text(encoding="utf-8").splitlines(keepends=True)
    first = lines[0].split()[0]
    fewer = [line for line in lines if line.split()[0] != first]
    fewer.append("another Q0 XX-1-A1 1 1.0 bm25\n")
    (tmp_path / "elsewhere" / "bm25.run").write_text(
        "".join([*fewer, fewer[0].replace(" EP-", " XX-")]), encoding="utf-8"
    )
    both = output(run(*words, "--run", tmp_path / "bm25.run", "--run", tmp_path / "elsewhere" / "bm25.run"))
    assert len(both["systems"]) == 3  # two files of one name are two rows
    assert sum("1 of 12 judged queries is not answered in it and counted as 0" in note for note in both["notes"]) == 1
    assert [note.partition("bm25.run: ")[2] for note in both["notes"] if "unknown to the collection" in note] == [
        "1 of 12 queries is unknown to the collection and left out",
        "1 of 69 documents is unknown to the collection",
    ]
    assert both["systems"][str(tmp_path / "elsewhere" / "bm25.run")]["per_query"]["MAP"][first] == 0
    (tmp_path / "other.run").write_text("x Q0 d 1 1.0 t\n", encoding="utf-8")
    assert "none of its queries" in str(run(*words, "--run", tmp_path / "other.run").exception)
    (tmp_path / "other.run").write_text(f"{first} Q0 d 1 1.0 t\n", encoding="utf-8")
    assert "none of its documents is in the collection" in str(run(*words, "--run", tmp_path / "other.run").exception)
    (tmp_path / "bm25.passages.run").unlink()
    assert "–" in run(*words[:-1], "--run", tmp_path / "bm25.run").output


def test_without_a_system_what_search_does_stands_beside_the_usual_baselines(
    few: Path, cache: Path, tiny_checkpoint: Path
) -> None:
    words = ("evaluate", few, "--cache", cache, "--threads", 1, "--encoder", tiny_checkpoint, "-V", 50, "--json")
    rows = output(run(*words, "--measure", "MAP"))["systems"].values()
    assert [one["system"] for one in rows] == ["bm25", "dense", "combined"]
    [row] = output(run(*words, "--measure", "MAP", "--as-published"))["systems"].values()
    assert (row["system"], row["options"]["unit"]) == ("paper", "all-tokens")


def test_the_table_is_written_for_a_paper(cache: Path, tmp_path: Path) -> None:
    words = (
        "evaluate",
        "demo",
        "--cache",
        cache,
        "--system",
        "bm25",
        "--set",
        "k1=0.9",
        "--set",
        "k1=1.5",
        "--measure",
        "MAP",
    )
    files = [tmp_path / "new" / f"table.{suffix}" for suffix in ("csv", "md", "tex")]
    told = output(run(*words, "--against", "k1=1.5", *(word for file in files for word in ("--table", file)), "--json"))
    by_csv, by_markdown, by_tex = (file.read_text(encoding="utf-8") for file in files)
    [head, first, _] = by_csv.splitlines()
    assert head == "System,MAP,MAP low,MAP high,MAP p"
    [test] = told["comparisons"]
    assert float(first.split(",")[-1]) == pytest.approx(test["p_holm"], abs=1e-6)
    assert r"\toprule" in by_tex
    assert "12 queries, means x 100" in by_tex
    assert by_markdown.startswith("# demo: 12 queries, means x 100\n")


def test_a_dry_run_without_an_encoder_says_so_in_the_place_of_an_empty_table(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[[rows]]\nsystem = "bm25"\n')
    told = run("reproduce", tmp_path / "own.toml", "--cache", cache, "--dry-run").stdout.splitlines()
    assert told[0].startswith("sparse-coverage evaluate demo --system bm25  # own, ")
    assert told[1:] == ["No row is left that needs an encoder."]


def test_rows_that_fail_of_one_thing_are_told_together(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[[rows]]\nsystem = "paper"\nencoder = "/no/such"\nsize = [10, 20, 30]\n')
    told = run("reproduce", tmp_path / "own.toml", "--cache", cache, "-o", tmp_path / "report").stdout
    [line] = [line for line in told.splitlines() if line.startswith("failed")]
    assert line.startswith("failed paper /no/such token V=10 and 2 more: ")


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (("evaluate", "demo", "--system", "magic"), "no system to evaluate"),
        (("evaluate", "demo", "--measure", "R"), "cutoff"),
        (("evaluate", "demo", "--system", "bm25", "--against", "dense"), "--against must name one row, not 0 of: bm25"),
        (("evaluate", "demo", "--set", "rho=2"), "rho"),
        (("evaluate", "demo", "--set", "rhho=2"), "The settings are: k, assignment"),
        (("evaluate", "nowhere"), "no collection"),
        (("evaluate", "demo", "--table", "table.pdf"), "written as .csv, .md, .tex"),
        (("reproduce", "everything"), "no experiment"),
        (("clefip", "nowhere"), "no such folder"),
    ],
)
def test_mistakes_are_told_kindly(words: tuple[str, ...], cause: str, cache: Path) -> None:
    more = () if words[0] == "clefip" else ("--cache", cache)
    result = run(*words, *more)
    assert result.exception is not None
    assert cause in str(result.exception)


def test_a_measure_of_passages_needs_judged_passages(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "text": "a lamp"}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "lamps"}\n', encoding="utf-8")
    (tmp_path / "qrels" / "test.tsv").write_text("q\td\t1\n", encoding="utf-8")
    result = run("evaluate", tmp_path, "--system", "bm25", "--measure", "MAP(D)", "--cache", cache)
    assert "judges documents only" in str(result.exception)


def test_a_dry_run_tells_what_is_finished_and_computes_nothing(tiny_checkpoint: Path, tmp_path: Path) -> None:
    words = ("reproduce", "full", "efficiency", "--unit", "token", "-V", 20, "-V", 30, "--threads", 1)
    words += ("--encoder", tiny_checkpoint, "--cache", tmp_path / "cache", "-o", tmp_path / "report")
    ahead = output(run(*words, "--dry-run", "--json"))
    assert [row["state"] for row in ahead["rows"]] == ["open"] * 6
    assert [row["command"].split()[4] for row in ahead["rows"]] == ["paper", "paper", "bm25", "dense", "paper", "paper"]
    [encoder] = ahead["encoders"]
    assert encoder["rows_open"] == 5
    assert encoder["seconds"] > 0
    assert not (tmp_path / "report").exists()
    assert not (tmp_path / "cache" / "indexes").exists()
    command = ahead["rows"][0]["command"].split()[1:]
    output(run(*command, "--cache", tmp_path / "cache", "--threads", 1, "--json"))
    measures = [
        word for name in ("R@100", "MAP", "PRES@100", "MAP(D)", "PassageR@1000") for word in ("--measure", name)
    ]
    output(run(*command, *measures, "--cache", tmp_path / "cache", "--threads", 1, "--json"))
    again = output(run(*words, "--dry-run", "--json"))
    assert [row["state"] for row in again["rows"]] == ["finished", "open", "open", "open", "finished", "open"]
    seeds = output(run(*words, "--dry-run", "--seeds", 2, "--json"))  # one of the two is not there
    assert {row["state"] for row in seeds["rows"]} == {"open"}
    assert seeds["rows"][0]["command"].endswith("--seeds 2")
    assert "rows to do" in run(*words, "--dry-run").output
    absent = output(
        run("reproduce", "full", "--encoder", "no/such", "--cache", tmp_path / "cache", "--dry-run", "--json")
    )
    assert {row["state"] for row in absent["rows"]} == {"open: the encoder will be fetched"}
    assert absent["encoders"][0]["seconds"] is None


def test_without_matplotlib_the_tables_are_there_and_the_figure_is_said_to_be_missing(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ("reproduce", "lengths", "--cache", cache, "-o", tmp_path)
    summary = run(*words, "--json")
    assert summary.return_value == 1
    [failure] = json.loads(summary.stdout)["experiments"]["lengths"]["failures"]
    assert "[plot]" in failure
    assert "[plot]" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "lengths" / "lengths.csv").is_file()


def test_a_report_over_two_collections_says_which_is_which(tree: Path, cache: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    mine = tmp_path / "my <lengths>.toml"
    mine.write_text('title = "The tree"\nkind = "lengths"\n', encoding="utf-8")
    assert run("reproduce", "lengths", "--cache", cache, "-o", tmp_path / "report").return_value == 0
    words = ("reproduce", mine, "--collection", tree, "--pool", 50, "--cache", cache, "-o", tmp_path / "report")
    assert run(*words).return_value == 0
    index = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Reproduction on demo and clef-ip-2013 (50 documents, seed 0)" in index
    first, second = index.split("<h2")[1:]
    assert "demo · 12 queries" in first
    assert "clef-ip-2013 (50 documents, seed 0) · 5 queries" in second
    assert "<lengths>" not in index
    assert 'href="my%20%3Clengths%3E/' in second


def test_reproduce_writes_a_whole_report(tree: Path, cache: Path, tiny_checkpoint: Path, tmp_path: Path) -> None:
    """Every experiment through the command, with one size that is too large: its rows fail, the others are there."""
    pytest.importorskip("matplotlib")
    words = ("reproduce", "all", "--collection", tree, "--pool", 60, "--cache", cache, "--threads", 1, "--small")
    words += ("--encoder", tiny_checkpoint, "-V", 30, "-V", 10_000_000, "-o", tmp_path / "report")
    result = run(*words)
    assert result.exception is None
    assert result.return_value == 1
    report = tmp_path / "report"
    index = (report / "index.html").read_text(encoding="utf-8")
    for name in ("main", "full", "ablations", "efficiency", "centers", "lengths"):
        assert f'id="{name}"' in index
        for suffix in (".csv", ".md", ".tex"):
            assert (report / name / f"{name}{suffix}").stat().st_size > 100
        configuration = json.loads((report / name / "configuration.json").read_text(encoding="utf-8"))
        assert configuration["seed"] == 0
        assert all("--pool 60" in command for command in configuration["commands"])
        assert configuration["machine"]["cores"] >= 1
        assert configuration["packages"]["numpy"]
    figures = sorted(path.name for path in report.rglob("*.png"))
    assert figures == ["centers.png", "cost-and-recall.png", "query-lengths.png", "vocabulary-size.png"]
    for suffix in ("svg", "pdf"):
        assert sorted(path.stem for path in report.rglob(f"*.{suffix}")) == [n.removesuffix(".png") for n in figures]
    rows = list(csv.DictReader((report / "full" / "full.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 6
    assert [row["V/d"] for row in rows if row["MAP"]] == ["30"] * 3
    ablations = list(csv.DictReader((report / "ablations" / "ablations.csv").read_text(encoding="utf-8").splitlines()))
    assert "R@100 paper" not in ablations[0]  # another encoder, another pool
    assert all(float(row["R@100 low"]) <= float(row["R@100"]) <= float(row["R@100 high"]) for row in ablations)
    for name in ("main", "full", "ablations", "efficiency"):
        text = (report / name / f"{name}.md").read_text(encoding="utf-8")
        assert "Without the paper's values: the collection has 60 candidates, not 25,000 and 5 topics, not 48." in text
    said = (report / "main" / "methods.tex").read_text(encoding="utf-8")
    assert not re.search(r"\$[^$]*--[^$]*\$", said)  # two minus signs, not a range
    assert "5 judged queries, " in said
    assert "\\cite{bm25}" in said
    assert "Sparse Coverage as published: $K=5$, $\\alpha=2$, $\\gamma=0.5$, $\\rho=0.01$, $\\tau=99$." in said
    joined = said.partition("(combined): ")[2].partition(";")[0]  # every departure from the published method is told
    told = (
        "nearest assignment",
        "1 common direction",
        "$n^{0.4}$",
        "$1/n^{1}$",
        "40 added",
        "by top-mean:3",
        "passages",
    )
    assert all(words in joined for words in told), joined
    statistics = (report / "lengths" / "lengths.csv").read_text(encoding="utf-8")
    assert statistics.count("\n") == 1 + len(paper_table("statistics"))  # a line for each of the paper's
    assert "of them not relevant" in statistics
    assert "of them from other documents" in statistics
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", said) for key in keys.split(",")}
    bibliography = (report / "main" / "references.bib").read_text(encoding="utf-8")
    assert set(re.findall(r"@\w+\{([^,]+),", bibliography)) == cited
    kept = json.loads((report / "full" / "rows.json").read_text(encoding="utf-8"))
    assert len(kept[0]["per_query"]["MAP"]) == 5
    tests = list(csv.DictReader((report / "main" / "comparisons.csv").read_text(encoding="utf-8").splitlines()))
    main = json.loads((report / "main" / "rows.json").read_text(encoding="utf-8"))
    done = sum(not row["failure"] for row in main)
    assert len({(test["first"], test["second"]) for test in tests}) == done * (done - 1) / 2 == len(tests) / 5 > 0
    assert all(float(test["p"]) <= float(test["p_holm"]) <= 1 for test in tests)
    ablated = list(csv.DictReader((report / "ablations" / "comparisons.csv").read_text(encoding="utf-8").splitlines()))
    assert {test["first"] for test in ablated} == {"assignment K=5", "alpha 2", "gamma 0.5"}

    again = output(run(*words, "--json"))  # everything that was finished is found again
    assert all(one["seconds"] < 20 for one in again["experiments"].values())


def test_what_a_command_will_need_is_checked_before_the_collection_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pylate", None)
    monkeypatch.setattr(
        "sparse_coverage.evaluation.loading.load_collection", lambda *_, **__: pytest.fail("work has begun")
    )
    missing = run("evaluate", "demo", "--cache", tmp_path, "--system", "colbert").exception
    assert "ColBERT needs the extra [colbert]" in str(missing)
    gone = tmp_path / "gone" / "pool.json"
    assert "there is no folder" in str(run("clefip", tmp_path, "-o", gone).exception)
