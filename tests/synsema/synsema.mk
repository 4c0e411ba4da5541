# Tests of Synsema beside its triples: memory that runs out, and the fuzz target.

$(BUILD)/tests/allocation_test: $(BUILD)/tests/synsema/allocation_test.o $(BUILD)/libsynsema.a
	$(call say,LD,$@)
	$(Q)$(CC) -pie $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(SYNSEMA_LIBS) $(LDLIBS)

.PHONY: check-synsema-memory
check-synsema-memory: $(BUILD)/tests/allocation_test
	@$(BUILD)/tests/allocation_test tests/synsema/allocation/*.syn
check-synsema: check-synsema-memory

$(BUILD)/fuzz/synsema_fuzz: tests/fuzz/synsema_fuzz.c $(SYNSEMA_SRC) $(FLAGS_STAMP)
	$(call say,FUZZ,$@)
	@mkdir -p $(@D)
	$(Q)clang $(BASE_CPPFLAGS) -std=c17 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined \
	    -o $@ $< $(SYNSEMA_SRC) $(SYNSEMA_LIBS)
