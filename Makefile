# Parallel reduction, step by step. `make help` lists the targets.
#
# Everything built lies in build/CONFIG/, one folder per configuration, so that two of them never
# share an object. ./step03 at the root is a link to the program of the configuration asked for last.

# ---- variables ----

BACKEND ?= auto
TYPE    ?= int
BLOCK   ?= 256
OP      ?= sum
ARCH    ?= native
NVCC    ?= nvcc
PYTHON  ?= python3
BENCH_TYPES ?= int
BENCH_SIZES ?=
BENCH_FOLDER = $(if $(PUBLISH),plots/data,build/bench)
V       ?=
Q       := $(if $(V),,@)

# A step's program is step03, from steps/03-sequential-addressing; a detour's has its folder's name.
STEPS   := $(foreach s,$(notdir $(patsubst %/main.cu,%,$(sort $(wildcard steps/*/main.cu)))),step$(firstword $(subst -, ,$(s))))
DETOURS := $(notdir $(patsubst %/main.cu,%,$(sort $(wildcard detours/*/main.cu))))
source_of = $(firstword $(wildcard steps/$(1:step%=%)-*/main.cu detours/$(1)/main.cu))

# Goals that build no program need neither a compiler nor a decision for one.
NO_BUILD := help clean format test check simt bench-simt diff-% lab
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
include common/make/config.mk
endif

CPU_CONFIG := cpu-$(TYPE)-$(BLOCK)-$(OP)

.PHONY: all programs help run bench counters lab sanitize bench-simt test check clean format simt $(STEPS) $(DETOURS)
.DEFAULT_GOAL := all

##@ Build and run
## all | the eight steps (also: just make)
all: $(STEPS)

# every program of this configuration, without links to them
programs: $(patsubst %,build/$(CONFIG)/%,$(STEPS) $(DETOURS))

## step00 to step07 | one step, as ./step00 and so on; each has --help
## cub | NVIDIA's library on the same harness, as ./cub (GPU)
$(STEPS) $(DETOURS): %: build/$(CONFIG)/%
	$(Q)ln -sf build/$(CONFIG)/$@ $@

## run | runs the ladder and prints one table
run: $(STEPS:%=build/$(CONFIG)/%)
	$(Q)common/make/run.sh $^

##@ Measure (on a GPU)
## bench | every program over n = 2^10 … 2^30 into build/bench; PUBLISH=1: into plots/data
bench:
	@common/make/bench.sh --device >/dev/null
	$(Q)$(foreach t,$(BENCH_TYPES),$(MAKE) -s BACKEND=cuda TYPE=$t BLOCK=$(BLOCK) programs &&) true
	$(Q)mkdir -p $(BENCH_FOLDER)
	@NVCC='$(NVCC)' BENCH_SIZES='$(BENCH_SIZES)' common/make/bench.sh $(BENCH_FOLDER)/$$(common/make/bench.sh --device).csv \
	    $(foreach t,$(BENCH_TYPES),$(foreach p,$(STEPS) $(DETOURS),build/cuda-$(ARCH)-$t-$(BLOCK)-$(OP)/$p))

## profile-03 | Nsight Compute's counters of a step, as the same table as --counters (N=2^20)
profile-%:
	$(if $(filter cuda,$(BACKEND)),@$(MAKE) -s build/$(CONFIG)/step$*)
	@common/make/profile.sh build/$(CONFIG)/step$* $(N)

##@ Look closer
## diff-02-03 | two steps or detours side by side; ALL=1 unfolds what is the same
diff-%:
	@$(PYTHON) lab/diff.py $(if $(ALL),--all) $*

## lab | one HTML page to project, build/lab.html: steps, diffs, counters, plots
LAB_PROGRAMS := $(STEPS:%=build/cpu-int-256-sum/%)
lab:
	@$(MAKE) -s BACKEND=cpu TYPE=int BLOCK=256 OP=sum $(LAB_PROGRAMS)
	@$(PYTHON) lab/page.py $(if $(DATA),--data '$(DATA)') $(LAB_PROGRAMS)

## counters | what each step costs, side by side (on the CPU backend)
counters:
	@$(MAKE) -s BACKEND=cpu $(STEPS:%=build/$(CPU_CONFIG)/%)
	@common/make/counters.sh $(STEPS:%=build/$(CPU_CONFIG)/%)

##@ Keep it right
## sanitize | the CPU backend's checks over all programs; on a GPU compute-sanitizer, too
sanitize: $(STEPS:%=build/$(CONFIG)/%)
	@$(MAKE) -s BACKEND=cpu $(STEPS:%=build/$(CPU_CONFIG)/%)
	@common/make/sanitize.sh cpu $(STEPS:%=build/$(CPU_CONFIG)/%)
	@$(if $(filter cuda,$(BACKEND)),common/make/sanitize.sh cuda $^)

## test, check | sets up what the tests need, then runs them
test check:
	@tests/run.sh $(PYTHON)

## bench-simt | what simulation costs on this machine: ns a thread, barrier, access
bench-simt: simt
	@common/simt/bench.sh

## format | clang-format over all C and CUDA files
format:
	clang-format -i common/*.[ch] common/*.cu common/simt/*.[ch] common/simt/*.cu common/simt/include/*.h steps/*/main.cu detours/*/main.cu

## clean | removes everything built
clean:
	rm -rf build $(STEPS) $(DETOURS)

##@ Variables (make VARIABLE=value …)
## BACKEND=auto,cuda,cpu | where it runs; auto: cuda if nvcc and a GPU are here, else cpu
## TYPE=int,float,double | the elements
## BLOCK=256 | threads a block: a power of two from 32 to 1024
## ARCH=native | GPU architecture for nvcc, such as sm_90
## NVCC, CC, CXX, PYTHON | other programs than nvcc, cc, g++, python3
## BENCH_TYPES, BENCH_SIZES | narrow the bench: "int float", "2^20 2^24"
## DATA=FILE | lab: measured by your make bench, instead of plots/data/h200.csv
## V=1 | shows the commands
help:
	@awk -F ' [|] ' '/^##@/ {print ""; print substr($$0, 5)} /^## / {printf "  %-22s %s\n", substr($$1, 4), $$2}' Makefile

# ---- the CPU backend: a library and the launch rewriter, the same for every configuration ----

SIMT_C := $(filter-out %/rewrite.c %/guard.c,$(wildcard common/simt/*.c))
SIMT_OBJECTS := $(patsubst common/simt/%,build/simt/%.o,$(SIMT_C) $(wildcard common/simt/*.S))
SIMT_HEADERS := $(wildcard common/simt/*.h common/simt/include/*.h)
SIMT_CFLAGS := -std=c11 -O2 -g -Wall -Wextra -fno-strict-aliasing -fno-pie -Icommon/simt/include

SIMT_TOOLS := build/simt/libsimt.a build/simt/simt-rewrite build/simt/guard_before.o build/simt/guard_after.o
simt: $(SIMT_TOOLS)

build/simt/libsimt.a: $(SIMT_OBJECTS)
	$(Q)rm -f $@ && ar rcs $@ $^

build/simt/%.c.o: common/simt/%.c $(SIMT_HEADERS) Makefile
	$(Q)mkdir -p $(@D) && $(CC) $(SIMT_CFLAGS) -c $< -o $@

build/simt/%.S.o: common/simt/%.S Makefile
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@

build/simt/guard_%.o: common/simt/guard.c Makefile
	$(Q)mkdir -p $(@D) && $(CC) $(SIMT_CFLAGS) -DGUARD=simt_guard_$* -c $< -o $@

build/simt/simt-rewrite: common/simt/rewrite.c Makefile
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O2 -Wall -Wextra $< -o $@

# ---- the harness: plain C, once per configuration ----

HARNESS := device input lab options reference report verdict
HARNESS_OBJECTS = $(HARNESS:%=build/$(CONFIG)/common/%.o) $(HARNESS_CUDA:%=build/$(CONFIG)/common/%.o)
DEFINES = -DTYPE=$(TYPE) -DBLOCK=$(BLOCK)

build/$(CONFIG)/common/%.o: common/%.cu $(wildcard common/*.h) Makefile
	$(Q)mkdir -p $(@D) && $(COMPILE_CU) $(DEFINES) -Icommon -c $< -o $@

build/$(CONFIG)/common/%.o: common/%.c $(wildcard common/*.h) Makefile
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O2 -g -fwrapv -Wall -Wextra $(DEFINES) $(CUDA_INCLUDE) -c $< -o $@

# ---- a program: one main.cu and the harness ----

.SECONDARY:
.SECONDEXPANSION:
$(patsubst %,build/$(CONFIG)/%,$(STEPS) $(DETOURS)): build/$(CONFIG)/%: $$(call source_of,$$*) $$(HARNESS_OBJECTS) $$(COMPILER_READY) $(wildcard common/*.h) Makefile
	$(Q)$(COMPILE_CU) $(DEFINES) -Icommon $< $(HARNESS_OBJECTS) -o $@
