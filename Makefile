# run: the program on its sample library · test: everything CI runs · check: types, style, layers
# drill: a thousand spoilt files, two hundred deaths of a sync, a minute of many programs on one file
# wheels: all that installing without a network needs, for machines of this kind (docs/air-gap.md)
# bench-*: speed and quality against named peers in one run · docs: the generated pages

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# The compiled parts of llama.cpp are built once per machine; two jobs keep a small machine responsive.
export CMAKE_BUILD_PARALLEL_LEVEL ?= 2

.PHONY: run test check bench bench-lexical bench-dense bench-embedding bench-opening bench-cold bench-sync bench-quality bench-html bench-encryption bench-answers drill models wheels docs snap format clean

run: $(VENV)/.run models
	@$(BIN)/inro demo

test: $(VENV)/.dev models check
	@$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench-html: $(VENV)/.bench
	@$(BIN)/python tests/bench/html_articles.py $(ARGS)

bench-quality: $(VENV)/.bench models
	@$(BIN)/python tests/bench/scoring.py $(ARGS)
	@$(BIN)/python tests/bench/fusion.py $(ARGS)
	@$(BIN)/python tests/bench/refusal.py
	@$(BIN)/python tests/bench/rerank.py $(ARGS)

models: $(VENV)/.run
	@$(BIN)/inro models fetch

bench: bench-lexical bench-dense bench-embedding bench-quality

bench-lexical: $(VENV)/.bench
	@$(BIN)/python tests/bench/lexical.py $(ARGS)
	@$(BIN)/python tests/bench/growing.py $(GROWING)

bench-dense: $(VENV)/.bench models
	@$(BIN)/python tests/bench/dense.py $(ARGS)

bench-opening: $(VENV)/.bench models
	@$(BIN)/python tests/bench/opening.py $(ARGS)

bench-cold: $(VENV)/.bench models
	@$(BIN)/python tests/bench/cold.py $(ARGS)

bench-sync: $(VENV)/.bench models
	@$(BIN)/python tests/bench/syncing.py $(ARGS)

bench-embedding: $(VENV)/.bench models
	@$(BIN)/python tests/bench/embedding.py $(ARGS)

bench-encryption: $(VENV)/.run
	@$(BIN)/python tests/bench/encryption.py $(ARGS)

bench-answers: $(VENV)/.run models
	@$(BIN)/python tests/bench/altered.py
	@$(BIN)/python tests/bench/generated.py $(ARGS)

drill: $(VENV)/.dev
	@$(BIN)/python tests/drill/mutants.py
	@PYTHONPATH=tests $(BIN)/python tests/drill/kills.py
	@PYTHONPATH=tests $(BIN)/python tests/drill/traffic.py

# Built for any processor of this architecture (x86-64 from AVX2 on), not for this machine's alone; pip's cache may hold
# wheels that are.
wheels: $(VENV)/.run
	@CMAKE_ARGS="-DGGML_NATIVE=OFF" HNSWLIB_NO_NATIVE=1 $(PIP) wheel -c constraints.txt -w dist/wheels --no-deps \
		--no-cache-dir --no-binary llama-cpp-python,hnswlib llama-cpp-python hnswlib
	@$(PIP) wheel -c constraints.txt -w dist/wheels --find-links dist/wheels '.$(EXTRAS)'
	@echo "dist/wheels holds $$(ls dist/wheels | wc -l) wheels, $$(du -sh dist/wheels | cut -f1)" >&2

docs: $(VENV)/.dev
	@$(BIN)/python -m inro_tui.cli.reference > docs/cli.md

snap: $(VENV)/.dev
	@$(BIN)/python -m pytest tests/tui tests/core/mcp_server --snapshot-update

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

$(VENV)/.run: pyproject.toml constraints.txt models.toml .ci/system
	@bash .ci/system $(PYTHON)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing Inro into $(VENV) (the first time builds llama.cpp: about five minutes)" >&2
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.run
	@$(PIP) install -c constraints.txt -e '.[bench]'
	@touch $@

clean:
	@rm -rf $(VENV) .cache dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
