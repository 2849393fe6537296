# Alcedo. `make help` lists what can be made.

SWIFT ?= swift
PREFIX ?= /usr/local
# Warnings are errors here, as Package.swift reads it.
export ALCEDO_STRICT = 1
# The package manager passes the traits in the order of their hashes, and the compiler builds everything again when that
# order is another one: after each new file, unless hashes are always the same.
BUILD = SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build $(BUILD_OPTIONS)
TEST = $(SWIFT) test --skip-build $(TEST_OPTIONS)
# Libraries that pkg-config must find, and the Debian and Ubuntu packages that bring them.
LIBRARIES = libjpeg libpng libwebp libavif lcms2 libcurl zlib
PACKAGES = pkg-config libjpeg-dev libpng-dev libwebp-dev libavif-dev liblcms2-dev libcurl4-openssl-dev zlib1g-dev
# What the tests start: servers with certificates of their own, and a client to compare with.
TOOLS = openssl nginx curl
TOOL_PACKAGES = openssl nginx-light curl ca-certificates

.DEFAULT_GOAL := help
.PHONY: help deps build build-optimized tool man install demo test fast apple-check apple-check-tests \
    apple-availability test-isolation test-by-url coverage test-release fuzz fuzz-decoders crash codings \
    encryption formats \
    format-libraries conformance conformance-apple storm chaos tsan asan bench nightly release-check gate report \
    growth classic hit-ratio scroll server-side api docs examples example-server example-store \
    lint format clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install the system libraries and the tests' tools, where they are missing
	@if [ "$$(uname)" = Darwin ] || ( pkg-config --exists $(LIBRARIES) 2>/dev/null && \
	    PATH="$$PATH:/usr/sbin" && for tool in $(TOOLS); do command -v "$$tool" >/dev/null || exit 1; done ); then \
	    exit 0; \
	elif command -v apt-get >/dev/null 2>&1; then \
	    sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	    echo "Installing $(PACKAGES) $(TOOL_PACKAGES)"; \
	    $$sudo apt-get update -qq && \
	    $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	        $(PACKAGES) $(TOOL_PACKAGES); \
	else \
	    echo "Alcedo needs $(LIBRARIES) with their headers, as pkg-config finds them, and its tests need" >&2; \
	    echo "$(TOOLS). On Debian and Ubuntu the packages are: $(PACKAGES) $(TOOL_PACKAGES)" >&2; \
	    echo "Please install what this system calls them, and try again." >&2; \
	    exit 1; \
	fi

build: deps ## Build everything, for debugging
	$(BUILD) --build-tests

RELEASE = $$($(BUILD) -c release --show-bin-path)

tool: deps ## Build the command alcedo into .build/release
	$(BUILD) -c release --product alcedo-tool
	@ln -sf alcedo-tool "$(RELEASE)/alcedo"

man: tool ## Write the manual page of the command alcedo to .build/alcedo.1
	@"$(RELEASE)/alcedo" man >.build/alcedo.1

install: man ## Install the command alcedo and its manual page into PREFIX, /usr/local by default
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install "$(RELEASE)/alcedo-tool" "$(DESTDIR)$(PREFIX)/bin/alcedo"
	install -m 644 .build/alcedo.1 "$(DESTDIR)$(PREFIX)/share/man/man1/alcedo.1"

demo: tool ## Load some 60 pictures from a local server, three ways
	@"$(RELEASE)/alcedo" demo

# All at once they would wait for one another, beyond the time limit of each: the fastest are a few per core.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

test: build ## Run all tests, or those whose names match FILTER, and repeat the failures at the end
	@mkdir -p .build; $(if $(FILTER),true,$(MAKE) -s apple-check) >.build/apple-check.log 2>&1 & check=$$!; \
	    { $(TEST) $(if $(FILTER),--filter '$(FILTER)') 2>&1; echo $$? >.build/tests.status; } | tee .build/tests.log; \
	    wait $$check || echo 1 >.build/tests.status; cat .build/apple-check.log; \
	    status=$$(cat .build/tests.status); [ "$$status" = 0 ] || grep '✘' .build/tests.log; exit "$$status"

fast: lint build ## Check the formatting, build, and run the tests of what has changed
	$(TEST) --filter "$$(sh Tests/changed.sh)"

apple-check: ## Type-check the code for Apple's systems, without their SDK
	@sh Tests/AppleStandIns/check.sh --self-test "$(SWIFT)"

# Takes some minutes.
apple-check-tests: ## Type-check all tests for Apple's systems, too
	@sh Tests/AppleStandIns/check.sh --tests "$(SWIFT)"

# Builds Swift's own modules anew.
apple-availability: ## Check that Apple's oldest supported systems have what the code uses of Swift's own modules
	@sh Tests/AppleStandIns/check.sh --availability "$(SWIFT)"

test-by-url: deps ## Build a program that depends on this repository, as committed, by its URL
	@sh Tests/Clients/by-url.sh "$(SWIFT)"

# Built as a user's program is, without testable modules and so without the other tests. A hop that the optimizer
# drops, it drops before LLVM's passes, which take a third of the time.
test-isolation: export ALCEDO_ONLY_TESTS = IsolationTests
test-isolation: deps ## Test, optimized, that public functions return to their caller's actor
	$(BUILD) -c release -Xswiftc -Xfrontend -Xswiftc -disable-llvm-optzns --product AlcedoPackageTests
	$(TEST) -c release

COVERED = --enable-code-coverage --scratch-path .build/coverage

coverage: deps ## Run all tests, and list the files of Sources/Alcedo with lines that they don't execute
	$(BUILD) --build-tests $(COVERED)
	$(TEST) $(COVERED)
	@folder=$$($(BUILD) $(COVERED) --show-bin-path) && \
	    sh Tests/coverage.sh "$$folder/AlcedoPackageTests.xctest" "$$folder/codecov/default.profdata" 95

OPTIMISED = -c release -Xswiftc -enable-testing --scratch-path .build/optimized

build-optimized: deps
	$(BUILD) --build-tests $(OPTIMISED)

test-release: build-optimized ## Run all tests, optimized
	$(TEST) $(OPTIMISED)

# Random tests, and those that try all short histories, all faults or all damage where there is time.
FUZZED = Fuzz|Netlink|History|Freshness|Cookie|MetadataDamage|PrefetchList|FrameQueue|ColorConversion|ICC|PreviewBudget|APNG|GIF|BMP|DamagedImage|EntryMetadata|DiskFault|ProcessorProperty

fuzz: build-optimized ## Run the random tests for long, optimized, from a new seed
	ALCEDO_FUZZ_STEPS=$${ALCEDO_FUZZ_STEPS:-1000000} ALCEDO_FUZZ_SEED=$${ALCEDO_FUZZ_SEED:-$$(date +%s)} \
	    $(TEST) $(OPTIMISED) --filter '$(FUZZED)'

fuzz-decoders: deps ## Feed the decoders with what libFuzzer makes up, five minutes each
	$(BUILD) --package-path Tests/Fuzzing --scratch-path .build/fuzzing -c release --sanitize=fuzzer \
	    -Xswiftc -sanitize=address,fuzzer -Xswiftc -enable-testing
	@sh Tests/Fuzzing/run.sh "$(CURDIR)/.build/fuzzing/release/FuzzDecoders" "$(CURDIR)/.build/fuzzing/work"

crash: build ## Kill a process that writes to the disk cache, five hundred times
	ALCEDO_CRASH_ROUNDS=$${ALCEDO_CRASH_ROUNDS:-500} $(TEST) --filter DiskCrashTests

codings: deps ## Run the tests of content codings with Brotli and Zstandard, too, which need their libraries
	@pkg-config --exists libbrotlidec libzstd || \
	    { echo "Please install the libraries of Brotli and Zstandard (libbrotli-dev libzstd-dev)" >&2; exit 1; }
	$(BUILD) --build-tests --traits default,Brotli,Zstandard --scratch-path .build/codings
	$(TEST) --traits default,Brotli,Zstandard --scratch-path .build/codings --filter 'Coding'

encryption: deps ## Run the tests of stores with encryption, too, which needs libcrypto
	@pkg-config --exists libcrypto || { echo "Please install the library libcrypto (libssl-dev)" >&2; exit 1; }
	$(BUILD) --build-tests --traits default,Encryption --scratch-path .build/encryption
	$(TEST) --traits default,Encryption --scratch-path .build/encryption \
	    --filter 'AESGCM|Encrypt|EntrySeal|Isolation|Listing'

# The traits of formats that are off by default, and what they require.
FORMATS = default,HEIC,TIFF,JPEGXL
FORMAT_LIBRARIES = libheif libtiff-4 libjxl
FORMAT_PACKAGES = libheif-dev libtiff-dev libjxl-dev

format-libraries:
	@pkg-config --exists $(FORMAT_LIBRARIES) || \
	    { echo "Please install the libraries of HEIC, TIFF and JPEG XL ($(FORMAT_PACKAGES))" >&2; exit 1; }

formats: deps format-libraries ## Run the tests of pictures with HEIC, TIFF and JPEG XL, too, which need their libraries
	$(BUILD) --build-tests --traits $(FORMATS) --scratch-path .build/formats
	$(TEST) --traits $(FORMATS) --scratch-path .build/formats --filter 'HEIC|TIFF|JPEGXL|Bomb|ImageDecoders|Conformance'

# With the formats of `make formats`.
conformance: deps format-libraries ## Run the sets in ALCEDO_CORPUS and ALCEDO_HTTP_CASES, and write two pages to Docs
	@[ -n "$$ALCEDO_CORPUS" ] || { echo "Please set ALCEDO_CORPUS to the folder of an image conformance set" >&2; exit 1; }
	@[ -n "$$ALCEDO_HTTP_CASES" ] || { echo "Please set ALCEDO_HTTP_CASES to the folder of HTTP cache cases" >&2; exit 1; }
	$(BUILD) --build-tests --traits $(FORMATS) --scratch-path .build/formats
	ALCEDO_CONFORMANCE_TABLE="$(CURDIR)/Docs/Conformance.md" \
	    ALCEDO_HTTP_TABLE="$(CURDIR)/Docs/HTTP-cache-conformance.md" \
	    $(TEST) --traits $(FORMATS) --scratch-path .build/formats --filter ConformanceTests

# The results of HTTP caching are those of Linux.
conformance-apple: ## Run the sets in ALCEDO_CORPUS on a Mac, and write Docs/Conformance-Apple.md
	@[ "$$(uname)" = Darwin ] || { echo "This target is for a Mac; here it is make conformance" >&2; exit 1; }
	@[ -n "$$ALCEDO_CORPUS" ] || { echo "Please set ALCEDO_CORPUS to the folder of an image conformance set" >&2; exit 1; }
	$(BUILD) --build-tests
	ALCEDO_CONFORMANCE_TABLE="$(CURDIR)/Docs/Conformance-Apple.md" $(TEST) --filter ImageConformanceTests

storm: build-optimized ## Load and cancel a hundred thousand times, optimized
	ALCEDO_STORM_LOADS=$${ALCEDO_STORM_LOADS:-100000} $(TEST) $(OPTIMISED) --filter StormTests

chaos: build ## Do random things to a few loaders for ten minutes, and check what is seen from outside
	ALCEDO_CHAOS_SECONDS=$${ALCEDO_CHAOS_SECONDS:-600} $(TEST) --filter ChaosTests

# What tells the sanitizer of Swift's locks on Linux; it is loaded before everything else.
TSAN_LOCKS = $(if $(filter Linux,$(shell uname)),$(CURDIR)/.build/tsan/mutex.so)

TSAN_SETTINGS = LD_PRELOAD="$(TSAN_LOCKS)" TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/ThreadSanitizer/suppressions.txt"

# Without random and exhaustive tests, which are long and use one thread only.
tsan: deps ## Run what is concurrent under the thread sanitizer
	$(BUILD) --build-tests --sanitize=thread --scratch-path .build/tsan
	@[ -z "$(TSAN_LOCKS)" ] || clang -shared -fPIC -Wall -Werror -o "$(TSAN_LOCKS)" Tests/ThreadSanitizer/mutex.c
	$(TSAN_SETTINGS) $(TEST) --sanitize=thread --scratch-path .build/tsan \
	    --filter 'Sanitizer|URLSession|Curl|Transport|\.\w*Download|Coordinator|Flight|LoadTask|LoadControl|Fault|Memory|Disk|DecodeGate|BodyBudget|CodedBody|Preview|Animat|Revalid|Response|Slot|Player|FrameBudget|Prefetch|Batch|LoadStage|Recorder|EncodedImage|CallerLimit|LoadLog|LoadActivity' \
	    --skip 'Fuzz|flippedBit|[mM]atch(es)?TheModel'
	$(TSAN_SETTINGS) $(TEST) --sanitize=thread --scratch-path .build/tsan \
	    --filter 'Process(ing|or|ed)'
	$(TSAN_SETTINGS) ALCEDO_STORM_LOADS=$${ALCEDO_STORM_LOADS:-10000} \
	    $(TEST) --sanitize=thread --scratch-path .build/tsan --filter StormTests

# How long the long ones are, and what is not lost though it looks so.
ASAN_SETTINGS = ALCEDO_LEAK_DECODES=$${ALCEDO_LEAK_DECODES:-10000} ALCEDO_FUZZ_STEPS=$${ALCEDO_FUZZ_STEPS:-5000} \
    LSAN_OPTIONS="suppressions=$(CURDIR)/Tests/AddressSanitizer/leaks.txt:print_suppressions=0"

# TRAITS adds formats that are off by default, such as `make asan TRAITS=default,HEIC,TIFF,JPEGXL`.
ASAN_TRAITS = $(if $(TRAITS),--traits $(TRAITS))

asan: deps ## Run what decodes and encodes under the address sanitizer, which looks for leaks, too
	$(BUILD) --build-tests $(ASAN_TRAITS) --sanitize=address --scratch-path .build/asan
	@# In two runs: the corpus keeps all threads busy, and some of the others wait for one no longer than a minute.
	$(ASAN_SETTINGS) $(TEST) $(ASAN_TRAITS) --disable-xctest --sanitize=address --scratch-path .build/asan \
	    --filter 'Tests\.((Image|Progressive)Conformance|OptionalFormat|Generated|DecodeLeak|(A?PNG|GIF|BMP|GIFEncoder|WebPDamage|DamagedFile)FuzzTests)'
	$(ASAN_SETTINGS) $(TEST) $(ASAN_TRAITS) --disable-xctest --sanitize=address --scratch-path .build/asan \
	    --filter 'Tests\.(AddressSanitizer|Bomb|A?PNG|CgBI|GIF|BMP|ICO|JPEG|WebP|AVIF|HEIC|ICC|ImageHeader|ImageMetadata|Metadata|TIFF|XMP|Process|Region|ThumbHash)' --skip Fuzz \
	    --filter 'Tests\.(EncoderTests|AnimationEncoding|AutomaticEncoder)'

# Most start with a build of their own.
nightly: ## Run what is too long for each change: sanitizers, storm, chaos, random tests, crashes, the optimized suite
	$(MAKE) apple-check-tests apple-availability test-release storm chaos crash fuzz tsan asan gate

bench: deps ## Measure, against baselines of the same run
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" $(BENCH_OPTIONS)

gate: deps ## Compare allocations, instructions and heap with the limits in Benchmarks/limits.txt
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" --gate Benchmarks/limits.txt

# The page is written even if a case has failed, and names it.
report: deps ## Run the complete bench, and write the page of Docs/Benchmarks with its raw results
	$(BUILD) -c release --product bench
	@rm -f Docs/Benchmarks/latest.json; status=0; \
	    "$(RELEASE)/bench" --json Docs/Benchmarks/latest.json $(BENCH_OPTIONS) || status=$$?; \
	    "$(RELEASE)/bench" --report Docs/Benchmarks && exit $$status

growth: deps ## Measure how costs grow with the number of entries, for Docs/Benchmarks/growth
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" --growth Docs/Benchmarks

classic: deps ## Compare with the classic design again, for Docs/Benchmarks/classic
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" --classic Docs/Benchmarks $(BENCH_OPTIONS)

hit-ratio: deps ## Replay the traces again, for Docs/Benchmarks/memory-hit-ratio
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" --hit-ratio Docs/Benchmarks

scroll: deps ## Scroll through a feed again, for Docs/Benchmarks/scroll
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" --scroll Docs/Benchmarks

server-side: deps ## Load through nginx in several processes again, for Docs/Benchmarks/server-side
	$(BUILD) -c release --product bench
	@"$(RELEASE)/bench" --server-side Docs/Benchmarks

api: build ## Write the public declarations into Docs/API.txt
	ALCEDO_WRITE_API=1 $(TEST) --filter PublicAPITests

# In the folder of the package, so that its libraries aren't built again. Its last plan must not be taken for theirs.
examples: deps ## Build the examples and run their tests
	$(BUILD) --build-tests --disable-build-manifest-caching --package-path Examples --scratch-path .build
	$(TEST) --package-path Examples --scratch-path .build

# Depends on Hummingbird and others by their URLs.
example-server: deps ## Build the image server of the examples, and run its tests with nginx as the origin
	$(BUILD) --build-tests --disable-build-manifest-caching --package-path Examples/ImageServer --scratch-path .build
	$(TEST) --package-path Examples/ImageServer --scratch-path .build

# The example stores require these, too.
STORE_PACKAGES = libsqlite3-dev redis-server

example-store: deps ## Build the example stores over Redis and SQLite, and run their tests with a server
	@pkg-config --exists sqlite3 && { command -v redis-server || command -v valkey-server; } >/dev/null || \
	    { echo "Please install SQLite and a Redis server ($(STORE_PACKAGES))" >&2; exit 1; }
	$(BUILD) --build-tests --disable-build-manifest-caching --package-path Examples/SharedStore --scratch-path .build
	$(TEST) --package-path Examples/SharedStore --scratch-path .build

docs: ## Make the reference pages into .build/docs
	@SWIFT_DETERMINISTIC_HASHING=1 sh Docs/make.sh "$(SWIFT)"

release-check: ## Say what the next release still lacks
	@.ci/release-check

lint: ## Check the formatting
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Examples

format: ## Format all sources
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples

clean: ## Remove what was built
	rm -rf .build
