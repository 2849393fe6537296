# Alcedo. `make help` lists what can be made.

SWIFT ?= swift
# Libraries that pkg-config must find, and the Debian and Ubuntu packages that bring them.
LIBRARIES = libjpeg libpng libcurl
PACKAGES = pkg-config libjpeg-dev libpng-dev libcurl4-openssl-dev

.DEFAULT_GOAL := help
.PHONY: help deps build demo test bench docs lint format clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install the system libraries, where they are missing
	@if [ "$$(uname)" = Darwin ] || pkg-config --exists $(LIBRARIES) 2>/dev/null; then \
	    exit 0; \
	elif command -v apt-get >/dev/null 2>&1; then \
	    sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	    echo "Installing $(PACKAGES)"; \
	    $$sudo apt-get update -qq && \
	    $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PACKAGES); \
	else \
	    echo "Alcedo needs $(LIBRARIES) with their headers, as pkg-config finds them." >&2; \
	    echo "On Debian and Ubuntu the packages are: $(PACKAGES)" >&2; \
	    echo "Please install what this system calls them, and try again." >&2; \
	    exit 1; \
	fi

build: deps ## Build everything, for debugging
	$(SWIFT) build --build-tests

demo: deps ## Load some 60 pictures from a local server, three ways
	$(SWIFT) build -c release --product alcedo
	@"$$($(SWIFT) build -c release --show-bin-path)/alcedo" demo

test: deps ## Run all tests
	$(SWIFT) test

bench: deps ## Measure, against baselines of the same run
	$(SWIFT) build -c release --product bench
	@"$$($(SWIFT) build -c release --show-bin-path)/bench" $(BENCH_OPTIONS)

docs: ## Make the reference pages into .build/docs
	@sh Docs/make.sh "$(SWIFT)"

lint: ## Check the formatting
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks

format: ## Format all sources
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks

clean: ## Remove what was built
	rm -rf .build
