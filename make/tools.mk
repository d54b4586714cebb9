# The diffs of the terminal: a small C program, so that they need no Python.

build/tools/diff: make/compare.c make/program.c make/compare.h make/program.h
build/tools/%: make/%.c make/tools.mk build/simt/compiler
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O1 -Wall -Wextra $(filter %.c,$^) -o $@.$$$$ && mv -f $@.$$$$ $@
