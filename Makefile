# The project's verbs. `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
PORT   ?= 8000
HOST   ?= 127.0.0.1
ARGS   ?=
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help run demo test lint audit bench soak cases screenshots messages install

help:     ## show this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

run: install     ## start the service: web, worker, demo event (PORT, HOST)
	@exec $(PY) manage.py up --host "$(HOST)" --port "$(PORT)"

demo: install    ## play the main job end to end and tell it as a story (ARGS=--json)
	@$(PY) manage.py demo $(ARGS)

test: install    ## run every test this machine can run (ARGS: pytest's)
	@$(PY) -m pytest -n auto -raR $(ARGS)

lint: install    ## format, style, security, types, import contracts, migrations, API document
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/bandit --quiet --recursive --configfile pyproject.toml . 2>/dev/null
	@$(VENV)/bin/mypy .
	@$(VENV)/bin/lint-imports
	@$(PY) manage.py makemigrations --check --dry-run
	@$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null

audit: install   ## look the pinned packages up among known vulnerabilities (needs the network)
	@$(PY) -m tests.audit

bench: install   ## measure, and write docs/benchmarks.md (ARGS: module names; --look writes nothing)
	@$(PY) -m tests.bench $(ARGS)

screenshots: install  ## photograph the main pages, phone and desktop (ARGS: a folder; default var/screenshots)
	@$(PY) -m tests.screenshots $(ARGS)

soak: install    ## minutes of load: a round of 1,000 phones, six writers on SQLite (docs/benchmarks.md)
	@$(PY) -m tests.bench soak $(ARGS)

cases: install   ## run every worked case of the timing engine
	@$(PY) manage.py cases

messages: install  ## bring the translations up to date and compile them (docs/translating.md)
	@$(PY) manage.py messages

install: $(READY)

$(READY): requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Headjudge needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 run" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Headjudge needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=/path/to/python3.11 run" % sys.version_info[:2])'
	@echo "Installing into $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@
