# The tables and diffs of the terminal: small C programs, so that none of them needs Python.

build/tools/diff: make/compare.c make/program.c make/compare.h make/program.h
build/tools/%: make/%.c make/tools.mk build/simt/compiler
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O1 -Wall -Wextra $(filter %.c,$^) -o $@.$$$$ && mv -f $@.$$$$ $@
