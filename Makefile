# Two commands matter: `make demo` (the main job) and `make test`. On a fresh machine with Python 3.11 or later each first
# makes .venv and installs into it what uv.lock names; later calls find the stamp and start at once.

PYTHON ?= python3
BIN    := .venv/bin
STAMP  := .venv/.synced
UV     := env -u VIRTUAL_ENV UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON=$(BIN)/python UV_PYTHON_DOWNLOADS=never $(BIN)/uv
PYTEST := $(BIN)/python -m pytest
# A file's tests stay in one process, with what they share (a Spark session, compiled kernels, a browser).
WORKERS ?= 2
SHARED := -n $(WORKERS) --dist loadfile --durations=15

.PHONY: help setup demo demo-bank lint test test-ci test-bounds test-all bench docs playground format clean

help:
	@echo 'make demo      explore every interleaving of the main example, with FIFO and without'
	@echo 'make demo-bank  three seconds of a bank over TCP, its branches killed, its snapshots audited'
	@echo 'make test      lint, types and the quick tests'
	@echo 'make test-ci   the cluster tests that .ci/run adds to them'
	@echo 'make test-bounds  the native engine with every index of its kernels checked'
	@echo 'make test-all  everything, long sweeps and proofs too'
	@echo 'make bench     the benchmarks, side by side with SPIN'
	@echo 'make docs      the documentation, as a site in build/site'
	@echo 'make playground  the checker in the browser, as a folder in build/playground'
	@echo 'make format    rewrite the sources as `make lint` wants them'
	@echo 'make clean     remove .venv'

demo: setup
	@$(BIN)/redwhite demo

# A mutant's audit says `violated`, with exit code 1: that is what the demonstration is to show.
demo-bank: setup
	@rm -rf demo-bank && $(BIN)/python -m examples.bank demo-bank $(if $(MUTANT),--mutant $(MUTANT))
	@$(BIN)/redwhite audit demo-bank --protocol marker --html demo-bank/audit.html --svg demo-bank/audit.svg; \
	  code=$$?; echo 'drawn: demo-bank/audit.html'; test $$code = $(if $(filter-out lazy-marker,$(MUTANT)),1,0)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell redwhite model checker proofs tests docs examples benchmarks experiments *.md
	$(BIN)/mypy

test: lint
	$(PYTEST) $(SHARED) -m 'not slow and not ci'

test-ci: setup
	$(PYTEST) -m 'ci and not slow'

# Compiled with checks the kernels are others: `compiled.py` keeps them in a folder of their own.
test-bounds: setup
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m 'not slow' tests/engines/native

test-all: lint test-bounds
	$(PYTEST) --cov=redwhite --cov=model --cov=checker --cov=proofs --cov-report=term:skip-covered

bench: setup
	$(BIN)/python -m benchmarks

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo 'build/site/index.html'

playground: setup
	$(BIN)/redwhite playground build/playground --build

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv

setup: $(STAMP)

# The stamp is written last: a set-up that was cut off is taken up again.
$(STAMP): pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "redwhite: '$(PYTHON)' is not Python 3.11 or later; name one that is: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "redwhite: '$(PYTHON)' cannot make a virtual environment (no ensurepip); on Debian: apt install python3-venv" >&2; exit 1; }
	@echo 'redwhite: setting up .venv (about 1.7 GB with Spark and the test tools)' >&2
	@$(BIN)/uv --version >/dev/null 2>&1 || { $(PYTHON) -m venv --clear .venv && $(BIN)/python -m pip install --quiet 'uv>=0.5'; }
	@$(UV) sync --quiet --locked --all-extras --group nauty 2>.venv/sync.log || { \
	  $(UV) sync --quiet --locked --all-extras && \
	  echo 'redwhite: no pynauty, so one test is skipped: it needs a C compiler and Python headers (see .venv/sync.log)' >&2; }
	@touch $@
