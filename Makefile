# What a developer or an operator does stands behind one of these.
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export LANG := C.UTF-8

.PHONY: help setup setup-check run test test-long check bench lock clean

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install Debian packages (root or sudo) and .venv
	@workers/setup-host

setup-check:
	@workers/setup-host check

run: setup ## Start the service; ONCE=1 stops after the first report
	@exec vlag serve $(if $(filter 1,$(ONCE)),--once)

check: setup-check ## Lint, types, layers, schemas, shell
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	yamllint --strict lava-jobs ansible dashboards docker-compose.yml
	cd ansible && ansible-lint --offline --profile production
	shellcheck workers/setup-host lava-jobs/boot/*.sh lava-jobs/benchmarks/*/run.sh .ci/run

test: check ## All tests that CI runs (builds and boots two kernels)
	pytest -n 2 --dist loadfile --durations 20 --durations-min 5 -m "not long and not night"
	pytest --durations 20 --durations-min 5 -m night

test-long: setup-check ## What does not fit in CI; writes docs/evidence/
	pytest -m long

bench: setup ## Measure speed and error rates; writes docs/evidence/
	python -m tests.bench

lock: setup ## Resolve requirements.lock anew from pyproject.toml
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--extra dev pyproject.toml -o requirements.lock

clean: ## Remove all state: kernels, runs, database
	rm -rf var
