# techo: build, set-up, checks, installation. `make help` lists the targets.

MODE    ?= release
BUILD   ?= build/$(MODE)
PREFIX  ?= /usr/local
DESTDIR ?=
PYTHON  ?= /usr/bin/python3
ifeq ($(origin CC),default)
CC      := gcc
endif
VERSION := $(shell cat VERSION)

# release programs stand where people look for them; other modes keep theirs apart
ifeq ($(MODE),release)
OUT := .
else
OUT := $(BUILD)
endif
BIN     := $(OUT)/bin
LIBEXEC := $(OUT)/libexec/techo

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wpointer-arith \
            -Wwrite-strings -Wundef -Wvla
BASE_CFLAGS := -std=c17 -D_GNU_SOURCE $(WARNINGS) -fstack-protector-strong -fno-common
BASE_CPPFLAGS := -DTECHO_VERSION='"$(VERSION)"' -I$(BUILD)/generated
BASE_LDFLAGS := -Wl,-z,relro,-z,now

ifeq ($(MODE),release)
BASE_CFLAGS += -O2 -g -D_FORTIFY_SOURCE=2
else ifeq ($(MODE),debug)
BASE_CFLAGS += -O0 -g3
else ifeq ($(MODE),asan)
BASE_CFLAGS += -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
BASE_LDFLAGS += -fsanitize=address,undefined
else
$(error MODE is release, debug or asan)
endif
ifdef CI
BASE_CFLAGS += -Werror
endif

# The static program runs inside cells, where AddressSanitizer's shadow cannot be: undefined behaviour traps there.
STATIC_CFLAGS := $(BASE_CFLAGS)
STATIC_LDFLAGS := $(BASE_LDFLAGS)
ifeq ($(MODE),asan)
STATIC_CFLAGS := $(filter-out -fsanitize=% -fno-sanitize-recover=%,$(BASE_CFLAGS)) -fsanitize=undefined -fsanitize-undefined-trap-on-error
STATIC_LDFLAGS := $(filter-out -fsanitize=%,$(BASE_LDFLAGS))
endif

PACKAGES := libcjson libutf8proc libmd
TUI_PACKAGES := ncursesw readline
# Deferred (=), so that a machine where the set-up has still to run can read this file.
LIB_CFLAGS = $(shell pkg-config --cflags $(PACKAGES) $(TUI_PACKAGES))
LIBS       = $(shell pkg-config --libs $(PACKAGES))
TUI_LIBS   = $(shell pkg-config --libs $(TUI_PACKAGES))

# sandbox/: generate_*.c are build tools, *_main.c are programs, the rest is the library
SANDBOX_LIB  := $(filter-out sandbox/generate_% sandbox/main.c sandbox/resolve_main.c,$(wildcard sandbox/*.c))
SANDBOX_MAIN := $(wildcard sandbox/main.c)
CORE_SRC := $(wildcard core/*.c core/model/*.c core/runner/*.c core/inspect/*.c)
TUI_SRC  := $(wildcard tui/*.c)
CLI_SRC  := $(wildcard cli/*.c)
SYNSEMA_SRC := $(filter-out synsema/main.c,$(wildcard synsema/*.c))
SYNSEMA_LIBS := -lgmp -lpcre2-8 -lm

objects = $(patsubst %.c,$(BUILD)/$(2)%.o,$(1))
STATIC_OBJ := $(call objects,$(SANDBOX_LIB) $(SANDBOX_MAIN),static/)
SANDBOX_OBJ := $(call objects,$(SANDBOX_LIB),)
CORE_OBJ := $(call objects,$(CORE_SRC),)
TUI_OBJ  := $(call objects,$(TUI_SRC),)
CLI_OBJ  := $(call objects,$(CLI_SRC),)
SYNSEMA_OBJ := $(call objects,$(SYNSEMA_SRC),)

ifndef V
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)'
endif

.PHONY: all
all: $(BIN)/techo $(LIBEXEC)/app $(LIBEXEC)/resolve $(LIBEXEC)/sql $(LIBEXEC)/synsema runners

# ---- objects -----------------------------------------------------------------------------------------------------

FLAGS_STAMP := $(BUILD)/flags
FLAGS_TEXT = $(CC) $(BASE_CPPFLAGS) $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(BASE_LDFLAGS) $(LDFLAGS) $(LDLIBS)
.PHONY: force
$(FLAGS_STAMP): force
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' > $@

FILTERS := $(BUILD)/generated/filter_programs.h

$(BUILD)/static/%.o: %.c $(FLAGS_STAMP) | $(FILTERS)
	$(call say,CC,$< (static))
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(STATIC_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c $(FLAGS_STAMP) | $(FILTERS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(BASE_CFLAGS) -fPIE $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libsandbox.a: $(SANDBOX_OBJ)
$(BUILD)/libcore.a: $(CORE_OBJ)
$(BUILD)/libtui.a: $(TUI_OBJ)
$(BUILD)/libsynsema.a: $(SYNSEMA_OBJ)
$(BUILD)/libcli.a: $(filter-out %/cli/main.o,$(CLI_OBJ))
$(BUILD)/%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The seccomp programs, made once by libseccomp, so that bin/techo needs nothing but libc.
$(BUILD)/generate_filter: sandbox/generate_filter.c $(wildcard sandbox/*.h) $(FLAGS_STAMP)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CPPFLAGS) -std=c17 -D_GNU_SOURCE -O1 -g $(WARNINGS) -o $@ $< -lseccomp
$(FILTERS): $(BUILD)/generate_filter
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/generate_filter > $@.new && mv $@.new $@

# ---- programs ----------------------------------------------------------------------------------------------------

$(BIN)/techo: $(STATIC_OBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static $(STATIC_LDFLAGS) $(LDFLAGS) -o $@.new $^ $(LDLIBS) && mv $@.new $@

$(LIBEXEC)/app: $(BUILD)/cli/main.o $(BUILD)/libcli.a $(BUILD)/libtui.a $(BUILD)/libcore.a $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@.new $^ $(LIBS) $(TUI_LIBS) $(LDLIBS) -lm && mv $@.new $@

$(LIBEXEC)/resolve: $(BUILD)/sandbox/resolve_main.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@.new $^ $(LDLIBS) && mv $@.new $@

# Runs SQL inside a cell; it finds DuckDB when it starts.
SQL_OBJ := $(call objects,$(wildcard core/runner/sql/*.c),)
$(LIBEXEC)/sql: $(SQL_OBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@.new $^ $(LDLIBS) && mv $@.new $@

$(LIBEXEC)/synsema: $(BUILD)/synsema/main.o $(BUILD)/libsynsema.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@.new $^ $(SYNSEMA_LIBS) $(LDLIBS) && mv $@.new $@

# The parts of runners that run inside a cell and are not C.
RUNNER_FILES := $(wildcard core/runner/*.py core/inspect/*.py)
.PHONY: runners
runners: $(addprefix $(LIBEXEC)/,$(notdir $(RUNNER_FILES)))
$(LIBEXEC)/%.py: core/runner/%.py
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(LIBEXEC)/%.py: core/inspect/%.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

# ---- set-up, demo, checks ----------------------------------------------------------------------------------------

.PHONY: setup demo check check-long bench
# All processors build, unless -j says how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
setup:
	@setup/install

demo: setup
	@$(MAKE) --no-print-directory $(JOBS) all
	@setup/demo

check: setup
	@$(MAKE) --no-print-directory $(JOBS) all
	@$(MAKE) --no-print-directory check-built

check-long: setup
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory check-long-built

bench: setup
	@$(MAKE) --no-print-directory all
	@bench/launch

include tests/tests.mk
include tests/synsema/synsema.mk

# ---- installation ------------------------------------------------------------------------------------------------

SHARE := $(DESTDIR)$(PREFIX)/share/techo
.PHONY: install uninstall
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/techo $(SHARE) $(DESTDIR)$(PREFIX)/lib/techo
	install -m 755 $(BIN)/techo $(DESTDIR)$(PREFIX)/bin/techo
	install -m 755 $(LIBEXEC)/app $(LIBEXEC)/resolve $(LIBEXEC)/sql $(LIBEXEC)/synsema $(DESTDIR)$(PREFIX)/libexec/techo/
	install -m 644 $(LIBEXEC)/*.py $(DESTDIR)$(PREFIX)/libexec/techo/
	cp -R cases sessions themes $(SHARE)/
	@if [ -d .venv ]; then echo "copying the Python environment, $$(du -shL .venv | cut -f1): this takes its time"; fi
	if [ -d .venv ]; then rm -rf $(DESTDIR)$(PREFIX)/lib/techo/venv && cp -R --preserve=timestamps,links .venv $(DESTDIR)$(PREFIX)/lib/techo/venv; fi
	if [ -f .deps/libduckdb.so ]; then install -m 644 .deps/libduckdb.so $(DESTDIR)$(PREFIX)/lib/techo/; fi
	@echo "techo $(VERSION) is installed: $(DESTDIR)$(PREFIX)/bin/techo"

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/techo
	rm -rf $(DESTDIR)$(PREFIX)/libexec/techo $(SHARE) $(DESTDIR)$(PREFIX)/lib/techo
	@echo "techo is uninstalled from $(DESTDIR)$(PREFIX)"

# ---- other -------------------------------------------------------------------------------------------------------

.PHONY: compile_commands.json
compile_commands.json:
	$(Q)$(MAKE) -Bn all V=1 BUILD=$(BUILD) | $(PYTHON) setup/compile_commands.py > $@.new && mv $@.new $@
	@echo "compile_commands.json is written"

.PHONY: clean
clean:
	rm -rf build bin libexec compile_commands.json

.PHONY: help
help:
	@echo "make                 build bin/techo and libexec/techo (MODE=release|debug|asan, V=1, CI=1 for -Werror)"
	@echo "make demo            set up, build, answer the ten questions with recorded answers"
	@echo "make check           set up, build, run the tests that fit in 15 minutes"
	@echo "make check-long      the tests that do not"
	@echo "make bench           what the start of a command costs: bare, bwrap and techo side by side"
	@echo "make setup           only install what is missing"
	@echo "make install         into PREFIX=$(PREFIX), below DESTDIR="
	@echo "make uninstall       the reverse"
	@echo "make compile_commands.json, make clean, make help"

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
