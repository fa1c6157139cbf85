# Thin: every target is a script in scripts/, which says what it does.
.DEFAULT_GOAL := help
.PHONY: help setup light dev demo serve test test-long check replay bench quality load chaos lock clean

# Handed to the scripts as variables, not on their command lines, and as they were written: without `value` make would
# take the $1 of "Does it cost $100?" for a variable of its own.
HANDED := QUESTION DOCS MODE RUNS SEED RUN POSTGRES ENCRYPTED MODES AT_ONCE SECTIONS PEERS MODEL DATA SAMPLE
$(foreach name,$(HANDED),$(eval override $(name) := $$(value $(name))))
export $(HANDED)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv hold the product with every extra, as the image does; `demo` and `serve` need less
	@scripts/setup full

light:
	@scripts/setup light

dev:
	@scripts/setup dev

demo: light ## research a question on a stack of its own (QUESTION="..." DOCS=folder MODE=auto)
	@scripts/demo

serve: light ## run Temporal, a worker and the API until Ctrl-C
	@scripts/serve

test: dev ## style, types and all tests but the long ones
	@scripts/test

test-long: dev ## all tests, with more chance, and on each Python that there is: for the night, and before a release
	@scripts/test-long

check: dev ## style and types
	@scripts/check

replay: dev ## record runs on each Python that there is, replay them on the others
	@scripts/replay-across

bench: dev ## measure (PEERS=1: Elcano beside LangGraph, its plugin for Temporal, and DBOS)
	@scripts/bench

quality: dev ## measure runs against experts' answers (DATA=folder MODEL=provider:name SAMPLE=8 SEED=0 MODE=iterative)
	@scripts/quality

load: dev ## measure what a run costs on PostgreSQL and a real server (RUNS=30 AT_ONCE=10 SEED=1 MODE=iterative SECTIONS=0)
	@scripts/load

chaos: dev ## kill everything while runs go on, count what is lost (RUNS=30 SEED=1, RUN=k of them alone, POSTGRES=1, ENCRYPTED=1, MODES=data,loops)
	@scripts/chaos

lock: dev ## write the lock files anew from pyproject.toml
	@scripts/lock

clean: ## remove caches and build outputs; data and .venv stay
	@rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
