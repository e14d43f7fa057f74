# make run    installs what is missing, builds, and shows two devices syncing
# make test   installs what the tests need, and runs all of them
# make install PREFIX=/usr/local DESTDIR=   programs, man page and completions; make uninstall
#             removes them
# make soak   runs many more of the random fleets, mutations and kills: make soak RUNS=10000

SWIFT ?= swift
# Undeclared imports are refused, so that the module graph is what Package.swift says.
FLAGS = --explicit-target-dependency-import-check error
BUILD_PACKAGES = pkg-config libsqlite3-dev libedit-dev libcbor-dev libsodium-dev libmicrohttpd-dev \
  libcurl4-openssl-dev libarchive-dev
TEST_PACKAGES = sqlite3 python3 python3-cbor2 iso-codes ntfs-3g e2fsprogs syncthing curl openssl \
  fiu-utils faketime borgbackup restic groff man-db less zsh fish
# Where the session of `make run` keeps its stores; it begins anew each time.
RUN_HOME = .build/first-run
# How many fleets of each kind `make soak` plays; STRANDLINE_FIRST_SEED=N begins at another seed.
RUNS ?= 1000
FLEET_SOAKS = SimulationTests.SimulationTests|FolderFleetTests|FolderSizeTests
KILL_SOAKS = RandomKillTests|FailingCallDeviceTests|FailingCallProgramTests|DamagedStoreTests
SOAKS = '$(FLEET_SOAKS)|$(KILL_SOAKS)|StrandlineServerTests.MutationTests|KilledServerTests'
# How many tests run at the same time. Left to itself Swift Testing begins all of them at once,
# and each then takes as long as the whole run.
WIDTH ?= 3
TESTS = Tests/run.sh .build/debug/strandlinePackageTests.xctest --testing-library swift-testing \
  --experimental-maximum-parallelization-width $(WIDTH)

# Where `make install` puts things, and from where it takes the programs.
PREFIX ?= /usr/local
DESTDIR ?=
PROGRAMS ?= .build/release
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALLED = $(DESTDIR)$(PREFIX)/bin/strandline $(DESTDIR)$(PREFIX)/bin/strandline-server \
  $(SHARE)/man/man1/strandline.1 $(SHARE)/bash-completion/completions/strandline \
  $(SHARE)/zsh/site-functions/_strandline $(SHARE)/fish/vendor_completions.d/strandline.fish

.PHONY: run test soak build lint install install-files uninstall packages test-packages

run: packages
	@$(SWIFT) build -c release --product strandline $(FLAGS)
	@$(SWIFT) build -c release --product strandline-server $(FLAGS)
	@rm -rf $(RUN_HOME) && mkdir -p $(RUN_HOME)/shared
	@.build/release/strandline --home $(RUN_HOME) --device phone --transport directory:$(CURDIR)/$(RUN_HOME)/shared \
	  --echo --stay -f Apps/strandline/Tour/two-devices.strand

test: test-packages
	$(SWIFT) build --build-tests $(FLAGS)
	$(TESTS)

soak: test-packages
	$(SWIFT) build --build-tests $(FLAGS)
	STRANDLINE_SOAK=1 STRANDLINE_RUNS=$(RUNS) $(TESTS) --filter $(SOAKS)

install: packages
	@$(SWIFT) build -c release --product strandline $(FLAGS)
	@$(SWIFT) build -c release --product strandline-server $(FLAGS)
	@$(MAKE) install-files

install-files:
	@install -d $(dir $(INSTALLED))
	@install -m 755 $(PROGRAMS)/strandline $(PROGRAMS)/strandline-server $(DESTDIR)$(PREFIX)/bin
	@umask 022; $(PROGRAMS)/strandline --man > $(SHARE)/man/man1/strandline.1
	@umask 022; $(PROGRAMS)/strandline --completions bash \
	  > $(SHARE)/bash-completion/completions/strandline
	@umask 022; $(PROGRAMS)/strandline --completions zsh > $(SHARE)/zsh/site-functions/_strandline
	@umask 022; $(PROGRAMS)/strandline --completions fish \
	  > $(SHARE)/fish/vendor_completions.d/strandline.fish

uninstall:
	@rm -f $(INSTALLED)

build: packages
	$(SWIFT) build $(FLAGS)

lint:
	$(SWIFT) format lint --recursive --strict Modules Plugins Apps Examples Tests Package.swift

packages:
	@sh Modules/System/install-packages.sh $(BUILD_PACKAGES)

test-packages:
	@sh Modules/System/install-packages.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)
