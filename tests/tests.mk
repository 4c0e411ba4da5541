# Tests: unit (cmocka), screen (cmocka over a pty with libvterm), end to end (pytest over the built programs).

UNIT_TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*_test.c))
SCREEN_TESTS := $(patsubst tests/screen/%.c,$(BUILD)/tests/%,$(wildcard tests/screen/*_test.c))
SCREEN_HELP  := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard tests/screen/*.c)))
TEST_LIBS     = $(shell pkg-config --libs cmocka vterm) -lutil

# a test that lets memory run out stands between the library and realloc
$(BUILD)/tests/policy_test: TEST_LDFLAGS := -Wl,--wrap=realloc

$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(BUILD)/libcore.a $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(TEST_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS) $(LDLIBS) -lm

# The helpers are kept between tests.
$(BUILD)/tests/%: $(BUILD)/tests/screen/%.o $(SCREEN_HELP) $(BUILD)/libtui.a $(BUILD)/libcore.a $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS) $(TEST_LIBS) $(LDLIBS) -lm

# Fuzz targets over their varied seeds (tests/fuzz/seeds.c); the policy's has a test of its own.
SEED_TESTS := $(addprefix $(BUILD)/tests/,$(addsuffix _seeds_test,net protocol sanitize scope))
$(BUILD)/tests/%_seeds_test: $(BUILD)/tests/fuzz/%_fuzz.o $(BUILD)/tests/fuzz/seeds.o $(BUILD)/libcore.a $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(LDLIBS) -lm

.PHONY: unit-tests check-built check-long-built check-unit check-synsema check-screen check-e2e fuzz
unit-tests: $(UNIT_TESTS) $(SEED_TESTS)
check-unit: $(UNIT_TESTS) $(SEED_TESTS)
	@tests/run $(UNIT_TESTS) $(SEED_TESTS)
check-screen: all $(SCREEN_TESTS)
	@tests/run $(SCREEN_TESTS)
check-e2e: all
	@tests/e2e/run

check-synsema: $(LIBEXEC)/synsema
	@tests/synsema/run $(LIBEXEC)/synsema

check-built: check-unit check-synsema check-screen check-e2e check-escapes
	@tests/includes
	@echo "check: all tests passed"

check-long-built: all
	@tests/long
	@echo "check-long: all tests passed"

# Fuzz targets (libFuzzer): tests/fuzz/NAME_fuzz.c with seeds in tests/fuzz/seeds/NAME/.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_FLAGS := -std=c17 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer-no-link,address,undefined
FUZZ_OBJECTS := $(call objects,$(SANDBOX_LIB) $(CORE_SRC),fuzz-objects/)
$(BUILD)/fuzz-objects/%.o: %.c $(FLAGS_STAMP) | $(FILTERS)
	$(call say,FUZZ,$<)
	@mkdir -p $(@D)
	$(Q)clang $(BASE_CPPFLAGS) $(FUZZ_FLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/%: $(BUILD)/fuzz-objects/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIBS) -lm
fuzz: $(FUZZ_TARGETS)
	@for target in $^; do \
	    name=$$(basename $$target _fuzz); mkdir -p $(BUILD)/fuzz/corpus/$$name tests/fuzz/seeds/$$name; \
	    $$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -artifact_prefix=$(BUILD)/fuzz/ \
	        $(BUILD)/fuzz/corpus/$$name tests/fuzz/seeds/$$name >$(BUILD)/fuzz/$$name.log 2>&1 || \
	        { tail -40 $(BUILD)/fuzz/$$name.log; echo "fuzz: $$name failed"; exit 1; }; \
	    echo "fuzz: $$name: $$(grep -o 'Done.*' $(BUILD)/fuzz/$$name.log), nothing found"; \
	done

# Objects of tests are kept between builds.
.SECONDARY:

# The catalogue of attacks: static programs, and the one that runs them in cells.
ATTACK_FLAGS := -std=c17 -D_GNU_SOURCE $(WARNINGS) -O1 -g
ATTACKS := $(patsubst tests/escapes/programs/%.c,$(BUILD)/escapes/%,$(filter-out %/attack.c,$(wildcard tests/escapes/programs/*.c)))
$(BUILD)/escapes/%: tests/escapes/programs/%.c tests/escapes/programs/attack.c tests/escapes/programs/attack.h $(FLAGS_STAMP)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ATTACK_FLAGS) $(if $(CI),-Werror) -static -o $@ $< tests/escapes/programs/attack.c -lpthread
$(BUILD)/escapes/cell: $(BUILD)/tests/escapes/cell.o $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(LDLIBS)
.PHONY: attacks check-escapes
attacks: $(BUILD)/escapes/cell $(ATTACKS)
check-escapes: attacks
	@TECHO_ESCAPES=$(CURDIR)/$(BUILD)/escapes tests/escapes/run
