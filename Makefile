# Everything a newcomer needs: `make demo` and `make test`. Each sets up its own environment in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SERVER_STAMP := $(VENV)/.installed-server
DEV_STAMP := $(VENV)/.installed-dev
FUZZED := readers queries claims sentences filters numbers index
FUZZ_MINUTES ?= 10
BENCHMARKS := encoder readers noun_phrases vocabulary search

.PHONY: demo serve test lint bench docs dist fuzz soak reproduce-demo clean help

help:
	@echo "make demo   set up, then find prior art for a claim in the demo collection and write a report"
	@echo "make serve  set up, then open the demo collection in a page to search in"
	@echo "make test   set up, then run the tests"
	@echo "make lint   ruff, mypy --strict, and the order of the packages (import-linter)"
	@echo "make bench  the benchmarks in their quick form (brings their peers, torch among them)"
	@echo "make reproduce-demo  the paper's tables and figures on the demo collection, in the folder report"
	@echo "make docs   build the documentation site in the folder site; no link may be broken"
	@echo "make dist   build what is released, and check it"
	@echo "make fuzz   feed made-up input to everything that reads, FUZZ_MINUTES for each (10)"
	@echo "make soak   kill the index's writer 200 times and see that nothing is lost"
	@echo "make clean  remove the environment and what was built"

demo: $(STAMP)
	$(BIN)/sparse-coverage demo --output demo-output

# The demo's index is made once. Projects are kept beside it, and `make clean` leaves them alone.
serve: $(SERVER_STAMP)
	test -f demo-output/index/manifest.json || $(BIN)/sparse-coverage demo --output demo-output > /dev/null
	$(BIN)/sparse-coverage serve demo=demo-output/index --projects demo-projects --keep $(SERVE)

test: $(DEV_STAMP)
	$(BIN)/python -m pytest -n auto

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The CPU build of torch comes first, so that the peers do not pull the CUDA one.
bench: $(DEV_STAMP)
	$(BIN)/python -m pip install --quiet "torch==2.13.0"
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py --quick || exit 1; done

docs: $(DEV_STAMP)
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python docs/check_site.py site
	@echo "The documentation is in site/index.html"

dist: $(DEV_STAMP)
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build twine check-wheel-contents
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

fuzz: $(DEV_STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "atheris>=2.3"
	for name in $(FUZZED); do $(BIN)/python fuzz/run.py $$name --minutes $(FUZZ_MINUTES) || exit 1; done

soak: $(DEV_STAMP)
	SPARSE_COVERAGE_CRASHES=200 $(BIN)/python -m pytest -q tests/index/test_index_crash.py tests/index/test_index_crash_steps.py

reproduce-demo: $(DEV_STAMP)
	$(BIN)/sparse-coverage reproduce all --output report

clean:
	rm -rf $(VENV) build dist site demo-output report .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(SERVER_STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[server,documents,office]"
	@touch $@

$(DEV_STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(STAMP) $(SERVER_STAMP)
