# The project's verbs. `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
PORT   ?= 8000
HOST   ?= 127.0.0.1
ARGS   ?=
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help run demo test lint bench cases install

help:     ## show this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

run: install     ## start the service: web, worker, demo event (PORT, HOST)
	@exec $(PY) manage.py up --host "$(HOST)" --port "$(PORT)"

demo: install    ## play the main job end to end and tell it as a story (ARGS=--json)
	@$(PY) manage.py demo $(ARGS)

test: install    ## run every test this machine can run (ARGS: pytest's)
	@$(PY) -m pytest -n auto -ra $(ARGS)

lint: install    ## format, style, types, import contracts, migrations, API document
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/mypy .
	@$(VENV)/bin/lint-imports
	@$(PY) manage.py makemigrations --check --dry-run
	@$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null

bench: install   ## measure: one line each, "bench: NAME VALUE UNIT" (ARGS: module names)
	@$(PY) -m tests.bench $(ARGS)

cases: install   ## run every worked case of the timing engine
	@$(PY) manage.py cases

install: $(READY)

$(READY): requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Headjudge needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 run" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Headjudge needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=/path/to/python3.11 run" % sys.version_info[:2])'
	@echo "Installing into $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@
