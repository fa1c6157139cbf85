# Thin: every target is a script in scripts/, which says what it does.
.DEFAULT_GOAL := help
.PHONY: help setup demo serve test check replay bench chaos lock clean

# Not $(QUESTION) on a command line: a question may hold quotes.
export QUESTION DOCS MODE RUNS SEED RUN POSTGRES MODES

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv hold what the lock says; quick when it does
	@scripts/setup

demo: setup ## research a question on a stack of its own (QUESTION="..." DOCS=folder MODE=auto)
	@scripts/demo

serve: setup ## run Temporal, a worker and the API until Ctrl-C
	@scripts/serve

test: setup ## style, types and all tests
	@scripts/test

check: setup ## style and types
	@scripts/check

replay: setup ## record runs on each Python that there is, replay them on the others
	@scripts/replay-across

bench: setup ## measure
	@scripts/bench

chaos: setup ## kill everything while runs go on, count what is lost (RUNS=30 SEED=1, RUN=k of them alone, POSTGRES=1, MODES=data,loops)
	@scripts/chaos

lock: setup ## write the lock files anew from pyproject.toml
	@scripts/lock

clean: ## remove caches and build outputs; data and .venv stay
	@rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
