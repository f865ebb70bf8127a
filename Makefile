# All targets need Python 3.11 or newer only; they create a virtual environment in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Number of parallel test processes: functional tests start whole services on two cores.
WORKERS ?= 2

CONTAINER_ENGINE ?= $(shell command -v podman || command -v docker)
SHAPE ?= mysql and convergence
BASE_IMAGE ?= docker.io/library/python:3.11-slim-bookworm

.PHONY: help demo up test check unit functional browser attacks chaos cluster soak lint format sample types ui wheel wheels image containers man site lock previous clean

help:
	@echo 'make demo        start a service, create a stack, show its progress, delete it'
	@echo 'make up          run the whole service in one process; prints its URL (PORT)'
	@echo 'make test        lint, unit, functional and browser tests, attacks, chaos tests'
	@echo 'make check       lint and unit tests without servers, in three minutes'
	@echo 'make cluster     faults of three nodes of Galera and other databases'
	@echo 'make soak        whole lives of stacks for ten minutes: what grows with them (SHAPE)'
	@echo 'make lint        check style and types'
	@echo 'make sample      write the sample configuration file'
	@echo 'make types       compare the resource types with those of OpenStack Heat'
	@echo 'make ui          build the web page into heat_lite/ui (needs Node.js 20 or newer)'
	@echo 'make wheel       build the wheels into dist/'
	@echo 'make image       build the container image heat-lite (BASE_IMAGE, CONTAINER_ENGINE)'
	@echo 'make containers  build the image and test it'
	@echo 'make site        build the documentation as a site into build/site'
	@echo 'make man         write the man pages into build/man'
	@echo 'make lock        write requirements.lock, the dependencies of a container image'
	@echo 'make previous    store the source of RELEASE for the tests of upgrades'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# the dependencies of the service
$(VENV)/.service: setup.cfg pyproject.toml setup.py | $(BIN)/python
	$(PIP) --editable .
	@touch $@

# and those of its tests
$(VENV)/.test: setup.cfg pyproject.toml setup.py | $(BIN)/python
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.service

demo: $(VENV)/.service
	@$(BIN)/heat-lite demo

up: $(VENV)/.service
	@$(BIN)/heat-lite up $(if $(PORT),--port $(PORT))

# Each part runs in processes of its own; the end of the output lists the failures of all.
test: $(VENV)/.test
	@WORKERS=$(WORKERS) $(BIN)/python -m tests.parts

lint unit functional chaos cluster browser attacks: $(VENV)/.test
	@WORKERS=$(WORKERS) $(BIN)/python -m tests.parts $@

# one shape, or all with SHAPE=test, each for HEAT_LITE_SOAK_SECONDS
soak: $(VENV)/.test
	$(BIN)/python -m pytest -s tests/soak -k '$(SHAPE)'

check: $(VENV)/.test
	@WORKERS=$(WORKERS) $(BIN)/python -m tests.parts --no-servers lint unit

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sample: $(VENV)/.service
	$(BIN)/oslo-config-generator --config-file etc/heat_lite/config-generator.conf

types: $(VENV)/.test
	@$(BIN)/python -m tests.reference_types

# the source of the release before, beside which tests run this one: make previous RELEASE=v0.1.0
previous:
	git archive $(RELEASE) heat_lite etc migrations setup.cfg tests/__init__.py tests/chaos/__init__.py \
	    tests/chaos/engine.py tests/chaos/cloud.py ':(exclude)heat_lite/ui' | xz -9e > tests/previous/source.tar.xz

# the versions of the dependencies that a container image installs, from an environment of its own
lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[traces,uwsgi]'
	(echo '# The versions of the dependencies for a container image: written by `make lock`.'; \
	echo '# pip install --no-deps -r requirements.lock && pip install --no-deps .'; \
	build/lock/bin/python -m pip freeze --disable-pip-version-check --exclude heat-lite) > requirements.lock

ui/node_modules: ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	@touch $@

ui: ui/node_modules
	cd ui && npm run check && npm run build

wheel: $(VENV)/.test
	$(BIN)/python -m build --wheel
	$(BIN)/python -m build --wheel --outdir dist aliases
	$(BIN)/python -m build --wheel --outdir dist aliases/openstack-heat

# what the container image installs: this version, the versions of the lock file, their list (SBOM)
wheels: $(VENV)/.test
	rm -rf build/wheels
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheels -r requirements.lock \
	    . ./aliases ./aliases/openstack-heat
	$(BIN)/cyclonedx-py requirements --output-file build/sbom.cdx.json requirements.lock

image: wheels
	$(CONTAINER_ENGINE) build --format docker --build-arg BASE=$(BASE_IMAGE) \
	    --build-arg VERSION=$$($(BIN)/heat-lite-manage --version | cut -d ' ' -f 2) \
	    -f deploy/container/Containerfile -t localhost/heat-lite .

containers: image
	HEAT_LITE_TEST_IMAGE=localhost/heat-lite CONTAINER_ENGINE=$(CONTAINER_ENGINE) \
	    $(BIN)/python -m pytest tests/image

# without the notices of libraries
site: $(VENV)/.test
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -W ignore -m mkdocs build --strict --quiet
	@echo 'The site is built. Read it, with its search: python3 -m http.server --directory build/site'

man: $(VENV)/.service
	$(BIN)/python -W ignore deploy/man_pages.py build/man

clean:
	rm -rf build dist *.egg-info aliases/build aliases/*.egg-info aliases/*/build aliases/*/*.egg-info .pytest_cache .ruff_cache .mypy_cache
