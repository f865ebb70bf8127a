# Everything below needs nothing but Python 3.11 or newer; it makes its own virtual environment in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# unit tests run side by side; the functional ones start whole services and share two cores badly
WORKERS ?= 2

.PHONY: help demo up test unit functional chaos lint format sample types wheel clean

help:
	@echo 'make demo        start a service, build a stack before your eyes, delete it'
	@echo 'make up          the whole service in one process; prints its URL'
	@echo 'make test        lint, unit tests, functional tests, chaos'
	@echo 'make lint        style and types'
	@echo 'make sample      write the sample configuration file'
	@echo 'make types       how many resource types of OpenStack Heat are here'
	@echo 'make wheel       build the wheel into dist/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# what the service needs
$(VENV)/.service: setup.cfg pyproject.toml setup.py | $(BIN)/python
	$(PIP) --editable .
	@touch $@

# and what its tests need
$(VENV)/.test: setup.cfg pyproject.toml setup.py | $(BIN)/python
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.service

demo: $(VENV)/.service
	@$(BIN)/heat-lite demo

up: $(VENV)/.service
	@$(BIN)/heat-lite up

test: lint unit functional chaos

unit: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) tests/unit tests/http

functional: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/functional

# engines are killed while they work; each test has the machine to itself
chaos: $(VENV)/.test
	$(BIN)/python -m pytest tests/chaos

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sample: $(VENV)/.service
	$(BIN)/oslo-config-generator --config-file etc/heat_lite/config-generator.conf

types: $(VENV)/.test
	@$(BIN)/python -m tests.reference_types

wheel: $(VENV)/.test
	$(BIN)/python -m build --wheel

clean:
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache
