# The CPU backend: a library and the launch rewriter, the same for every configuration.

REWRITER := $(wildcard simt/compile/*.c)
# The first build is waited for. So a room is two texts: hot, the files that run at each access, branch, copy,
# barrier or atomic operation, and rest, which is not optimised. That takes half the time of file by file.
# No two files of a text may have a static name in common. (The compiler refuses one; of variables only
# with -Wredundant-decls.)
HOT := $(patsubst %,simt/run/%.c,array atomic block memory poll schedule symbols warp) \
    $(patsubst %,simt/watch/%.c,cost count due hooks merge other_calls warps) \
    $(patsubst %,simt/judge/%.c,barrier garbage judge last pointer race sync vector_clock words)
ROOMS := run watch judge
TEXTS := $(ROOMS:%=%/hot) $(ROOMS:%=%/rest)
$(foreach room,$(ROOMS),$(eval FILES_$(room)/hot := $(filter simt/$(room)/%,$(HOT)))\
    $(eval FILES_$(room)/rest := $(filter-out $(HOT),$(wildcard simt/$(room)/*.c))))
SIMT_OBJECTS := $(TEXTS:%=build/simt/%.o) $(patsubst simt/%,build/simt/%.o,simt/startup.c $(wildcard simt/run/*.S))
# The library is linked into programs only: its thread-local variables are an instruction away
SIMT_CFLAGS := -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Wno-missing-field-initializers -fno-strict-aliasing \
    -fno-pie -ftls-model=local-exec -Isimt -Ibuild/simt -Isimt/include

SIMT_TOOLS := build/simt/simt.o build/simt/simt-rewrite build/simt/guard_before.o build/simt/guard_after.o build/simt/include/made build/simt/cuda.h.gch

# In front of a command that writes a file: makes its folder where there is none
folder_of_it = $(if $(wildcard $(@D)),,mkdir -p $(@D) && )

# A file that another make in this folder may be using: it is there as a whole, or not at all
whole = $@.$$$$ && mv -f $@.$$$$ $@

# The first build is of many files: all processors take part, unless the user gives a -j. Not in
# front of a bench, whose measurements must not run side by side.
ifeq ($(MAKELEVEL)$(wildcard build/simt/simt.o)$(filter bench%,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),1)
endif

# What is being built: $(call building,WHAT); or, of many FILES, which of those that are missing:
# $(call counting,NAME,WHAT,FILES)
is_silent = $(findstring s,$(firstword -$(MAKEFLAGS)))
building = @simt/progress.sh 'compiling $(1)' $(or $(2),1 1) $(is_silent)
counting = $(if $(BEGUN_$(1)),,$(eval MISSING_$(1) := $(words $(filter-out $(wildcard $(3)),$(3)))))$(eval \
    BEGUN_$(1) += x)$(call building,$(2),$(words $(BEGUN_$(1))) $(MISSING_$(1)))
building_simt = $(call counting,simt,the CPU backend (once),$(SIMT_OBJECTS) build/simt/simt-rewrite build/simt/cuda.h.gch)

# Tables as C: each row of TABLE.csv is a ROW(…), which the file that includes TABLE.rows defines.
# Instead of the columns' names stands a #line, so that the compiler names the row of the CSV file that is wrong.
ROWS := $(patsubst %.csv,build/%.rows,$(wildcard $(ROOMS:%=simt/%/*.csv)))
build/simt/%.rows: simt/%.csv simt/simt.mk
	$(Q)$(folder_of_it)sed '1s|.*|#line 2 "$<"|;1!s/.*/ROW(&)/;$$a\#undef ROW' $< >$(whole)
$(SIMT_OBJECTS): $(ROWS)

# A file of one line: written where that is another than before, and else no shell looks at it
keep = mkdir -p $(@D) && printf '%s\n' $(call quoted,$(1)) >$@
same = $(and $(findstring <$(1)>,<$(2)>),$(findstring <$(2)>,<$(1)>))
unless_kept = $(if $(call same,$(file <$(1)),$(2)),,FORCE)

# A compiler that will not do is told before anything is compiled.
SPEAKS_C = $(findstring 201112L,$(shell echo __STDC_VERSION__ | $(CC) -std=c11 -E - 2>/dev/null))
NO_C = $(if $(SPEAKS_C),,CC=$(CC) is no C compiler; want one, such as CC=gcc)
NO_ROOM = $(if $(shell [ -w $(or $(wildcard build/simt),$(wildcard build),.) ] && echo yes),,build/ cannot be \
    written here: want a copy of this folder that is yours)
UNFIT = $(or $(NO_ROOM),$(NO_C),$(shell CXX=$(call quoted,$(CXX)) simt/simtcc --check-compiler 2>&1))
build/simt/compiler: $(call unless_kept,build/simt/compiler,$(CC)) | build/simt/cxx
	$(if $(NO_C),$(error $(NO_C)))
	@$(call keep,$(CC))

build/simt/cxx: $(call unless_kept,build/simt/cxx,$(CXX))
	$(if $(UNFIT),$(error $(UNFIT)))
	@$(call keep,$(CXX))

# Linked as one object: every program that is linked with it would take them apart. Its names are its own,
# as a program may have a variable `kinds`, but for those of the interfaces that it provides or replaces;
# test_report.py calls the last one.
KEPT := _* simt_* cuda* clock fmax* fmin* lr* llr* end_not_judged
build/simt/simt.o: $(SIMT_OBJECTS)
	$(Q)$(CC) -r -nostdlib $^ -o $@.$$$$.all && $$($(CC) -print-prog-name=objcopy) --wildcard \
	    $(KEPT:%=--keep-global-symbol='%') $@.$$$$.all $(whole) && rm $@.$$$$.all

# Which headers an object was compiled with the compiler writes beside it.
include $(wildcard build/simt/*.d build/simt/*/*.d)
# One that is gone since does not end make: what was made with it is made anew.
simt/%.c common/%.c: ;
build/simt/%.o: simt/% simt/simt.mk build/simt/compiler
	$(building_simt)
	$(Q)$(folder_of_it)$(CC) $(SIMT_CFLAGS) -MMD -MP -c $< -o $@

# Prints the text that includes these files.
as_one = printf '\#include "%s"\n' $(1) |

# -O3 makes the judge a little faster, an access by the host a third (make bench-simt), and run/ none
$(foreach text,$(TEXTS),$(eval build/simt/$(text).o: $(FILES_$(text))))
build/simt/%/hot.o: OPTIMISED := -O2
build/simt/judge/hot.o build/simt/watch/hot.o: OPTIMISED := -O3
$(TEXTS:%=build/simt/%.o): build/simt/%.o: simt/simt.mk build/simt/compiler
	$(building_simt)
	$(Q)$(folder_of_it)$(call as_one,$(FILES_$*)) $(CC) $(SIMT_CFLAGS) $(OPTIMISED) -Werror=redundant-decls -MMD -MP -x c -c - -o $@

# Linked in front of and behind the program's objects. In thread-local memory, which the linker lays out in
# that order, space around the __shared__ variables: an index a little out of bounds, which is reported, does
# no harm to the backend's own. In the code, marks around the program's. And what stands in front of the
# device's variables (sections.ld).
GUARD = void simt_text_$*(void) {} __thread char simt_guard_$*[64 * 1024] __attribute__((aligned(128))); \
    static __attribute__((section("simt_pad"), used)) char pad = 1;
build/simt/guard_%.o: simt/simt.mk build/simt/compiler
	$(Q)$(folder_of_it)echo '$(GUARD)' | $(CC) $(SIMT_CFLAGS) -O1 -x c -c - -o $@

build/simt/simt-rewrite: $(REWRITER) simt/compile/rewrite.h build/simt/compile/names.rows simt/simt.mk build/simt/compiler
	$(building_simt)
	$(Q)$(folder_of_it)$(call as_one,$(REWRITER)) $(CC) -std=c11 -D_GNU_SOURCE= -O1 -Wall -Wextra -Isimt -Ibuild/simt -x c - -o $(whole)
	@$@ --arithmetic

# Headers of CUDA's own folder: it is all in cuda_runtime.h, but the narrow types that mma.h brings, and
# constants. Source of these: CUDA 13.0.
IN_CUDA_RUNTIME := $(patsubst %,%.h,builtin_types cuda cuda_device_runtime_api cuda_profiler_api \
    device_atomic_functions device_functions device_launch_parameters device_types driver_functions \
    driver_types host_defines math_functions sm_20_atomic_functions sm_30_intrinsics \
    sm_32_atomic_functions sm_32_intrinsics sm_60_atomic_functions sm_61_intrinsics vector_functions \
    vector_types) vector_functions.hpp
build/simt/include/made: simt/include/constants.csv simt/simt.mk
	$(Q)$(folder_of_it)awk -F, 'NR > 1 {print "#define", $$2, $$3 >("$(@D)/" $$1)}' $<
	$(Q)cd $(@D) && printf '#include <cuda_%s.h>\n' fp16 bf16 >mma.h && \
	    echo '#include <cuda_runtime.h>' | tee $(IN_CUDA_RUNTIME) >made

# What stands in front of every program, parsed once. simtcc does without where it cannot be had, and
# for programs with the C++ library's special functions (std::beta): these are templates, of which g++
# would make instances in each program, half of its time.
build/simt/cuda.h.gch: simt/simtcc $(wildcard simt/include/*.h) build/simt/include/made simt/compile/cuda_names.csv simt/simt.mk build/simt/cxx
	$(building_simt)
	$(Q)printf '#%s\n' 'include <cstddef>' 'undef _GLIBCXX_USE_STD_SPEC_FUNCS' \
	    'include <cuda_runtime.h>' >build/simt/cuda.h
	$(Q)simt/simtcc --precompile $@ 2>/dev/null || rm -f $@
