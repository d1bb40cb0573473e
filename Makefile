# What a developer or an operator does stands behind one of these.
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export LANG := C.UTF-8
# Where Python is told to keep no bytecode, each process of a service compiles all of it.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-develop setup-check setup-long run secrets up down verify-images pin-images test test-quick test-long check types roles style layers bench golden evidence lock sbom audit man release clean

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what runs: Debian packages (root or sudo) and .venv
	@workers/setup-host

setup-develop: ## Install the developers' Python packages besides
	@workers/setup-host develop

setup-check: ## Install what tests need besides
	@workers/setup-host check

setup-long: ## Install what `make test-long` needs besides
	@workers/setup-host long

run: setup ## Start the service; FAST=1 stops after the first look, ONCE=1 after a report, ONCE=proof after its proof
	@exec vlag serve $(if $(FAST),--once=first,$(if $(ONCE),--once=$(ONCE:1=report)))

secrets: ## Make the secrets of docker-compose.yml that are missing
	@master/make-secrets

# PROFILES: grafana, lava, or both with a comma between them.
up: secrets ## Start the containers (PROFILES=lava,grafana adds those) and say where the pages are
	@docker compose build master # the worker's image begins with it
	@COMPOSE_PROFILES=$(PROFILES) docker compose up --build --detach
	@echo "the pages are at http://$$(docker compose port master 8010)"
	@echo "the services start; the first night of new volumes begins when master and worker are up:"
	@echo "docker compose logs --follow master"

down: ## Stop the containers; what they know stays in volumes
	@docker compose --profile '*' down

verify-images: ## Ask the registry for every image of images.env (online)
	@workers/verify-images

pin-images: ## Pin those images by the digests that the registry has (online)
	@workers/verify-images --pin

check: setup-check ## Lint, types, layers, schemas, shell
	@# The two long ones first; the others run beside the one that is not done.
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line types roles style layers

# For `check`, after set-up.
types:
	mypy
roles:
	cd ansible && ansible-lint --offline --profile production
style:
	yamllint --strict lava-jobs ansible dashboards docker-compose.yml
	shellcheck .ci/run workers/setup-host workers/claim workers/compiler/ccache workers/verify-images workers/hooks/post-receive master/enter master/make-secrets \
		schemas/container.sh lava-jobs/server/serve lava-jobs/server/health lava-jobs/lockstep/install lava-jobs/reproduce/reproduce tests/long/postgres/*.sh \
		lava-jobs/boot/*.sh lava-jobs/benchmarks/*/*.sh lava-jobs/benchmarks/*/make-disk
layers:
	ruff check .
	ruff format --check .
	lint-imports

test-quick: setup-check ## Lint, types and the quick unit tests; no kernel is built or booted
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line types layers
	pytest -n auto --dist worksteal -q -m "not long and not night and not slow" tests/unit

# A test that hangs is named with the stack of each thread, and ends its run.
HANG = --max-worker-restart 0 -o faulthandler_timeout=1200 -o faulthandler_exit_on_timeout=true

test: check ## All tests that CI runs (builds and boots a small kernel)
	@# Four on two CPUs: half of the time they wait, for services and boots.
	pytest -n 4 --dist loadfile --no-loadscope-reorder --durations 30 $(HANG) -m "not long and not night" tests/integration tests/unit
	@# Not beside them: its kernel's build would take as long as all of them.
	pytest --durations 30 $(HANG) tests/night

test-long: setup-long ## What does not fit in CI; some write figures below var/evidence/
	pytest -m long

bench: setup-develop ## Measure speed or error rates: NAME=verdicts; without it, list what there is
	@python -m bench $(NAME)

golden: setup-develop ## Check that the deterministic boards give their golden digits here
	python -m bench golden

evidence: setup-long ## Measure the pages of docs/evidence/ on a release's tag (hours; PAGE=name: one)
	@python -m bench evidence $(PAGE)

lock: setup-develop ## Resolve requirements.lock anew from pyproject.toml
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--extra dev pyproject.toml -o requirements.lock

sbom: setup-develop ## Write the release's bill of materials (CycloneDX) below var/sbom
	python -m release sbom

audit: setup-develop ## Hold requirements.lock against a snapshot of OSV: SNAPSHOT=all.zip
	@python -m release audit $(or $(SNAPSHOT),$(error SNAPSHOT= must name an export of OSV: release/README.md))

man: setup ## Write the man pages to var/man; FOLDER= names another folder
	@vlag man $(or $(FOLDER),var/man)

release: setup-develop ## Say what a release of HEAD lacks; tag it if that is nothing
	@python -m release tag

clean: ## Remove all state: kernels, runs, database
	rm -rf var
