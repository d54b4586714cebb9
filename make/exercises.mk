# Exercises: the marker, the harness that is linked with a student's program, and each exercise's
# reference for each type. All for the CPU backend, which marks.

EXERCISES := $(patsubst exercises/%/task.txt,%,$(sort $(wildcard exercises/*/task.txt)))
# One goes by its number, 04 or 4, and by its folder's name
number = $(firstword $(subst -, ,$(1)))
NAMES := $(sort $(foreach e,$(EXERCISES),$(call number,$e) $(patsubst 0%,%,$(call number,$e)) $e))
TASK_HEADERS := $(wildcard exercises/*.h) common/check.h common/elem.h
MARKER_C := $(wildcard exercises/marker/*.c) simt/judge/json_string.c
REFERENCES := $(foreach e,$(EXERCISES),$(foreach t,int float double,build/exercises/$e/reference-$t.so))
MARKER := build/exercises/mark build/task/task.o build/task/check.o $(REFERENCES)

build/exercises/mark: $(MARKER_C) $(wildcard exercises/marker/*.h) $(TASK_HEADERS) make/exercises.mk build/simt/compiler
	$(call building_once,marker,the marker of exercises)
	$(Q)mkdir -p $(@D) build/marks && $(CC) -std=c11 -O1 -Wall -Wextra -Isimt -Icommon -Isimt/include $(MARKER_C) -ldl -lm -o $@

build/task/%.o: exercises/%.c $(TASK_HEADERS) make/exercises.mk build/simt/compiler
	$(Q)$(folder_of_it)$(CC) -std=c11 -O2 -g -Wall -Wextra -Icommon -Isimt/include -c $< -o $@

build/task/%.o: common/%.c $(TASK_HEADERS) make/exercises.mk build/simt/compiler
	$(Q)$(folder_of_it)$(CC) -std=c11 -O2 -g -Wall -Wextra -Icommon -Isimt/include -c $< -o $@

$(REFERENCES): build/exercises/%.so: exercises/$$(*D)/reference.c $(TASK_HEADERS) make/exercises.mk build/simt/compiler
	$(Q)$(folder_of_it)$(CC) -std=c11 -O1 -fwrapv -Wall -Wextra -fPIC -shared \
	    -DTYPE=$(patsubst reference-%,%,$(*F)) -Iexercises -Icommon $< -o $@
