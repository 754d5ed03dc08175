# Every target builds the virtual environment .venv on first use. Needed: make and Python 3.11 or newer.
#   make test PYTHON=/path/to/python3     choose the interpreter
#   make test ARGS="-k joints"            pass further arguments to pytest (or to treadle, for demo and bench)

PYTHON ?=
ARGS ?=
COUNT ?= 10000
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# tried in turn when PYTHON is not given
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11 python

# a sourced robotics workspace puts its own packages on PYTHONPATH, ahead of those of the environment
unexport PYTHONPATH
unexport PYTHONHOME
# the pyright command would otherwise ask the network whether a newer version is out
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-fuzz test-interop test-learn test-cluster test-mpi test-mutants test-tour test-views test-browser
.PHONY: test-wheel bench lint docs release-check clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(INSTALLED) ## the roadheader at work in the browser
	$(BIN)/treadle demo $(ARGS)

test: lint ## lint, then run the test suite
	@tools/install_chromium.sh
	$(BIN)/python -m pytest -n 2 -m "not browser" $(ARGS)

test-browser: $(INSTALLED) ## the rest of the tests in a browser (a quarter of an hour)
	@tools/install_chromium.sh
	$(BIN)/python -m pytest -m browser $(ARGS)

test-tour: $(INSTALLED) ## 40 random changes of the scene on two slow pages (minutes)
	@tools/install_chromium.sh
	TREADLE_TOUR=40 $(BIN)/python -m pytest tests/app/test_browser_tour.py $(ARGS)

test-views: $(INSTALLED) ## all views of all scenes in a browser (minutes)
	@tools/install_chromium.sh
	TREADLE_VIEWS=all $(BIN)/python -m pytest tests/app/test_browser_views.py $(ARGS)

test-mutants: $(INSTALLED) ## thousands of damaged files and wrong calls
	$(BIN)/python tools/mutants.py $(ARGS)

test-wheel: $(INSTALLED) ## build the wheel with its compiled kernels, and start from it (minutes)
	$(BIN)/python tools/check_wheel.py $(ARGS)

test-interop: $(INSTALLED) ## PyTorch, JAX and CasADi, in an environment of their own (.venv-interop)
	@test -d .venv-interop || $(BIN)/python -m venv .venv-interop
	.venv-interop/bin/python -m pip install --quiet --editable '.[all,casadi,jax,peers,ros,torch]' 'torch==2.13.0' hypothesis pytest
	.venv-interop/bin/python -m pytest tests/interop tests/docs/test_api_examples.py $(ARGS)
	.venv-interop/bin/python benchmarks/identification.py

docs: $(INSTALLED) ## the documentation as a site, in build/site
	$(BIN)/python -m pip install --quiet --editable '.[all,docs]'
	$(BIN)/python tools/docs_site.py $(ARGS)

release-check: $(INSTALLED) ## build, install into empty environments, run examples and commands
	$(BIN)/python -m pip install --quiet --editable '.[release]'
	$(BIN)/python tools/release_check.py $(ARGS)

bench: $(INSTALLED) ## measure the dynamics against its peers
	$(BIN)/treadle bench dynamics $(ARGS)

test-fuzz: $(INSTALLED) ## draw COUNT degenerate pairs of every two shapes, and check their contact points
	$(BIN)/python -m tests.collision.fuzz $(if $(COUNT),--count $(COUNT)) $(ARGS)

LEARN := .venv-learn
test-learn: $(INSTALLED) ## PPO on CartPole, and adapters, in an environment of its own (minutes)
	@test -x $(LEARN)/bin/python || $(BIN)/python -m venv $(LEARN)
	$(LEARN)/bin/python -m pip install --quiet --editable '.[learn,train]' hypothesis pytest rsl-rl-lib skrl
	TREADLE_LEARN=1 $(LEARN)/bin/python -m pytest tests/envs/test_training.py tests/envs/test_adapters.py $(ARGS)

CLUSTER := .venv-cluster
test-cluster: $(INSTALLED) ## work on a Ray cluster of two nodes, in an environment of its own (minutes)
	@test -x $(CLUSTER)/bin/python || $(BIN)/python -m venv $(CLUSTER)
	$(CLUSTER)/bin/python -m pip install --quiet --editable '.[cluster,learn,torch]' 'ray[rllib]' hypothesis pytest
	TREADLE_CLUSTER=1 $(CLUSTER)/bin/python -m pytest tests/batch/test_cluster.py $(ARGS)

MPI := .venv-mpi
test-mpi: $(INSTALLED) ## one world on several processes, in an environment of its own (minutes)
	@test -x $(MPI)/bin/python || $(BIN)/python -m venv $(MPI)
	$(MPI)/bin/python -m pip install --quiet --editable '.[cli,mpi,plots]' hypothesis pytest
	TREADLE_MPI=1 $(MPI)/bin/python -m pytest tests/distributed/test_mpi.py $(ARGS)

lint: $(INSTALLED) ## ruff, formatting, import layers, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/pyright

clean: ## remove the environment and everything generated
	rm -rf $(VENV) $(LEARN) $(CLUSTER) $(MPI) .venv-interop build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml src/treadle/_version.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	$(BIN)/python -m treadle.native.build_kernels
	@touch $@

$(BIN)/python:
	@for candidate in $(or $(PYTHON),$(CANDIDATES)); do \
	    if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "creating $(VENV) with $$("$$candidate" --version)"; \
	        exec "$$candidate" -m venv --clear $(VENV); \
	    fi; \
	done; \
	echo "Treadle needs Python 3.11 or newer with its venv module$(if $(PYTHON), ($(PYTHON) is not such)); install it or name it with make PYTHON=/path/to/python3." >&2; \
	exit 1
