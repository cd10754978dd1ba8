# Two commands for a stranger: `make quick` measures a real model, `make test` passes the tests.
# Both need only Python 3.11+, make and a C compiler; both can be repeated at will.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: help quick test test-slow check format bench clean

help:
	@echo "make quick      measure a real model on this machine (installs and fetches it first)"
	@echo "make test       linters, types, import contracts and tests (three at a time, under ten minutes on two cores)"
	@echo "make test-slow  the tests marked slow"
	@echo "make bench      speed against peers, each as a ratio in one run"
	@echo "make format     format and mend what can be mended"
	@echo "make clean      remove the virtual environment and caches"

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: Joulemark needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "==> creating $(VENV) and installing Joulemark with all that its commands and tests need"
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "error: no venv module; on Debian and Ubuntu: apt-get install python3-venv"; exit 2; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[embedded,dev]'
	@touch $(STAMP)

quick: $(STAMP)
	@echo "==> fetching the model (93 MB, once) and measuring it: a few minutes on two cores"
	@$(BIN)/joulemark engine fetch
	@$(BIN)/joulemark bench quick
	@echo "==> the command lies in $(BIN): type '. $(BIN)/activate' once, and joulemark is found"

check: $(STAMP)
	@echo "==> format, lint, types, import contracts"
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python docs/generate.py --check

test: check
	@echo "==> fetching the model, so that the engine under test is a real one"
	@$(BIN)/joulemark engine fetch
	@echo "==> tests (three at a time on two cores: many of them wait for a clock)"
	@$(BIN)/pytest -m "not slow and not diffusion" -n 3 --dist worksteal

test-slow: $(STAMP)
	@echo "==> slow tests"
	@$(BIN)/pytest -m slow

bench: $(STAMP)
	@for name in help_cost meter_read measure_cost sampler_cpu parser_throughput client_cost load_clients bootstrap frugal_cutoff code_harness enamel_scores; do \
	  echo "==> benchmarks/$$name.py"; $(BIN)/python benchmarks/$$name.py || exit 1; done

format: $(STAMP)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
