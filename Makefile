# `make` tells what there is. Everything lives in .venv and var/ of this folder.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
STAMP := .venv/.installed
# One more than there are cores, at most four: tests wait a third of their time.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); if [ $$n -ge 4 ]; then echo 4; else echo $$((n + 1)); fi)

.DEFAULT_GOAL := help
.PHONY: help install run test exhaustive attack check bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

install: $(STAMP) ## make the environment, and no more

run: $(STAMP) ## try it: sample guidelines, four questions, the site on PORT (8000)
	@exec $(BIN)/python manage.py demo --port $(PORT)

test: $(STAMP) ## run all tests; those that run real processes come last, since they need the cores
	@failed=0; \
	$(BIN)/python -m pytest -m 'not exhaustive and not slow' -n $(JOBS) --dist loadfile || failed=1; \
	$(BIN)/python -m pytest -m 'slow and not exhaustive' -n 2 --dist loadfile || failed=1; \
	exit $$failed

exhaustive: $(STAMP) ## run the tests that take minutes each, in none of the above
	@exec $(BIN)/python -m pytest -m exhaustive -n $(JOBS) --dist loadfile

attack: $(STAMP) ## kill, fill, fuzz and tamper for up to 30 minutes; a table says what broke
	@exec $(BIN)/python -m tests.attack

check: $(STAMP) ## lint, types, migrations, direction of imports, documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/test_imports.py tests/test_docs.py

bench: $(STAMP) ## time questions on the sample guidelines; SIZES=10000,100000 TEXT=... measures growth
	@exec $(BIN)/python manage.py bench $(if $(SIZES),--chunks $(SIZES)) $(if $(TEXT),--text '$(TEXT)')

clean: ## remove the environment and all state, documents and database included
	@printf 'This removes .venv and var/ with every document and answer in it. Type yes: '; \
	read answer && [ "$$answer" = yes ]
	@[ ! -x $(BIN)/python ] || $(BIN)/python -c 'import shutil, tests.settings; \
	  shutil.rmtree(tests.settings.DATA_DIR, ignore_errors=True)'  # of tests, in memory
	rm -rf .venv var .mypy_cache .ruff_cache .pytest_cache

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "medrag needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1 || echo missing)."; \
	  echo "Install it, or name another: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@free=$$(df -Pk . | awk 'NR==2 {print $$4}'); if [ "$$free" -lt 4000000 ]; then \
	  echo "The environment needs 4 GB of disk; $$((free / 1000)) MB are free here."; exit 1; fi
	@echo "Making the environment in .venv (about 2.5 GB, some minutes)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt '.[dev]'
	@touch $(STAMP)
