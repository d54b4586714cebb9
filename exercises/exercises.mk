# Exercises: the marker, the harness that is linked with a student's program, and what each exercise
# asks for, for each type. All for the CPU backend, which marks.

EXERCISES := $(patsubst exercises/%/exercise.c,%,$(sort $(wildcard exercises/*/exercise.c)))
# One goes by its number, 04 or 4, and by its folder's name
NAMES := $(foreach e,$(EXERCISES),$(foreach n,$(firstword $(subst -, ,$e)),$n $(n:0%=%) $e))
TASK_HEADERS := $(wildcard exercises/*.h) common/check.h common/elem.h
MARKER_C := $(wildcard exercises/marker/*.c)
MARKED_BY := $(TASK_HEADERS) exercises/exercises.mk build/simt/compiler
LOADED := $(foreach e,$(EXERCISES),$(foreach t,int float double,build/exercises/$e/exercise-$t.so))
MARKER := build/exercises/mark build/task/task.o build/task/check.o $(LOADED)

build/exercises/mark: $(MARKER_C) $(wildcard exercises/marker/*.h) $(MARKED_BY)
	$(building_marker)
	$(Q)mkdir -p $(@D) build/marks && $(CC) -std=c11 -O1 -Wall -Wextra -Isimt -Icommon -Isimt/include $(MARKER_C) -rdynamic -ldl -lm -o $@

# … and what else is built once for all of them
building_marker = $(call counting,marker,the marker of exercises (once),$(MARKER))

build/task/%.o: $$(wildcard exercises/$$*.c common/$$*.c) $(MARKED_BY)
	$(building_marker)
	$(Q)$(folder_of_it)$(CC) -std=c11 -O2 -g -Wall -Wextra -Icommon -Isimt/include -c $< -o $@

$(LOADED): build/exercises/%.so: exercises/$$(*D)/exercise.c $(MARKED_BY)
	$(building_marker)
	$(Q)$(folder_of_it)$(CC) -std=c11 -O1 -fwrapv -Wall -Wextra -Werror=implicit -fPIC -shared \
	    -DTYPE=$(patsubst exercise-%,%,$(*F)) -Iexercises -Icommon $< -lm -o $@
