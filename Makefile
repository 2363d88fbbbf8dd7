# Everything happens in .venv, which the first command makes.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
STAMP := .venv/installed
LIGHT := .venv/installed-library
DOCS := .venv/installed-docs

.PHONY: run setup test quick check lint types docs gallery clean

# The main job: tune a classifier of digits, 30 trials, on a SQLite study in runs/. It needs the
# library, scikit-learn and matplotlib; everything else is for tests and measurements.
run: $(LIGHT)
	$(BIN)/neuralbo run examples/digits.py --trials 30

setup: $(STAMP)

$(LIGHT): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e '.[examples]'
	touch $(LIGHT)

# The extra `docs` alone: the library need not be there.
NEEDED := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")
$(DOCS): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -c '$(NEEDED)' | xargs $(INSTALL)
	touch $(DOCS)

$(STAMP): pyproject.toml lab/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e '.[examples,workers,dask,ray,ax,dev]' -e 'lab[peers,workers]'
	touch $(STAMP) $(LIGHT)

# One thread: the matrices are small, and several threads only get in each other's way. Two
# processes share the tests, a file each: what a file's fixtures and caches made is made once.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

# Everything: at most ten minutes of both processors together.
test: $(STAMP)
	$(PYTEST)

# For every edit: the core and one recipe of each family, in 90 seconds. What is quick is said
# here; the markers are explained in pyproject.toml.
QUICK := $(addprefix tests/,criteria data engine networks posteriors space surrogates \
	testing inference/test_evidence.py inference/test_laplace.py inference/test_quasi_newton.py \
	maximizers/test_maximizers.py policies/test_policies.py policies/test_auto.py \
	policies/test_trust_region.py interfaces/test_optimizer.py interfaces/test_botorch_interface.py \
	interfaces/test_stopping_rules.py interfaces/optuna/test_conditions.py \
	test_errors.py test_imports.py test_bad_input.py)
quick: $(STAMP)
	$(PYTEST) -m "not (slow or every or variant)" $(QUICK)

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

check: lint types test

# The site, in site/: open site/index.html. It is built of docs/ and of the sources, which are read
# and not run; a warning or a link that leads nowhere is an error.
docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python docs/scripts/check_site.py site

# What the examples of the gallery print, their pictures, and the other pictures of the site.
gallery: $(LIGHT)
	$(BIN)/python docs/scripts/gallery.py
	OMP_NUM_THREADS=1 $(BIN)/python docs/scripts/pictures.py


clean:
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache .hypothesis
