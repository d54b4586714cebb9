# make times: an exercise as a program of the lab: the open one, or one that is timed before and after.

OPEN := 19
BEFORE_AND_AFTER := 01 03
TIMED := $(or $(EXERCISE),$(OPEN))
IN_TIME := $(firstword $(foreach e,$(BEFORE_AND_AFTER) $(OPEN),$(if $(filter $(TIMED),$e $(e:0%=%)),$e)))
$(if $(filter times,$(GOALS)),$(if $(IN_TIME),,$(error times: EXERCISE=$(EXERCISE): want one of $(BEFORE_AND_AFTER) $(OPEN))))
HANDIN := $(or $(FILE),$(wildcard exercises/$(IN_TIME)-*/main.cu))
build/$(CONFIG)/handin: AS := yours
build/$(CONFIG)/handin: TIMED_FILE = $(or $(HANDIN),$(error times: no exercises/$(IN_TIME)-*/main.cu: make mark-$(IN_TIME) begins it, FILE=… names another))
build/$(CONFIG)/given: AS := given
build/$(CONFIG)/given: TIMED_FILE = $(wildcard exercises/$(IN_TIME)-*/given.cu)
# Another file, another program
build/$(CONFIG)/handin build/$(CONFIG)/given: FORCE $$(HARNESS_OBJECTS) $$(COMPILER_READY) $(RULES) $(COMPILERS)
	@[ -f $(call quoted,$(TIMED_FILE)) ] || { printf '%s\n' $(call quoted,make times: FILE=$(TIMED_FILE): want a file such as main.cu) >&2; exit 2; }
	$(call building,$(@F))
	$(Q)$(COMPILE_CU) $(DEFINES) -UBLOCK -DEXERCISE=$(IN_TIME:0%=%) -DWHOSE='"$(AS)"' -Iexercises -Icommon \
	    $(call quoted,$(TIMED_FILE)) exercises/timed.c $(HARNESS_OBJECTS) -o $@
