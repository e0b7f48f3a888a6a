"""The paper's letter by options, several seeds, tests against a baseline, runs with their origin, topics one by one."""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hash_encoder import HashEncoder
from typed_commands import output, run

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding import TokenVectors
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.presets import PRESETS


def test_the_papers_letter_from_end_to_end(tree: Path, cache: Path, tiny_checkpoint: Path, tmp_path: Path) -> None:
    """A synthetic CLEF-IP with every option of the paper's letter: all of it is told below the table."""
    words = ("reproduce", "main", "--collection", tree, "--pool", 60, "--cache", cache, "--threads", 1, "--small")
    words += ("--encoder", tiny_checkpoint, "--unit", "token", "-V", 40, "--as-published")
    words += ("--learn-from", tree, "--max-documents", 40, "-o", tmp_path / "report")
    result = run(*words, "--seeds", 2, "--against", "bm25")
    assert result.exception is None, result.output
    text = (tmp_path / "report" / "main" / "main.md").read_text(encoding="utf-8")
    assert f"Vocabularies are learned from {tree.name}, documents published 2000-2010, in en, no titles alone." in text
    assert "A dependent claim is preceded by its independent ancestors only." in text
    assert "± is the standard deviation over 2 seeds." in text
    assert "† differs from bm25" in text
    about = json.loads((tmp_path / "report" / "main" / "configuration.json").read_text(encoding="utf-8"))
    assert about["seeds"] == [0, 1]
    assert all(" --as-published " in command for command in about["commands"])
    assert [command.endswith("--seeds 2") for command in about["commands"]] == [
        "--system paper" in command or "--system combined" in command for command in about["commands"]
    ]
    again = run(*about["commands"][-1].split()[1:], "--cache", cache, "--threads", 1, "--json")
    [row] = output(again)["systems"].values()
    [kept] = [one for one in json.loads((tmp_path / "report/main/rows.json").read_text()) if one["system"] == "paper"]
    assert row["per_query"]["MAP"] == kept["per_query"]["MAP"]
    assert len(row["seeds"]) == 2


@pytest.mark.parametrize("learn", ["sections", "passages"])
def test_encoders_read_the_texts_themselves_without_markers_of_sections(
    learn: Literal["sections", "passages"], tmp_path: Path
) -> None:
    """No "[abstract]" or the like stands before what is encoded, in learning, indexing or searching."""
    heard: list[str] = []

    class Listening(HashEncoder):
        def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
            every = list(texts)
            heard.extend(every)
            return super().encode(every)

    demo = load_collection("demo")
    patents, query = list(demo.documents())[:4], demo.queries[0].text
    preset = replace(PRESETS["paper"], learn=learn)
    model = SparseCoverage.fit(patents, encoder=Listening(), size=50, preset=preset)
    learned = len(heard)
    whole = ["\n".join([p.title, *(x.text for x in (*p.abstract, *p.claims, *p.description))]) for p in patents]
    known = [re.sub(r"\s+", " ", text) for text in (*whole, query)]
    Index.build(tmp_path / "index", model, patents).search(query)
    assert 0 < learned < len(heard)
    assert query in heard
    assert all(any(re.sub(r"\s+", " ", one).strip() in text for text in known) for one in heard)


def test_seeds_are_averaged_and_their_spread_is_told(few: Path, cache: Path, tiny_checkpoint: Path) -> None:
    words = (
        "evaluate",
        few,
        "--cache",
        cache,
        "--threads",
        1,
        "--encoder",
        tiny_checkpoint,
        "--system",
        "paper",
        "-V",
        50,
        "--measure",
        "MAP",
    )
    alone = [output(run(*words, "--seed", seed, "--json")) for seed in (3, 4)]
    means = [next(iter(one["systems"].values()))["measures"]["MAP"]["mean"] for one in alone]
    together = output(run(*words, "--seed", 3, "--seeds", 2, "--json"))
    [row] = together["systems"].values()
    assert [one["MAP"] for one in row["seeds"]] == pytest.approx(means)
    assert row["measures"]["MAP"]["mean"] == pytest.approx(sum(means) / 2)
    assert len(set(means)) > 1
    shown = run(*words, "--seed", 3, "--seeds", 2).output
    assert "standard deviation over 2 seeds" in shown
    assert f"±{100 * statistics.stdev(means):.1f}" in shown


def test_a_grid_is_tested_against_a_baseline_that_is_not_in_it(
    few: Path, cache: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    pytest.importorskip("bm25s")
    words = (
        "reproduce",
        "full",
        "--collection",
        few,
        "--cache",
        cache,
        "--threads",
        1,
        "--encoder",
        tiny_checkpoint,
        "--unit",
        "token",
    )
    words += ("-V", 20, "-V", 30)
    assert run(*words, "--against", "bm25", "-o", tmp_path).return_value == 0
    tests = list(csv.DictReader((tmp_path / "full" / "comparisons.csv").read_text(encoding="utf-8").splitlines()))
    assert {test["first"] for test in tests} == {"bm25"}
    by_measure = [test for test in tests if test["measure"] == "MAP"]
    assert len(by_measure) == 2  # every row of the grid
    smallest = min(float(test["p"]) for test in by_measure)
    assert min(float(test["p_holm"]) for test in by_measure) == pytest.approx(min(1, 2 * smallest))
    wrong = run(*words, "--against", "nothing", "-o", tmp_path)
    assert "--against must name one row" in str(wrong.exception)


def test_what_encoders_compute_in_is_chosen_and_told(
    few: Path, cache: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    """Values depend on it as on a seed: results and reports say it, and a command of a report asks for it again."""
    words = ("--cache", cache, "--threads", 1, "--encoder", tiny_checkpoint, "--unit", "token", "-V", 30)
    words += ("--precision", "fp32")
    record = output(run("evaluate", few, "--system", "paper", *words, "--json"))
    [encoder] = record["encoders"].values()
    assert encoder["precision"] == "fp32"
    assert run("reproduce", "centers", "--collection", few, *words, "-o", tmp_path / "report").return_value == 0
    about = json.loads((tmp_path / "report/centers/configuration.json").read_text(encoding="utf-8"))
    assert about["encoders"] == record["encoders"]
    assert all("--precision fp32" in command for command in about["commands"])
    methods = (tmp_path / "report/centers/methods.tex").read_text(encoding="utf-8")
    assert " in fp32." in methods
    wrong = run("evaluate", few, *words[:-1], "fp33")
    assert "fp33" in str(wrong.exception)


def test_every_topic_leads_to_its_texts(few: Path, cache: Path, tiny_checkpoint: Path, tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    pytest.importorskip("matplotlib")
    words = ("evaluate", few, "--cache", cache, "--threads", 1, "--encoder", tiny_checkpoint, "-V", 50)
    words += ("--system", "bm25", "--system", "paper")
    record = output(run(*words, "--topics", tmp_path / "topics", "--json"))
    first, second = (one["per_query"]["MAP"] for one in record["systems"].values())
    rows = list(csv.DictReader((tmp_path / "topics" / "topics.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["Topic"]: float(row["Difference"]) for row in rows} == pytest.approx(
        {query: 100 * (second[query] - first[query]) for query in first}, abs=1e-4
    )
    assert [float(row["Difference"]) for row in rows] == sorted((float(r["Difference"]) for r in rows), reverse=True)
    page = (tmp_path / "topics" / "topics.html").read_text(encoding="utf-8")
    for query in first:
        assert f'href="#{query}"' in page
        assert f'<h2 id="{query}"' in page
        assert f'xlink:href="topics.html#{query}"' in page  # its bar in the figure
    assert page.count("<strong>relevant</strong>") == 8
    assert {path.suffix for path in (tmp_path / "topics").glob("differences.*")} == {".pdf", ".svg", ".png"}
    three = (*words, "--system", "default", "--against", "bm25", "--topics", tmp_path / "three", "--json")
    values = [one["per_query"]["MAP"] for one in output(run(*three))["systems"].values()]
    rows = list(csv.DictReader((tmp_path / "three" / "topics.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["Topic"]: float(row["Difference"]) for row in rows} == pytest.approx(
        {query: 100 * (values[2][query] - values[0][query]) for query in first}, abs=1e-4
    )
    assert "one seed" in str(run(*words, "--topics", tmp_path, "--seeds", 2).exception)


def test_full_texts_with_documents_judged_alone_run_through_both_stages(cache: Path, tmp_path: Path) -> None:
    """The word asked for stands in the last of many sentences: passages find it, and the topic's page shows that passage."""
    pytest.importorskip("bm25s")
    folder = tmp_path / "long"
    (folder / "qrels").mkdir(parents=True)
    filler = " ".join(f"Sentence {n} of the text tells nothing at all about it." for n in range(60))
    texts = {"a": f"{filler} A zeppelin appears.", "b": filler, "c": f"A lamp. {filler}"}
    corpus = "".join(json.dumps({"_id": id_, "title": f"T{id_}", "text": text}) + "\n" for id_, text in texts.items())
    (folder / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "a zeppelin"}\n', encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("q\ta\t1\n", encoding="utf-8")
    words = ("evaluate", folder, "--cache", cache, "--system", "bm25", "--by", "passage")
    record = output(run(*words, "--topics", tmp_path / "topics", "--runs", tmp_path / "runs", "--json"))
    assert record["systems"]["bm25"]["per_query"]["MAP"] == {"q": 1.0}
    assert "MAP(D)" not in record["systems"]["bm25"]["measures"]
    page = (tmp_path / "topics" / "topics.html").read_text(encoding="utf-8")
    assert "A zeppelin appears." in page
    assert (
        "Sentence 1 of" not in page.split("A zeppelin appears.")[0].split('<h2 id="q"')[1]
    )  # a passage, not all of it
    whole = output(run(*words[:-2], "--json"))
    assert whole["systems"]["bm25"]["cost"] <= record["systems"]["bm25"]["cost"]
