# Each target installs what it needs into .venv; nothing has to be installed by hand.
PYTHON ?= python3
VENV := .venv
# Compiled files make every later start faster; some environments switch them off.
unexport PYTHONDONTWRITEBYTECODE
BIN := $(VENV)/bin

# A real browser, for the pictures and some slow tests. It is large, so `make test` does without.
# For the reactions in the pictures it needs a font with emoji (Debian: fonts-noto-color-emoji).
BROWSER = command -v chromium >/dev/null || scripts/install $(PYTHON) $(VENV) requirements-dev.lock chromium

.DEFAULT_GOAL := help
.PHONY: docs wheel help setup run test pure check lint format pages pictures histories house bench prove lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

run: $(VENV)/.ready ## Install everything and take a sample bug to a pull request (the demo needs no key and no network)
	@$(BIN)/caseworker demo

setup: $(VENV)/.ready ## Only install: packages into .venv; git and bubblewrap into the system if missing

# All at once, so that no processor is idle: the checks, the pure tests, and four processes for the other tests,
# which wait for programs that they start. Those show their progress; the others print when they are done.
test: $(VENV)/.ready-dev ## All checks and tests, but for the slow ones of `make prove`
	@$(MAKE) --no-print-directory --output-sync=target -j2 check pure & beside=$$!; \
	$(BIN)/pytest -n 4 --dist loadgroup --ignore=tests/core; others=$$?; \
	wait $$beside && exit $$others

pure: $(VENV)/.ready-dev ## Only the tests of the core, which start no process
	$(BIN)/pytest tests/core

check: $(VENV)/.ready-dev ## Only the static checks, with the measures of `make house`
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m scripts.house --quiet

lint: check

format: $(VENV)/.ready-dev ## Format the code
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

pages: $(VENV)/.ready-dev ## Write the generated pages of docs/ again
	$(BIN)/python -m scripts.pages

docs: $(VENV)/.ready-docs ## Build the documentation site into site/; a broken link fails
	$(VENV)/docs/bin/zensical build --clean --strict

wheel: $(VENV)/.ready-dev ## Build the wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

pictures: $(VENV)/.ready-dev ## Make the pictures of the demos and the dashboard again, from real runs
	@$(BROWSER)
	$(BIN)/python -m scripts.pictures
	$(BIN)/python -m scripts.terminal_pictures

bench: $(VENV)/.ready-dev ## Measure speed and memory, and print tables
	$(BIN)/python -m bench

prove: $(VENV)/.ready-dev $(VENV)/.ready-litellm ## Prove that no message is lost and no attacker gets anything: kills, storms, wrong flows, hostile texts
	@$(BROWSER)
	$(BIN)/pytest -n 3 --dist loadgroup -m slow
	$(BIN)/python -m bench.prove $(PROVE)

histories: $(VENV)/.ready-dev ## Record this version's histories, which later versions must replay
	@$(BIN)/python -m scripts.histories

house: $(VENV)/.ready-dev ## Measure the code: sizes, imports, names, files per change; fails if an aim is missed
	$(BIN)/python -m scripts.house

lock: $(VENV)/.ready-dev ## Write the lock files with hashes again from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --generate-hashes --python-version 3.11 \
		pyproject.toml setup-requirements.in -o requirements.lock
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --generate-hashes --python-version 3.11 \
		--extra dev pyproject.toml setup-requirements.in -c requirements.lock -o requirements-dev.lock
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --generate-hashes --python-version 3.11 \
		node-requirements.in -o requirements-node.lock
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --generate-hashes --python-version 3.11 \
		docs-requirements.in -o requirements-docs.lock
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --generate-hashes --python-version 3.11 \
		litellm-requirements.in -o requirements-litellm.lock

$(VENV)/.ready-docs: $(VENV)/.ready requirements-docs.lock
	@$(PYTHON) -m venv --clear $(VENV)/docs
	@scripts/packages $(VENV)/docs requirements-docs.lock $(BIN)/uv
	@touch $@

# For one test of `make prove`. It has many packages of its own, in other versions than ours. `--clear`: an interrupted
# installation may have left half of them.
$(VENV)/.ready-litellm: $(VENV)/.ready requirements-litellm.lock
	@$(PYTHON) -m venv --clear $(VENV)/litellm
	@scripts/packages $(VENV)/litellm requirements-litellm.lock $(BIN)/uv
	@touch $@

clean: ## Remove .venv and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(VENV)/.ready: requirements.lock pyproject.toml scripts/install scripts/packages
	@scripts/install $(PYTHON) $(VENV) requirements.lock
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.lock scripts/github_data.toml
	@scripts/install $(PYTHON) $(VENV) requirements-dev.lock
	@$(BIN)/python -m scripts.github_data
	@touch $@
