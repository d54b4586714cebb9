# The diffs of the terminal: a small C program, so that they need no Python.

build/tools/diff: make/compare.c make/compare.h
build/tools/%: make/%.c make/tools.mk build/simt/compiler
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O1 -Wall -Wextra $(filter %.c,$^) -o $@.$$$$ && mv -f $@.$$$$ $@
