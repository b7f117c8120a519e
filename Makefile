# The front door; `make help` lists the targets.  Make writes
# build/<mode>/build.ninja from the file lists, Ninja does the building.
#
# MODE=release is what users run, MODE=debug has sanitizers, and MODE=quick is
# what is tested by default: it compiles and links fastest.  MODE=demo is
# release without link-time optimisation, which takes half a minute.  CC, CFLAGS
# and LDFLAGS are added to the flags below, and a change of them rebuilds.

VERSION := 0.2.0
PREFIX  ?= /usr/local
FUZZ_S  ?= 60
FUZZER  ?= libfuzzer
SOAK_N  ?= 2000
NEAR_N  ?= 5000
KILLS   ?= 200
SEED    ?= 1

ifneq ($(filter-out release debug quick demo,$(MODE)),)
$(error MODE is release, debug, quick or demo, not $(MODE))
endif
ifneq ($(filter-out libfuzzer afl,$(FUZZER)),)
$(error FUZZER is libfuzzer or afl, not $(FUZZER))
endif
# Programs are built in release and tested in quick unless MODE says.
BUILD      := build/$(or $(MODE),release)
BUILD_TEST := build/$(or $(MODE),quick)
BUILD_FUZZ := build/$(if $(filter afl,$(FUZZER)),afl,fuzz)

ifeq ($(origin CC),default)
CC := gcc
endif
export CC

# ---- what there is ---------------------------------------------------------

MAINS      := $(wildcard sim/cli/main.c validate/main.c validate/fit/main.c)
LIB_SRCS   := $(filter-out $(MAINS),$(sort $(shell find -L \
              sim network models workloads -name '*.c')))
# Texts that the program holds; each becomes a C file and then an object.
TEXTS      := $(sort $(shell find -L sim -name '*.gp' -o -name '*.css' -o -name '*.csv' -o -path '*/report/*.js'))
VALID_SRCS := $(filter-out $(MAINS),$(sort $(wildcard validate/*.c \
              validate/accuracy/*.c \
              validate/kernels/*.c validate/collectives/*.c \
              validate/systems/*.c validate/papers/*.c validate/fit/*.c \
              validate/llm/*.c)))
# In a folder for each room; no two have one name.
TEST_SRCS  := $(sort $(shell find -L tests -name 'test_*.c'))
# The host's half of acesim-measure, for its tests; validate/gpu/Makefile
# builds the program.
MEASURE_SRCS := $(sort $(wildcard validate/gpu/host/*.c validate/gpu/plan/*.c))
# C files beside the tests that are none help all of them; those of
# tests/extend are no part of what is built here.
HELP_SRCS  := $(filter-out $(TEST_SRCS),$(sort $(shell find -L tests -name '*.c' \
              -not -path 'tests/bench/*' -not -path 'tests/soak/*' \
              -not -path 'tests/near/*' -not -path 'tests/fuzz/*' -not -path 'tests/extend/*')))
BENCH_SRC  := tests/bench/bench.c
SOAK_SRCS  := $(sort $(wildcard tests/soak/*.c))
NEAR_SRCS  := $(sort $(wildcard tests/near/*.c))
FUZZ_SRCS  := $(sort $(wildcard tests/fuzz/fuzz_*.c))

# What rows depend on: a sweep keeps points only of the program that has the
# same.  Whole folders, since a list by hand forgets; that a change of what is
# beside the rows runs points again is the price.  Plots and reports only read.
# One object knows it, so that a change does not rebuild all others.
MODEL_DIRS := sim/core sim/config network workloads models sim/study sim/sweep
MODEL_SRCS := $(sort $(shell find -L $(MODEL_DIRS) -name '*.[ch]' -o -name '*.csv'))
MODEL_OBJ  := sim/sweep/sweep_id.c
# One object knows where files are installed.
SHARE_OBJ  := sim/config/installed_files.c
model_id    = $(shell cat $(MODEL_SRCS) | sha256sum | cut -c 1-16)

# What others link to; its number changes with what they would notice.
LIBRARY_SRC := sim/study/library/acesim.c
LIBRARY_MAP := sim/study/library/acesim.map
SONAME      := libacesim.so.0
PYTHON_DIR  := sim/study/library/python

PROGRAMS := $(if $(filter sim/%,$(MAINS)),acesim) \
            $(if $(filter validate/main.c,$(MAINS)),acesim-validate) \
            $(if $(filter validate/fit/%,$(MAINS)),acesim-fit)
UNMEASURED := validate/data has no measurement of a GPU, so nothing is \
              claimed of contention on hardware; make measure makes one
MEASURED   := $(sort $(wildcard validate/data/*-measured.csv))
GOLDEN   := $(sort $(patsubst tests/golden/%.cmd,golden_%, \
            $(wildcard tests/golden/*.cmd)))

# Tests by the names that tests/run knows; T="word word" takes those that
# hold one of the words.
picked = $(if $(T),$(foreach n,$1,$(if $(strip \
         $(foreach w,$(T),$(findstring $w,$n))),$n)),$1)
C_TESTS    := $(call picked,$(notdir $(TEST_SRCS:.c=)))
FUZZ_TESTS := $(call picked,$(patsubst tests/fuzz/%.c,%,$(FUZZ_SRCS)))
# Begun in this order; most of the long ones are scripts, and what is begun last
# should not keep one processor waiting for the other.
SCRIPTS    := $(patsubst tests/%,%,$(sort $(wildcard tests/test_*.sh)))
ALL_TESTS  := $(call picked,test_docs.sh $(filter-out test_docs.sh,$(SCRIPTS)) \
              $(GOLDEN)) $(C_TESTS) $(FUZZ_TESTS)

# ---- how it is built -------------------------------------------------------

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wundef \
        -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla \
        -Wconversion -Wcast-align
BASE := -std=gnu11 -ffp-contract=off -D_GNU_SOURCE -I. $(WARN) \
        -fdiagnostics-color=always -DG_LOG_DOMAIN=\"acesim\" \
        -DGLIB_VERSION_MIN_REQUIRED=GLIB_VERSION_2_68 \
        -DGLIB_VERSION_MAX_ALLOWED=GLIB_VERSION_2_68

SANITIZE      := -fsanitize=address,undefined -fno-sanitize-recover=all \
                 -fno-omit-frame-pointer
# The hot path crosses files.  Debian's ld takes gcc's intermediate code only.
# -fPIC is for the library; what is in a program is decided when that is linked.
FLAGS_release := -O2 -g -fPIC $(if $(findstring clang,$(CC)),,-flto=auto)
FLAGS_debug   := -Og -g3 -fPIC $(SANITIZE)
# No link-time optimisation and no sanitizers.  At -O1, gcc 12 takes some valid
# pointers to be dangling.
FLAGS_quick   := -O1 -g -fPIC -Wno-dangling-pointer
# What `make demo` runs: as fast as release within a tenth, and built in less
# than half of its time.  The demo spends 99 % of its time in FAST_demo; all
# other files are compiled with -Og, which takes two thirds of the time, and at
# which gcc 12 takes some variables to be used uninitialised.
FLAGS_demo    := -O2 -fPIC
FAST_demo     := sim/core/% network/% models/%
FLAGS_race    := -O1 -g -fsanitize=thread -DLOOKS_MOST=0
FLAGS_coverage := -O0 -g --coverage
FLAGS_fuzz    := -O1 -g $(SANITIZE)
COMPILE_fuzz  := -fsanitize=fuzzer-no-link
LINK_fuzz     := -fsanitize=fuzzer
FLAGS_afl     := $(FLAGS_fuzz)
LINK_afl      := -fsanitize=fuzzer
CC_release     = $(CC)
CC_debug       = $(CC)
CC_quick       = $(CC)
CC_demo        = $(CC)
CC_race        = gcc
CC_coverage    = gcc
CC_fuzz        = clang
CC_afl         = AFL_QUIET=1 afl-clang-fast

# Asked in recipes only, after `deps` has seen to it that there is an answer.
# -isystem: our warnings are not for GLib's headers.
pkg_cflags = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $1))
pkg_libs   = $(shell pkg-config --libs $1)
PACKAGES  := glib-2.0 yaml-0.1 zlib nlopt sqlite3
# GLPK, of which Debian has no .pc file, solves integer programs.
LIBS      := -lglpk -lm

define newline


endef
# Reading GLib's headers is half of what it takes to compile a file, so these
# modes precompile them.  The other modes do not, and so find a file that lacks
# an include.
hash := \#
precompiled = $(if $(filter release debug quick demo,$1),build/$1/glib.h)
needs_precompiled = $(patsubst %,| %.gch,$(call precompiled,$1))
objects = $(patsubst %.c,build/$1/%.o,$2)
# The files that show the version: a new one rebuilds no others.
VERSION_SRCS := $(shell grep -rl ACESIM_VERSION sim --include='*.c')
# $(call file_flags,mode,source): flags of one file, after those of the mode.
file_flags = $(if $(FAST_$1),$(if $(filter-out $(FAST_$1),$2),-Og -Wno-maybe-uninitialized)) \
    $(if $(filter $2,$(VERSION_SRCS)),-DACESIM_VERSION=\"$(VERSION)\") \
    $(if $(filter $2,$(MODEL_OBJ)),-DACESIM_MODEL=\"$(model_id)\") \
    $(if $(filter $2,$(SHARE_OBJ)),'-DACESIM_SHARE="$(PREFIX)/share/acesim"')
# $(call program,mode,output,sources,archives,last words)
define program

build build/$1/$2: link $(call objects,$1,$3) $(patsubst %,build/$1/%.a,$4)
  extra = $5
endef

# Linking hundreds of tests with archives takes as long as compiling all of
# them.  In the modes that tests are written and run in, the archives are linked
# once, into a shared library that the tests load.  It holds main.c too, which
# has the table of commands; a test has a main() of its own, which comes first.
# A test that brings a table of kinds of its own (test_added_*) takes the place
# of a file, and so is linked with archives.
TESTED := libhelp libvalidate libacesim
shares_tested = $(filter debug quick,$1)
# $(call test_program,mode,output,sources,archives beside those,last words)
define test_program

build build/$1/$2: link $(call objects,$1,$3) $(patsubst %,build/$1/%.a,$4 $(if $(call shares_tested,$1),,$(TESTED)))$(if $(call shares_tested,$1), build/$1/libtested.so)
  extra = $(if $(call shares_tested,$1),-Wl$(comma)-rpath$(comma)'$$$$ORIGIN/..' )$5
endef
comma := ,

# The archives are made anew each time and by appending: no object of a
# deleted source stays, and two objects of one name do not replace each other.
define NINJA
# Written by the Makefile; do not edit.
builddir = build/$1
cflags = $(BASE) $(FLAGS_$1) $(COMPILE_$1) $(call pkg_cflags,$(PACKAGES)) $(CPPFLAGS) $(CFLAGS)
cmocka_cflags = $(call pkg_cflags,cmocka 2>/dev/null)
cmocka_libs = $(call pkg_libs,cmocka 2>/dev/null)
rule cc
  command = $(CC_$1) -MD -MF $$out.d $$cflags $(addprefix -include ,$(call precompiled,$1)) $$extra -c $$in -o $$out
  depfile = $$out.d
  deps = gcc
  description = CC $$in
rule precompile
  command = echo '$(hash)include <glib.h>' >$$header && $(CC_$1) -MD -MF $$out.d $$cflags -x c-header $$header -o $$out
  depfile = $$out.d
  deps = gcc
  description = PRECOMPILE $$header
$(foreach h,$(call precompiled,$1),build $h.gch: precompile$(newline)  header = $h)
rule text
  command = awk -f sim/view/text.awk $$in >$$out
  description = TEXT $$in
rule ar
  command = rm -f $$out && ar qcs $$out $$in
  description = AR $$out
rule link
  command = $(CC_$1) $(FLAGS_$1) $(CFLAGS) $(LDFLAGS) $$in $(call pkg_libs,$(PACKAGES)) $(LIBS) $$extra -o $$out
  description = LINK $$out
$(foreach s,$(LIB_SRCS) $(VALID_SRCS) $(MEASURE_SRCS) $(MAINS) $(FUZZ_SRCS) $(BENCH_SRC) $(SOAK_SRCS) $(NEAR_SRCS) tests/fuzz/replay.c,$(newline)build $(call objects,$1,$s): cc $s $(call needs_precompiled,$1)$(if $(strip $(call file_flags,$1,$s)),$(newline)  extra = $(strip $(call file_flags,$1,$s))))
$(foreach s,$(TEST_SRCS) $(HELP_SRCS),$(newline)build $(call objects,$1,$s): cc $s $(call needs_precompiled,$1)$(newline)  extra = $$cmocka_cflags)
$(foreach t,$(TEXTS),$(newline)build build/$1/$t.c: text $t | sim/view/text.awk$(newline)build build/$1/$t.o: cc build/$1/$t.c $(call needs_precompiled,$1))
build build/$1/libacesim.a: ar $(call objects,$1,$(LIB_SRCS)) $(TEXTS:%=build/$1/%.o)
build build/$1/$(SONAME): link $(call objects,$1,$(LIBRARY_SRC)) build/$1/libacesim.a | $(LIBRARY_MAP)
  extra = -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(LIBRARY_MAP)
build build/$1/libvalidate.a: ar $(call objects,$1,$(VALID_SRCS))
build build/$1/libmeasure.a: ar $(call objects,$1,$(MEASURE_SRCS))
build build/$1/libhelp.a: ar $(call objects,$1,$(HELP_SRCS))
$(foreach m,$(filter sim/%,$(MAINS)),$(call program,$1,acesim,$m,libacesim))
$(foreach m,$(filter validate/main.c,$(MAINS)),$(call program,$1,acesim-validate,$m,libvalidate libacesim))
$(foreach m,$(filter validate/fit/%,$(MAINS)),$(call program,$1,acesim-fit,$m,libvalidate libacesim))
$(call program,$1,acesim-bench,$(BENCH_SRC),libacesim)
$(call program,$1,acesim-soak,$(SOAK_SRCS),libvalidate libacesim)
$(call program,$1,acesim-near,$(NEAR_SRCS),libacesim)
$(if $(call shares_tested,$1),build build/$1/libtested.so: link $(call objects,$1,$(filter sim/%,$(MAINS))) | $(TESTED:%=build/$1/%.a)
  extra = -shared -Wl$(comma)--whole-archive $(TESTED:%=build/$1/%.a) -Wl$(comma)--no-whole-archive $$cmocka_libs)
$(foreach s,$(TEST_SRCS),$(call $(if $(findstring test_added,$s),program,test_program),$1,tests/$(notdir $(s:.c=)),$s,$(if $(findstring measure,$s),libmeasure)$(if $(findstring test_added,$s),$(TESTED)),$$cmocka_libs))
$(foreach s,$(FUZZ_SRCS),$(call test_program,$1,$(patsubst tests/fuzz/%.c,tests/%,$s),$s $(if $(LINK_$1),,tests/fuzz/replay.c),,$(LINK_$1)))
build all: phony build/$1/libacesim.a $(PROGRAMS:%=build/$1/%)
default all
endef

# $(call ninja,mode,targets): quiet when there is nothing to do, and one at a
# time when two makes run in this checkout.
NINJA_FLAGS = $(filter-out -j,$(filter -j%,$(MAKEFLAGS))) $(if $(V),-v) \
              $(if $(findstring k,$(firstword -$(MAKEFLAGS))),-k 0)
LOCK = $$(command -v flock >/dev/null && echo flock build/$1/.lock)
ninja = test "$$(ninja -f build/$1/build.ninja -n $2 2>&1)" = \
        "ninja: no work to do." || \
        $(LOCK) ninja -f build/$1/build.ninja $(NINJA_FLAGS) $2

# The program that measures kernels on a GPU needs nvcc and make, and none of
# our packages.  It is the same in all modes.
NVCC := sh validate/gpu/find_nvcc.sh
measure_program = $(MAKE) -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) \
                  -f validate/gpu/Makefile DIR=build/gpu NVCC="$$nvcc"
measure_if_nvcc = if nvcc=$$($(NVCC)); then $(measure_program); \
                  else echo "acesim-measure is skipped: $$nvcc"; fi

# ---- targets ---------------------------------------------------------------

# Ninja and tests/run do what can be done at once.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all
.PHONY: FORCE all demo test test-all test-browser lint golden golden-update validate papers reference study measure fit library bench instructions soak near mutants race coverage static fuzz corpus \
        soak-kills test-slurm install uninstall clean help deps deps-plots deps-test deps-lint deps-fuzz deps-mutants deps-coverage deps-static deps-bench

# Rewritten each time and replaced when it differs.  $(file) writes while the
# recipe is expanded, which is before its first line runs and after `deps`.
build/%/build.ninja: FORCE deps
	$(shell mkdir -p $(@D))$(file >$@.new,$(call NINJA,$*))
	@cmp -s $@.new $@ && rm $@.new || mv -f $@.new $@

all: $(BUILD)/build.ninja ## build/release/acesim, the simulator (default)
	@$(call ninja,$(notdir $(BUILD)),all)
	+@$(measure_if_nvcc)

demo: build/demo/build.ninja ## two answers in a minute: the ISCA 2021 study and a language model, in results/
	@echo 'building build/demo/acesim: about a minute on two processors'
	@export NINJA_STATUS='%p, %es: '; $(call ninja,demo,build/demo/acesim)
	@sh sim/cli/demo.sh build/demo/acesim results

# `make test-all` sets WHOLE: it runs every test with sanitizers, but these
# scripts with the release build, since they run commands that take long, or
# compare the two builds.
RELEASE_SCRIPTS := test_accuracy.sh test_papers.sh test_papers_ace.sh test_demo.sh test_determinism.sh \
    test_docs.sh test_cli.sh test_killed.sh test_many_rows.sh test_near.sh \
    test_sensitivity.sh test_optimise.sh test_signals.sh test_classes.sh \
    test_conventions.sh test_replay.sh test_plans.sh
RELEASE_TESTS := $(if $(WHOLE),$(filter $(RELEASE_SCRIPTS),$(ALL_TESTS)))
# Scripts that build a program of their own, compare whole tables of the docs
# with new runs, or read 100,000 rows.  `make test` leaves them to `make
# test-all`, unless T picks them.
LONG_SCRIPTS := test_determinism.sh test_extend.sh test_measure.sh \
    test_accuracy.sh test_papers.sh test_papers_ace.sh test_many_rows.sh
PICKED_TESTS := $(if $(WHOLE)$(T),$(ALL_TESTS),$(filter-out $(LONG_SCRIPTS),$(ALL_TESTS)))
# The files that the picked tests run, and no others: a program of C needs
# itself alone, a script and a golden result need the programs of users.
# Usage: $(call if_picked,NAME,FILES) are FILES if the test NAME is picked.
if_picked = $(if $(filter $1,$(PICKED_TESTS)),$2)
TEST_FILES = $(patsubst %,$(BUILD_TEST)/tests/%,$(C_TESTS) $(FUZZ_TESTS)) \
    $(call if_picked,%.sh golden_%,$(BUILD_TEST)/acesim) \
    $(call if_picked,test_fit.sh,$(BUILD_TEST)/acesim-fit) \
    $(call if_picked,test_papers.sh test_papers_ace.sh test_accuracy.sh test_model_id.sh,$(BUILD_TEST)/acesim-validate) \
    $(call if_picked,test_soak.sh,$(BUILD_TEST)/acesim-soak) \
    $(call if_picked,test_near.sh,$(BUILD_TEST)/acesim-near) \
    $(call if_picked,test_libacesim.sh test_python.sh,$(BUILD_TEST)/$(SONAME))

test: deps-test $(BUILD_TEST)/build.ninja $(if $(RELEASE_TESTS),build/release/build.ninja) ## the tests, without sanitizers; T=word takes some, V=1 shows all output
	@$(if $(RELEASE_TESTS),$(call ninja,release,build/release/acesim $(call if_picked,test_papers.sh test_papers_ace.sh test_accuracy.sh,build/release/acesim-validate)),:)
	@$(if $(PICKED_TESTS),$(call ninja,$(notdir $(BUILD_TEST)),$(TEST_FILES)),:)
	+@$(call if_picked,test_measure.sh,$(measure_if_nvcc))
	@V=$(V) ACESIM_WHOLE=$(WHOLE) ACESIM_RELEASE_TESTS='$(RELEASE_TESTS)' bash tests/run $(BUILD_TEST) $(PICKED_TESTS)

test-all: ## every test, with sanitizers, and long scripts; T and V as above
	+@$(MAKE) --no-print-directory test MODE=debug WHOLE=1

# Files of tests/browser; each says so where there is no chromium.
test-browser: deps-test $(BUILD_TEST)/build.ninja ## pages and plots in headless Chromium; skipped where there is none
	@$(call ninja,$(notdir $(BUILD_TEST)),$(BUILD_TEST)/acesim)
	@ACESIM_TEST_TIMEOUT=900 V=$(V) bash tests/run $(BUILD_TEST) \
	    $(patsubst tests/browser/%,browser_%,$(sort $(wildcard tests/browser/*.sh tests/browser/*.py)))

lint: deps-lint ## layout, who includes whom, banned calls, sizes
	@sh tests/lint.sh

golden: all ## compare results with tests/golden/*.csv
	@V=$(V) bash tests/run $(BUILD) $(call picked,$(GOLDEN))

golden-update: all ## rewrite tests/golden/*.csv; read the diff before the commit
	@ACESIM=$(BUILD)/acesim sh tests/golden.sh -u $(patsubst golden_%,%,$(call picked,$(GOLDEN)))

validate: all ## compare with closed forms, published figures and measurements
	@test -x $(BUILD)/acesim-validate || \
	    { echo 'make validate: there is no validate/main.c' >&2; exit 1; }
	@ACESIM=$(BUILD)/acesim $(BUILD)/acesim-validate; status=$$?; \
	mkdir -p results/validate || exit; \
	for dat in results/validate/kernels/*.dat; do npu=$${dat%.dat}; \
	    test -f $$dat && command -v gnuplot >/dev/null && gnuplot -c \
	        validate/kernels/kernels.gp $$dat $${npu##*/} $$npu || break; \
	done; \
	for dat in results/validate/collectives/*.dat; do \
	    test -f $$dat && command -v gnuplot >/dev/null && gnuplot -c \
	        validate/collectives/collectives.gp $$dat $${dat%.dat}.svg || \
	        break; \
	done; \
	test ! -f results/validate/systems.csv || \
	    ! command -v gnuplot >/dev/null || \
	    gnuplot -c validate/systems/systems.gp results/validate/systems.csv \
	        results/validate/systems.svg; \
	test ! -f results/validate/kernels.html || \
	    printf '\nlook at: %s\n' results/validate/kernels.html; \
	test -n '$(MEASURED)' || printf '\n%s\n' '$(UNMEASURED)'; \
	exit $$status

papers: all deps-plots ## every claim of the papers beside the simulated figure, into docs/papers.md
	@mkdir -p docs/papers && \
	ACESIM=$(BUILD)/acesim $(BUILD)/acesim-validate --papers docs/papers.md && \
	cp results/papers/constants.csv docs/papers && \
	for dat in results/papers/*.dat; do paper=$${dat##*/}; \
	    gnuplot -c validate/papers/papers.gp $$dat \
	        docs/papers/$${paper%.dat}.svg || exit; \
	done && \
	for grid in results/papers/*.grid; do name=$${grid##*/}; \
	    gnuplot -c validate/papers/grids.gp $$grid \
	        docs/papers/$${name%.grid}.svg || exit; \
	done

reference: all ## docs/reference: every key with an example, from the tables of the program
	@sh docs/reference/make.sh $(BUILD)/acesim docs/reference

study: all deps-plots ## the study of engines in language models: 1,176 points, 12 minutes of processor time; writes worth.csv and plots of docs/llm-offload
	@sh docs/llm-offload/study.sh $(BUILD)/acesim

fit: all ## fit configs/npus to kernels that others published or `make measure` timed
	@ACESIM=$(BUILD)/acesim $(BUILD)/acesim-fit configs/npus

soak-kills: all ## kill a sweep of 200 points KILLS=200 times; SEED=1
	@d=$$(mktemp -d) && ACESIM=$(CURDIR)/$(BUILD)/acesim SRCDIR=$(CURDIR) \
	    TMPDIR=$$d bash tests/kill_and_resume.sh $(KILLS) 200 $(SEED); status=$$?; \
	rm -rf $$d; exit $$status

test-slurm: all ## a sweep on four emulated nodes of Slurm, one of which dies
	@why=$$(sh tests/setup.sh slurm 2>&1) || \
	    { echo "test-slurm is skipped: $$why"; exit 0; }; \
	d=$$(mktemp -d) && ACESIM=$(CURDIR)/$(BUILD)/acesim SRCDIR=$(CURDIR) \
	    TMPDIR=$$d bash tests/slurm/run.sh; status=$$?; \
	rm -rf $$d; exit $$status

measure: ## on a GPU: time its kernels, into validate/data; needs nvcc only
	+@nvcc=$$($(NVCC)) || { echo "make measure: $$nvcc" >&2; exit 1; }; \
	    $(measure_program)
	build/gpu/acesim-measure -o validate/data

bench: all deps-bench ## time and memory of the queue, of runs, language models and long programs, growth, into build/*.csv
	@$(call ninja,$(notdir $(BUILD)),$(BUILD)/acesim-bench)
	@sh tests/bench/bench.sh $(BUILD) build/bench.csv build/growth.csv \
	    build/language.csv build/load.csv

instructions: all deps-bench ## instructions of message hops and micro-batches, against the recorded counts
	@$(call ninja,$(notdir $(BUILD)),$(BUILD)/acesim-bench)
	@sh tests/bench/instructions.sh $(BUILD)

soak: all ## what holds of SOAK_N=2000 random systems, from seed SEED=1
	@$(call ninja,$(notdir $(BUILD)),$(BUILD)/acesim-soak)
	@$(BUILD)/acesim-soak $(SEED) $(SOAK_N)

near: all ## what holds of NEAR_N=5000 nearly valid configurations, from seed SEED=1
	@$(call ninja,$(notdir $(BUILD)),$(BUILD)/acesim-near)
	@ACESIM=$(CURDIR)/$(BUILD)/acesim SRCDIR=$(CURDIR) \
	    $(BUILD)/acesim-near $(SEED) $(NEAR_N)

mutants: deps-mutants ## break the code on purpose, and see a test fail; T=word takes some
	@bash tests/mutants/run.sh $(T)

race: deps-test build/race/build.ninja ## ThreadSanitizer, of runs by several threads
	@$(call ninja,race,build/race/tests/test_regions)
	@bash tests/run build/race test_regions

coverage: deps-coverage build/coverage/build.ninja ## which lines and branches the tests run, into build/coverage.html
	@$(call ninja,coverage,all build/coverage/acesim-soak build/coverage/acesim-near $(patsubst %,build/coverage/tests/%,$(C_TESTS) $(FUZZ_TESTS)))
	@sh tests/coverage.sh $(filter-out test_demo.sh test_determinism.sh test_docs.sh test_faults.sh,$(ALL_TESTS))

static: deps-static ## gcc -fanalyzer, clang-tidy and cppcheck; tests/static.txt has what is none
	@sh tests/static.sh

fuzz: deps-fuzz $(BUILD_FUZZ)/build.ninja ## fuzz each target for FUZZ_S=60 seconds by FUZZER=libfuzzer|afl; T=word takes some
	@$(call ninja,$(notdir $(BUILD_FUZZ)),$(FUZZ_TESTS:%=$(BUILD_FUZZ)/tests/%))
	@bash tests/run -f $(FUZZ_S) $(BUILD_FUZZ) $(FUZZ_TESTS)

corpus: deps-fuzz build/fuzz/build.ninja ## keep what fuzzing found and reaches new code in tests/fuzz/corpus
	@$(call ninja,fuzz,$(FUZZ_TESTS:%=build/fuzz/tests/%))
	@sh tests/fuzz/keep_new_inputs.sh $(FUZZ_TESTS)

SHARE       = $(DESTDIR)$(PREFIX)/share
LIB         = $(DESTDIR)$(PREFIX)/lib
LINK_NAME   = $(basename $(SONAME))
PC_LINES    = 'Name: acesim' 'Version: $(VERSION)' \
              'Description: what offloading collectives is worth, by simulation' \
              'Libs: -L$(PREFIX)/lib -lacesim' 'Cflags: -I$(PREFIX)/include'
# What the program says of itself, each as WHERE:COMMAND.
SELF_MADE   = man/man1/acesim.1:man \
              bash-completion/completions/acesim:completion,bash \
              zsh/site-functions/_acesim:completion,zsh \
              $(foreach k,run sweep sensitivity platform npu endpoint stack topology \
              workload layer exchange compression operation schedule shard model kernels kernel language training collectives calls perturb,acesim/schema/$k.schema.json:schema,$k)

# Under a folder, by the names they have here.
INSTALL_IN  = sh -c 'for f; do install -D -m 644 "$$f" "$$0/$$f" || exit; done'

library: $(BUILD)/build.ninja ## build/release/libacesim.so.0, for programs; docs/libacesim.md
	@$(call ninja,$(notdir $(BUILD)),$(BUILD)/$(SONAME))

install: all library ## into PREFIX=/usr/local (and DESTDIR=)
	@install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(BUILD)/acesim '$(DESTDIR)$(PREFIX)/bin/acesim'
	install -D -m 755 $(BUILD)/$(SONAME) '$(LIB)/$(SONAME)'
	@ln -sf $(SONAME) '$(LIB)/$(LINK_NAME)'
	@install -d '$(LIB)/python3/acesim' && \
	    install -m 644 $(PYTHON_DIR)/acesim/*.py '$(LIB)/python3/acesim'
	@install -D -m 644 $(LIBRARY_SRC:.c=.h) \
	    '$(DESTDIR)$(PREFIX)/include/acesim.h'
	@umask 022; mkdir -p '$(LIB)/pkgconfig' '$(SHARE)/man/man3' && \
	    printf '%s\n' $(PC_LINES) >'$(LIB)/pkgconfig/acesim.pc' && \
	    awk -v version=$(VERSION) -f $(dir $(LIBRARY_SRC))man.awk \
	    $(LIBRARY_SRC:.c=.h) >'$(SHARE)/man/man3/libacesim.3'
	@test -n '$(DESTDIR)' || \
	    sh $(dir $(LIBRARY_SRC))tell_loader.sh '$(LIB)/$(SONAME)'
	@find configs -type f -exec $(INSTALL_IN) '$(SHARE)/acesim' {} +
	@find README.md configs/README.md docs validate/README.md \
	    validate/SOURCES.md -type f \
	    -exec $(INSTALL_IN) '$(SHARE)/doc/acesim' {} +
	@umask 022; for made in $(SELF_MADE); do \
	    file='$(SHARE)'/$${made%:*}; mkdir -p "$${file%/*}" && \
	    $(BUILD)/acesim $$(echo "$${made#*:}" | tr , ' ') >"$$file" || \
	    exit; done

uninstall: ## what install put there
	rm -f '$(DESTDIR)$(PREFIX)/bin/acesim' \
	    '$(DESTDIR)$(PREFIX)/include/acesim.h' '$(LIB)/$(SONAME)' \
	    '$(LIB)/$(LINK_NAME)' '$(LIB)/pkgconfig/acesim.pc' \
	    '$(SHARE)/man/man3/libacesim.3'
	rm -f $(foreach m,$(SELF_MADE),'$(SHARE)/$(firstword $(subst :, ,$m))')
	rm -rf '$(LIB)/python3/acesim' '$(DESTDIR)$(PREFIX)/share/acesim' \
	    '$(DESTDIR)$(PREFIX)/share/doc/acesim'

clean: ## remove build/; results/ stays
	rm -rf build

help: ## this text
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' \
	    Makefile
	@echo '  MODE=debug|release|quick|demo, CC=clang, CFLAGS= and LDFLAGS= go with all of them'

# Tools and libraries that are missing are installed, where that can be done.
deps:
	@sh tests/setup.sh build
deps-plots:
	@sh tests/setup.sh plots
deps-test:
	@sh tests/setup.sh build plots test
deps-lint:
	@sh tests/setup.sh lint
deps-fuzz:
	@sh tests/setup.sh build fuzz $(filter afl,$(FUZZER))
deps-mutants:
	@sh tests/setup.sh build test mutants
deps-coverage:
	@sh tests/setup.sh build test coverage
deps-static:
	@sh tests/setup.sh build static
deps-bench:
	@sh tests/setup.sh build bench
