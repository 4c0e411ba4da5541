# Tests: unit (cmocka), screen (cmocka over a pty with libvterm), end to end (pytest over the built programs).

UNIT_TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*_test.c))
SCREEN_TESTS := $(patsubst tests/screen/%.c,$(BUILD)/tests/%,$(wildcard tests/screen/*_test.c))
SCREEN_HELP  := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard tests/screen/*.c)))
TEST_LIBS     = $(shell pkg-config --libs cmocka vterm) -lutil

$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(BUILD)/libcore.a $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS) $(LDLIBS) -lm

$(BUILD)/tests/%: $(BUILD)/tests/screen/%.o $(SCREEN_HELP) $(BUILD)/libtui.a $(BUILD)/libcore.a $(BUILD)/libsandbox.a
	$(call say,LD,$@)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(TUI_LIBS) $(TEST_LIBS) $(LDLIBS) -lm

.PHONY: check-built check-long-built check-unit check-screen check-e2e
check-unit: $(UNIT_TESTS)
	@tests/run $(UNIT_TESTS)
check-screen: all $(SCREEN_TESTS)
	@tests/run $(SCREEN_TESTS)
check-e2e: all
	@tests/e2e/run

check-built: check-unit check-screen check-e2e
	@tests/includes
	@echo "check: all tests passed"

check-long-built: all
	@tests/long
	@echo "check-long: all tests passed"
