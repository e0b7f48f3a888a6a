# Everything a newcomer needs: `make demo` and `make test`. Each sets up its own environment in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SERVER_STAMP := $(VENV)/.installed-server
DEV_STAMP := $(VENV)/.installed-dev
# What installs; .ci/run sets it to uv, which is quicker. Contributors get the versions that CI has (`make lock` renews them).
INSTALL ?= $(BIN)/python -m pip install --quiet --disable-pip-version-check
INSTALL_BASE ?= $(BIN)/python -m pip --python build/base/bin/python install --quiet --disable-pip-version-check
LOCK := .ci/locks/development.txt
FUZZED := readers queries claims sentences words printing tools filters numbers index rest projects project_files models calibrations
FUZZ_MINUTES ?= 10
SOAK_MINUTES ?= 60
BENCHMARKS := encoder readers vocabulary search

.PHONY: demo serve test explore lint bench docs dist sbom installs lock fuzz soak crashes reproduce-demo check-llm clean help

help:
	@echo "make demo   set up, then find prior art for a claim in the demo collection and write a report"
	@echo "make serve  set up, then open the demo collection in a page to search in"
	@echo "make test   set up, then run the tests"
	@echo "make explore  run the tests that draw examples with many more of them, from a new seed (EXPLORE picks tests, SEED repeats)"
	@echo "make lint   ruff, mypy --strict, the order of the packages (import-linter), and a tidy tree"
	@echo "make bench  the benchmarks in their quick form (brings their peers, torch among them)"
	@echo "make reproduce-demo  the paper's tables and figures on the demo collection, in the folder report"
	@echo "make docs   build the documentation site in the folder site; no link may be broken"
	@echo "make dist   build what is released, twice, and check it"
	@echo "make sbom   list what the base install holds (CycloneDX, dist/sbom.json), and check its licences"
	@echo "make installs  install it with pip, uv and pipx on every Python found, lowest and newest, and search"
	@echo "make lock   renew the versions that CI and contributors install"
	@echo "make fuzz   feed made-up input to everything that reads, FUZZ_MINUTES for each (10)"
	@echo "make soak   abuse an index and its server for SOAK_MINUTES (60): kills, a full disk, damaged files; every answer is checked"
	@echo "make crashes  kill the index's writer at every step, a project's 200 times, and a server, and see that nothing is lost"
	@echo "make check-llm  ask a language model (LLM its address, LLM_MODEL its name) about judged cells, and see what of it is believed"
	@echo "make clean  remove the environment and what was built"

demo: $(STAMP)
	$(BIN)/sparse-coverage demo --output demo-output

# The demo's index is made once. Projects are kept beside it, and `make clean` leaves them alone.
serve: $(SERVER_STAMP)
	test -f demo-output/index/manifest.json || $(BIN)/sparse-coverage demo --output demo-output > /dev/null
	$(BIN)/sparse-coverage serve demo=demo-output/index --projects demo-projects $(SERVE)

test: $(DEV_STAMP)
	$(BIN)/python -m pytest -n auto --dist loadscope --durations=10

# What it finds becomes a fixed example (@example) of its test.
explore: SEED := $(or $(SEED),$(shell $(PYTHON) -c "import secrets; print(secrets.randbelow(2**32))"))
explore: $(DEV_STAMP)
	@echo "Exploring with seed $(SEED); to repeat it: make explore SEED=$(SEED)"
	$(BIN)/python -m pytest -n auto -m hypothesis --hypothesis-profile=explore --hypothesis-seed=$(SEED) $(EXPLORE) \
	    || { echo "To repeat it: make explore SEED=$(SEED)"; exit 1; }

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/tidy.py

# The CPU build of torch comes first, so that the peers do not pull the CUDA one.
bench: $(DEV_STAMP)
	$(INSTALL) "torch==2.13.0"
	$(INSTALL) -e ".[bench]"
	for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py --quick || exit 1; done

docs: $(DEV_STAMP)
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python docs/check_site.py site
	@echo "The documentation is in site/index.html"

dist: $(DEV_STAMP)
	rm -rf dist
	$(INSTALL) -c $(LOCK) build twine check-wheel-contents
	$(BIN)/python tools/release.py dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# What a user gets who installs the wheel and nothing else, in an environment of its own.
sbom: dist
	$(INSTALL) -c $(LOCK) cyclonedx-bom
	rm -rf build/base && $(PYTHON) -m venv --without-pip build/base
	$(INSTALL_BASE) dist/*.whl
	$(BIN)/python tools/licences.py build/base
	$(BIN)/cyclonedx-py environment build/base/bin/python --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom.json

installs: dist
	$(INSTALL) -c $(LOCK) uv pipx
	$(BIN)/python tools/installs.py dist/*.whl --write docs/installing.md

lock: $(VENV)/bin/python
	$(INSTALL) uv
	$(BIN)/python tools/lock.py

fuzz: $(DEV_STAMP)
	$(INSTALL) "atheris>=2.3"
	for name in $(FUZZED); do $(BIN)/python fuzz/run.py $$name --minutes $(FUZZ_MINUTES) || exit 1; done

soak: $(DEV_STAMP)
	$(BIN)/python soak/steady.py
	$(BIN)/python soak/run.py --minutes $(SOAK_MINUTES) $(SOAK)

crashes: $(DEV_STAMP)
	SPARSE_COVERAGE_EVERY_STEP=1 SPARSE_COVERAGE_PROJECT_KILLS=200 SPARSE_COVERAGE_SERVER_KILLS=20 $(BIN)/python -m pytest -q \
	    tests/index/test_index_crash_steps.py tests/server/test_page_crash.py

reproduce-demo: $(DEV_STAMP)
	$(BIN)/sparse-coverage reproduce all --output report

# Needs a running server, such as llama-cpp-python[server] with any small model.
check-llm: $(STAMP)
	$(BIN)/sparse-coverage calibrate --llm $(LLM) --llm-model $(LLM_MODEL) --cells 12

clean:
	rm -rf $(VENV) .ci-work build dist site demo-output report .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .schemathesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e .
	@touch $@

$(SERVER_STAMP): pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e ".[server,documents,office]"
	@touch $@

$(DEV_STAMP): pyproject.toml $(LOCK) | $(VENV)/bin/python
	$(INSTALL) -c $(LOCK) -e ".[dev]"
	@touch $@ $(STAMP) $(SERVER_STAMP)
