# Everything is incremental: a second `make test` installs and builds nothing. Works with GNU make 3.81 (macOS).
PREFIX ?= /usr/local
BIN := node_modules/.bin
STAMP := node_modules/.stamp
EXE := $(if $(filter Windows_NT,$(OS)),.exe)
HOLT := dist/holt$(EXE)
# Directories too, or a removed file would go unseen; not what editors leave (.#x, x~).
SOURCES := $(shell find src ! -name '.*' ! -name '*~' 2>/dev/null)
PAGE := src/page/made.ts
PAGE_SOURCES := $(shell find web ! -name '.*' ! -name '*~' 2>/dev/null)

.PHONY: build library test soak bench check format reference install uninstall clean help

build: $(HOLT) ## build dist/holt (the default)

library: dist/client.js ## build dist/client.js, the client library for Bun and Node, and its types

test: $(STAMP) ## build, check, then run every test; ONLY="test/unit chaos" runs the files that match
	@scripts/test-tools
	@$(MAKE) -s --no-print-directory build library check
	@$(BIN)/bun scripts/run-tests.ts $(ONLY)

soak: build library ## the long tests at full size, and new random cases
	@scripts/test-tools
	@HOLT_SOAK=1 $(BIN)/bun scripts/run-tests.ts test/chaos/ test/compare/ test/terminal/ test/rendering/ test/transcript/ test/drives/ test/shell/ test/exec/ test/daemon/ test/client/ test/surfaces/ test/web/ test/e2e/drive test/e2e/wait-memory test/mcp/ test/page/axe

bench: build ## measure, and write bench/results.md and docs/benchmarks.md
	@scripts/test-tools
	@$(BIN)/bun bench/main.ts

check: $(STAMP) $(PAGE) ## types, lint, import boundaries (scripts/boundaries.js), format
	@$(BIN)/tsc -p .
	@$(BIN)/tsc -p web
	@$(BIN)/oxlint
	@$(BIN)/biome format

format: $(STAMP) ## rewrite every file in the one format
	@$(BIN)/biome format --write

reference: $(STAMP) ## write docs/reference from the protocol table and the table of keys
	@$(BIN)/bun scripts/reference.ts
	@$(BIN)/bun scripts/config-reference.ts

install: build ## install to PREFIX (/usr/local), below DESTDIR
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(HOLT) "$(DESTDIR)$(PREFIX)/bin/"

uninstall: ## remove what install put there; recorded sessions stay
	rm -f "$(DESTDIR)$(PREFIX)/bin/holt$(EXE)"

clean: ## remove what was built and installed here
	rm -rf dist node_modules

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

$(HOLT): $(STAMP) $(PAGE) $(SOURCES) package.json Makefile scripts/build scripts/build-flags
	@echo "holt: building $@" >&2
	@scripts/build

$(PAGE): $(STAMP) $(PAGE_SOURCES) scripts/page.ts
	@$(BIN)/bun scripts/page.ts

dist/client.js: $(STAMP) $(wildcard src/library/*.ts src/protocol/*/*.ts) scripts/tsconfig.library.json Makefile
	@mkdir -p dist
	@$(BIN)/tsc -p scripts/tsconfig.library.json
	@$(BIN)/bun build src/library/index.ts --target node --outfile $@ >/dev/null

$(STAMP): package.json package-lock.json
	@scripts/with-lock dist/.install.lock scripts/install-dependencies
