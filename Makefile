# Four verbs, the same here and in CI: check, test, docs, bench; and demo, which shows the main job.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow check docs bench clean

demo: $(READY)
	$(BIN)/aspectlab score examples/sample_test.jsonl examples/predictions.jsonl --task aste
	$(BIN)/aspectlab analyze examples/reviews.csv --out build/demo

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile
	$(BIN)/python -m pytest --doctest-modules aspectlab studies

test-slow: $(READY)
	$(BIN)/python -m pytest -m slow --hypothesis-profile exploring

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/typos
	$(BIN)/python -m pytest tests/test_architecture.py tests/test_duplication.py

docs: $(READY)
	$(BIN)/mkdocs build --strict

bench: $(READY)
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) site build dist *.egg-info

# made anew when the dependencies change; the file appears only after a complete install
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[train,parse,png,clouds,dev]'
	touch $(READY)
