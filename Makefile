# The project's verbs. `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
PORT   ?= 8000
HOST   ?= 127.0.0.1
ARGS   ?=
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help run demo test pure lint audit bench soak assault cases screenshots messages wheel install

help:     ## show this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

run: install     ## start the service with a demo event (PORT, HOST)
	@exec $(PY) manage.py up --host "$(HOST)" --port "$(PORT)"

demo: install    ## play an event from a decklist to a ruling, without a browser (ARGS=--json)
	@$(PY) manage.py demo $(ARGS)

test: install    ## run every test this machine can run (ARGS: for pytest)
	@$(PY) -m pytest -n auto --dist worksteal -raR $(ARGS)

pure: install    ## run the tests of the engine, legality and pairing: no database, no browser (ARGS: pytest's)
	@$(PY) -m pytest -n auto --dist worksteal -m pure tests/rules tests/decks tests/tournament $(ARGS)

lint: install    ## format (Python and templates), style, security, types, import contracts, migrations, API document
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/djangofmt --check .
	@$(VENV)/bin/bandit --quiet --recursive --configfile pyproject.toml . 2>/dev/null
	@$(VENV)/bin/mypy .
	@$(VENV)/bin/lint-imports
	@$(PY) manage.py makemigrations --check --dry-run
	@$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null

audit: install   ## look up known vulnerabilities of the pinned packages (needs the network)
	@$(PY) -m tests.audit

bench: install   ## measure and write docs/benchmarks.md (ARGS: module names; --look writes nothing)
	@$(PY) -m tests.bench $(ARGS)

screenshots: install  ## take screenshots of the main pages, phone and desktop (ARGS: a folder; default var/screenshots)
	@$(PY) -m tests.screenshots $(ARGS)

soak: install    ## some minutes of load: 1,000 phones, six writers on SQLite (docs/benchmarks.md)
	@$(PY) -m tests.bench soak $(ARGS)

assault: install ## an hour of kills, stalled connections and hostile requests (ARGS: --minutes 5; --what hall: a hall that loses its network)
	@$(PY) -m tests.assault $(ARGS)

cases: install   ## run every test case of the timing engine
	@$(PY) manage.py cases

wheel: install   ## build dist/headjudge-*.whl, which installs the command headjudge
	@$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/headjudge-*.whl

messages: install  ## update and compile the translations (docs/translating.md)
	@$(PY) manage.py messages

install: $(READY)

$(READY): requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found. Headjudge needs Python 3.11 or newer. Try: make PYTHON=/path/to/python3.11 run" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Headjudge needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=/path/to/python3.11 run" % sys.version_info[:2])'
	@echo "Installing into $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@
