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
BENCH_TYPES ?=
BENCH_SIZES ?=
BENCH_FOLDER = $(if $(PUBLISH),plots/data,build/bench)
DATA    ?= plots/data/h200.csv
V       ?=
Q       := $(if $(V),,@)
# nvcc takes seconds a file: a terminal shows what is being compiled, in a line that does not stay
show     = @[ ! -t 2 ] || printf '%-50s\r' '$(1)' >&2

# A step's program is step03, from steps/03-sequential-addressing; a detour's has its folder's name.
STEPS   := $(foreach s,$(notdir $(patsubst %/main.cu,%,$(sort $(wildcard steps/*/main.cu)))),step$(firstword $(subst -, ,$(s))))
DETOURS := $(notdir $(patsubst %/main.cu,%,$(sort $(wildcard detours/*/main.cu))))
PROGRAMS := $(STEPS) $(DETOURS)
source_of = $(firstword $(wildcard steps/$(1:step%=%)-*/main.cu detours/$(1)/main.cu))

# Goals that build no program need neither a compiler nor a decision for one.
NO_BUILD := help access clean format test check simt bench-simt diff-% plots plot-% table lab
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
include make/config.mk make/multi-gpu.mk
endif

.PHONY: all programs help run bench bench-multi-gpu bench-write-up-0 bench-float-order bench-trust bench-tuning bench-nsight plots table plots/data/counters.csv lab counters access sanitize bench-simt test check clean format simt $(PROGRAMS) FORCE
.DEFAULT_GOAL := all
.SECONDARY:
.SECONDEXPANSION:

##@ Build and run
## all | the eight steps (also: just make)
all: $(STEPS)

## programs | all of one configuration; says where they are
programs: $(foreach p,$(ABLE),$(call path_of,$p))
	@printf '%s\n' $^

## step00 to step07 | one step, as ./step00 and so on; each has --help
## single-pass, cub etc. | a detour, as ./single-pass and so on: see README.md
## multi-gpu | all GPUs of the machine, with NCCL where it is found
## multi-gpu-mpi | one MPI rank a GPU: mpirun -n 2 ./multi-gpu-mpi
$(PROGRAMS): %: $$(call path_of,$$*)
	$(Q)ln -sf $< $@

## run | runs the ladder and prints one table
run: $(STEPS:%=build/$(CONFIG)/%)
	$(Q)make/run.sh $^

##@ Measure (on a GPU)
# FILE and the command that prints it, behind comment lines of its origin; all of it or nothing
write = { { $(ORIGIN) && $(2); } >$(1).new && mv $(1).new $(1); } || { rm -f $(1).new; exit 1; }
ORIGIN = NVCC='$(NVCC)' bench/bench.sh --origin
BENCH = NVCC='$(NVCC)' BENCH_SIZES='$(BENCH_SIZES)' bench/bench.sh

## bench | every program over n = 2^10 … 2^30, into build/bench
bench:
	@bench/bench.sh --device >/dev/null
	$(Q)mkdir -p $(BENCH_FOLDER)
	@programs=$$($(foreach t,$(or $(BENCH_TYPES:%=TYPE=%),OP=sum),$(MAKE) -s BACKEND=cuda $t programs &&) true) && \
	$(BENCH) $(BENCH_FOLDER)/$$(bench/bench.sh --device).csv $$programs

## bench-multi-gpu | multi-gpu on all GPUs of the machine
bench-multi-gpu: BENCH_SIZES := $(or $(BENCH_SIZES),2^20 2^22 2^24 2^26 2^28 2^30 2^31)
bench-multi-gpu:
	@bench/bench.sh --device >/dev/null
	$(Q)mkdir -p $(BENCH_FOLDER)
	@$(MAKE) -s BACKEND=cuda multi-gpu && \
	$(BENCH) $(BENCH_FOLDER)/$$(nvidia-smi --list-gpus | wc -l)x-$$(bench/bench.sh --device).csv $$(readlink multi-gpu)

## bench-write-up-0 | its three kernels as it ran them, with its figures
bench-write-up-0: BENCH_SIZES := 2^24
bench-write-up-0:
	@bench/bench.sh --device >/dev/null
	$(Q)mkdir -p $(BENCH_FOLDER)
	@programs=$$($(MAKE) -s BACKEND=cuda BLOCK=512 programs | grep /global-) && \
	device=$$(bench/bench.sh --device) && \
	$(BENCH) $(BENCH_FOLDER)/write-up-0-$$device.csv $$programs && \
	$(call write,$(BENCH_FOLDER)/write-up-0-nsight-$$device.csv,bench/nsight.sh 2^24 $$programs)

## bench-float-order | how far sums of floats wander with the order
bench-float-order:
	@bench/bench.sh --device >/dev/null
	$(Q)mkdir -p $(BENCH_FOLDER)
	@float='$(MAKE) -s BACKEND=cuda TYPE=float' && \
	programs=$$($$float atomic-finish && readlink atomic-finish && for block in 32 64 128 256 512 1024; do \
	    $$float BLOCK=$$block deterministic-float && readlink deterministic-float; done) && \
	$(call write,$(BENCH_FOLDER)/float-order-$$(bench/bench.sh --device).csv,bench/float-order.sh $$programs)

## bench-trust | a hot cache, and many processes: do times hold
bench-trust:
	@bench/bench.sh --device >/dev/null
	$(Q)mkdir -p $(BENCH_FOLDER)
	@programs=$$($(MAKE) -s BACKEND=cuda programs) && \
	$(call write,$(BENCH_FOLDER)/trust-$$(bench/bench.sh --device).csv,\
	bench/trust.sh $$(for name in step07 single-pass cub; do printf '%s\n' $$programs | grep "/$$name$$"; done))

## bench-tuning | step 07 and single-pass with other constants
bench-tuning:
	@bench/bench.sh --device >/dev/null
	$(Q)mkdir -p $(BENCH_FOLDER)
	@$(call write,$(BENCH_FOLDER)/tuning-$$(bench/bench.sh --device).csv,\
	BENCH_SIZES='$(BENCH_SIZES)' bench/tuning.sh build/tuning '$(MAKE) -s BACKEND=cuda')

## bench-nsight | Nsight Compute's counters, to test ours against
bench-nsight:
	@bench/bench.sh --device >/dev/null && bench/nsight.sh --able
	$(Q)mkdir -p $(BENCH_FOLDER)
	@$(call write,$(BENCH_FOLDER)/nsight-$$(bench/bench.sh --device).csv,\
	bench/nsight-bench.sh '$(MAKE) -s BACKEND=cuda')

## profile-03 | Nsight Compute's counters of a program (at N=2^20)
profile-%:
	$(if $(filter multi-gpu%,$*),$(error $@: Nsight Compute runs a kernel several times, and NCCL's waits for those of other GPUs))
	$(if $(filter $(call profiled,$*),$(PROFILED)),,$(error $@: no step or detour '$*'; want one of $(PROFILED:step%=%)))
	@bench/nsight.sh --able
	@$(MAKE) -s BACKEND=cuda $(call profiled,$*) build/simt/nsight-table && bench/profile.sh $$(readlink $(call profiled,$*)) $(N)
profiled = $(or $(filter step$(1),$(STEPS)),$(1))
PROFILED := $(filter-out multi-gpu%,$(PROGRAMS))

##@ Draw what was measured (no GPU needed)
# What is drawn from other than the committed data never takes the place of the committed pictures.
PLOTS_FOLDER = $(if $(filter plots/data/h200.csv/int,$(DATA)/$(TYPE)),plots,build/plots)
draw = python=$$(make/python.sh $@ '$(PYTHON)' matplotlib) && \
    "$$python" -m plots.draw --target $@ --data '$(DATA)' --type '$(TYPE)'

## plots | every picture, into plots/; of DATA: into build/plots
plots:
	@$(draw) --out $(PLOTS_FOLDER)

## plot-02-03 | two programs only, into build/plots (also plot-07-cub)
plot-%:
	@$(draw) --out build/plots --pair $*

## table | rewrites the tables of README, NOTES, bench, detours
table:
	@$(PYTHON) -m plots.table

## plots/data/counters.csv | counts every program for both (CPU backend)
plots/data/counters.csv:
	@programs=$$($(MAKE) -s BACKEND=cpu programs) && make/count.sh $@ $$programs

##@ Look closer
## diff-02-03 | two programs side by side; ALL=1 unfolds equal lines
diff-%:
	@$(PYTHON) -m lab.diff $(if $(ALL),--all) $*

## lab | one HTML page to project: build/lab.html
LAB_PROGRAMS := $(STEPS:%=build/cpu-int-256-sum/%)
lab:
	@$(MAKE) -s BACKEND=cpu TYPE=int BLOCK=256 OP=sum $(LAB_PROGRAMS)
	@$(PYTHON) -m lab.page --data '$(DATA)' $(LAB_PROGRAMS)

## counters | what each step costs, side by side (CPU backend)
counters:
	@programs=$$($(MAKE) -s BACKEND=cpu programs) && make/counters.sh $$programs

## access | draws which thread touches which word, into plots/
access:
	@$(MAKE) -s BACKEND=cpu TYPE=int BLOCK=64 OP=sum $(STEPS:%=build/cpu-int-64-sum/%)
	@PYTHON='$(PYTHON)' make/access.sh plots $(STEPS:%=build/cpu-int-64-sum/%)

##@ Keep it right
## sanitize | the CPU backend's checks; on a GPU compute-sanitizer
sanitize:
	@$(call check_on,cpu)
	$(if $(filter cuda,$(BACKEND)),@$(call check_on,cuda))
check_on = programs=$$($(MAKE) -s BACKEND=$(1) programs) && make/sanitize.sh $(1) $$programs

## test, check | sets up what the tests need, then runs them
test check:
	@tests/run.sh $(PYTHON)

## simt | builds the CPU backend's library and tools
## bench-simt | what simulation costs: ns a thread, barrier, access
bench-simt: simt
	@simt/bench.sh

## format | clang-format over all C and CUDA files
format:
	clang-format -i common/*.[ch] common/*.cu simt/*/*.[ch] simt/*.cu steps/*/main.cu detours/*/main.cu detours/*/*.h

## clean | removes everything built
clean:
	$(Q)rm -rf build $(PROGRAMS)

##@ Variables (make VARIABLE=value …)
## BACKEND=auto,cuda,cpu | auto: cuda if nvcc and a GPU are here, else cpu
## TYPE=int,float,double | the elements
## BLOCK=256 | threads a block: 32 … 1024; any-block-size: 1 … 1024
## OP=sum,max,min,prod | the operator of any-operator
## ARCH=native | GPU architecture for nvcc, such as sm_90
## NVCC, CC, CXX, PYTHON | other programs than nvcc, cc, g++, python3
## NCCL_HOME, MPICXX | for multi-gpu: where NCCL is, another mpicxx
## BENCH_TYPES, _SIZES | narrow the bench: "int float", "2^20 2^24"
## BENCH_PROCESSES=3 | of how many the bench takes the median below 2^22
## PUBLISH=1 | bench writes into plots/data
## DATA=FILE | what plots and lab show: a file that bench wrote
## V=1 | shows the commands
help:
	@awk -F ' [|] ' '/^##@/ {print ""; print substr($$0, 5)} /^## / {printf "  %-23s %s\n", substr($$1, 4), $$2}' Makefile

# What is none of the targets; the folders are none either. (make -B asks for the files, too.)
.PHONY: steps detours common make tutorial tests
steps detours common make tutorial tests .DEFAULT:
	@[ -f $@ ] || { echo "make: there is no '$@' to make; make help lists what there is" >&2; exit 2; }

# ---- the CPU backend: a library and the launch rewriter, the same for every configuration ----

REWRITER := simt/compile/rewrite.c simt/compile/tokens.c
SIMT_C := $(wildcard simt/*.c simt/run/*.c simt/watch/*.c simt/judge/*.c)
SIMT_OBJECTS := $(patsubst simt/%,build/simt/%.o,$(SIMT_C) $(wildcard simt/run/*.S))
SIMT_HEADERS := $(wildcard simt/*/*.h)
SIMT_CFLAGS := -std=c11 -O3 -g -Wall -Wextra -fno-strict-aliasing -fno-pie -Isimt -Isimt/include

SIMT_TOOLS := build/simt/libsimt.a build/simt/simt-rewrite build/simt/guard_before.o build/simt/guard_after.o
simt: $(SIMT_TOOLS)

build/simt/libsimt.a: $(SIMT_OBJECTS)
	$(Q)rm -f $@ && ar rcs $@ $^

build/simt/%.c.o: simt/%.c $(SIMT_HEADERS) Makefile
	$(Q)mkdir -p $(@D) && $(CC) $(SIMT_CFLAGS) -c $< -o $@

build/simt/%.S.o: simt/%.S Makefile
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@

build/simt/guard_%.o: simt/compile/guard.c Makefile
	$(Q)mkdir -p $(@D) && $(CC) $(SIMT_CFLAGS) -DGUARD=simt_guard_$* -c $< -o $@

build/simt/simt-rewrite: $(REWRITER) simt/compile/tokens.h Makefile
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O2 -Wall -Wextra -Isimt $(REWRITER) -o $@

# Nsight Compute's counters as the backend's table
build/simt/nsight-table: bench/nsight-table.c build/simt/libsimt.a $(SIMT_HEADERS)
	$(Q)$(CC) $(SIMT_CFLAGS) -no-pie $< build/simt/libsimt.a -lm -o $@

# ---- the harness: plain C, once per configuration ----

HARNESS := backend check clock device input job lab options program_name reference report verdict
HARNESS_OBJECTS = $(HARNESS:%=build/$(CONFIG)/common/%.o) $(HARNESS_CUDA:%=build/$(CONFIG)/common/%.o)
DEFINES = -DTYPE=$(TYPE) -DBLOCK=$(BLOCK) -DOP=OP_$(OP)

build/$(CONFIG)/common/%.o: common/%.cu $(wildcard common/*.h) Makefile
	$(call show,compiling $< …)
	$(Q)mkdir -p $(@D) && $(COMPILE_CU) $(DEFINES) -Icommon -c $< -o $@

build/$(CONFIG)/common/%.o: common/%.c $(wildcard common/*.h) Makefile
	$(Q)mkdir -p $(@D) && $(CC) -std=c11 -O2 -g -fwrapv -Wall -Wextra $(DEFINES) $(CUDA_INCLUDE) -c $< -o $@

# ---- a program: one main.cu and the harness ----

$(PROGRAMS:%=build/$(CONFIG)/%): build/$(CONFIG)/%: $$(call source_of,$$*) $$(HARNESS_OBJECTS) $$(COMPILER_READY) $(wildcard common/*.h detours/*/*.h) Makefile
	$(call show,compiling $(@F) …)
	$(Q)$(COMPILE_CU) $(DEFINES) -Icommon $< $(HARNESS_OBJECTS) $(LIBRARIES) -o $@
	$(call show)

# a detour of another configuration, by a make of its own
$(foreach p,$(PROGRAMS),$(if $(OWN_$p),$(call path_of,$p))): FORCE
	$(Q)$(MAKE) -s BACKEND=$(BACKEND) ARCH=$(ARCH) $(OWN_$(@F)) $@
