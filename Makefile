# Parallel reduction, step by step. `make help` lists the targets, and this file is their table of
# contents: make/names.mk knows the programs, make/config.mk decides what is built, make/build.mk and
# simt/simt.mk say how, and what takes more than a few lines is a script in make/.
#
# Everything built lies in build/CONFIG/, one folder per configuration, so that two of them never
# share an object. ./step03 at the root is a link to the program of the configuration asked for last.

BACKEND ?= auto
TYPE    ?= int
BLOCK   ?= 256
OP      ?= sum
ARCH    ?= native
NVCC    ?= nvcc
PYTHON  ?= python3
DATA    ?= plots/data/h200.csv
V       ?=
# These only as typed behind make: a shell may have a NAME for other reasons
NAME    :=
FROM    := 01
STEPS   :=
SUITES  :=

include make/typed.mk make/names.mk simt/simt.mk exercises/exercises.mk
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
include make/config.mk make/build.mk exercises/times.mk
endif
.DEFAULT_GOAL := all
# The next make would take what a failed recipe has left of its target for finished.
.DELETE_ON_ERROR:
# make -j clean step03: one after the other
ifneq ($(and $(filter clean,$(MAKECMDGOALS)),$(filter-out clean,$(MAKECMDGOALS))),)
.NOTPARALLEL:
endif

# In front of a target: ## what it does, for make help, and for make/names.mk, which knows the targets
# by these lines; ##- if it builds no program, and needs neither a compiler nor a decision for one.

##@ Build and run
## all | all steps (also: just make)
all: $(LADDER)

## programs | all programs of one configuration; prints their paths
programs: $(if $(filter programs,$(GOALS)),$(foreach p,$(CHOSEN),$(call path_of,$p)))
	@printf '%s\n' $^

## step00 to LAST | one step, as ./step00 and so on; each has --help
## single-pass, cub etc. | a detour, as ./single-pass and so on: see README.md
## multi-gpu | all GPUs of the machine, with NCCL where it is found
## multi-gpu-peer | likewise, without NCCL
## multi-gpu-mpi | one MPI rank per GPU: mpirun -n 2 ./multi-gpu-mpi
$(PROGRAMS): %: $$(call path_of,$$*)
	@[ -L $@ ] || [ ! -e $@ ] || { echo 'make: ./$@ is in the way of a link: want it elsewhere' >&2; exit 2; }
	$(Q)ln -sf $< $@

##- new | own/fast/main.cu with NAME=fast; FROM=03 copies 03
new:
	$(if $(copied),,$(error new: FROM=$(FROM): want one of $(COPIED:step%=%)))
	@make/new.sh $(call quoted,$(NAME)) $(call quoted,$(filter $(TAKEN) $(YOURS),$(NAME))) $(call source_of,$(copied))

##- toolkit | nvcc without root, into build/cuda (350 MB), for a GPU
toolkit:
	@make/toolkit.sh $(call quoted,$(PYTHON))

## run | runs the ladder and prints one table
run: $(LADDER:%=build/$(CONFIG)/%)
	$(Q)make/programs.sh run $^

##@ Measure (on a GPU)
## bench | every program over n = 2^10 … 2^30, into build/bench
## bench-multi-gpu | all GPUs of the machine together, and one alone
## bench-float-order | how far the order changes a sum of floats
## bench-trust | are times reliable: hot cache, many processes
## bench-tuning | step 07 and single-pass with other constants
## bench-shapes | single-pass in all its shapes, at each n
## bench-ideas | steps 01 and 06 taken apart, idea by idea
## bench-in-flight | bandwidth against the bytes in flight
## bench-nsight | Nsight Compute's counters, to test the backend's
## bench-stalls | why the warps of each step wait (Nsight Compute)
## bench-peers | PyTorch, CuPy, cuBLAS: what one would call instead
$(BENCHES):
	@$(call python) plots.measure.targets $@ $(if $(PUBLISH),plots/data,build/bench) $(MAKE) -s BACKEND=cuda $(with_yours)
with_yours = $(if $(filter bench,$@$(PUBLISH)),WITH_YOURS=1)

## profile-03 | Nsight Compute's counters of a program (at N=2^20)
profile-%:
	$(if $(filter multi-gpu%,$*),$(error $@: Nsight Compute runs a kernel several times, and NCCL's waits for those of other GPUs))
	$(if $(profiled),,$(error $@: no step or detour '$*'; want $(patsubst step%,%,$(firstword $(LADDER)) to $(lastword $(LADDER))) or a detour such as cub))
	@make/profile.sh --check && $(MAKE) -s BACKEND=cuda $(profiled) && \
	    make/profile.sh $(call quoted,$(or $(N),2^20)) ./$(profiled)
profiled = $(call program_of,$*)

##@ Draw what was measured (no GPU needed)
# Pictures of other data never take the place of the committed pictures.
PLOTS_FOLDER = $(if $(filter plots/data/h200.csv/int,$(DATA)/$(TYPE)),plots,build/plots)
find_python = simt/python.sh requirements.txt $(call quoted,$@) $(call quoted,$(PYTHON))
python = python=$$($(find_python) $(1)) && "$$python" -m
draw = $(call python,matplotlib) plots.draw --data=$(call quoted,$(DATA)) --type=$(call quoted,$(TYPE)) $(1)

##- plots | every picture, into plots/ (with DATA: build/plots)
plots:
	@$(call draw,--out=$(PLOTS_FOLDER))

##- plot-02-03 | two programs only, into build/plots (also plot-07-cub)
plot-%:
	@$(call draw,--out=build/plots $(two_programs))
two_programs = $(or $(call pair_of,$*),$(error $@: want two steps, detours or own programs, as in $(firstword $(subst -, ,$@))-02-03))

##- table | rewrites the tables of README, NOTES and the rooms
table:
	$(call has,plots/page)
	@$(call python) plots.table --data=$(call quoted,$(DATA))

## plots/data/counters.csv | the counters of every program (CPU backend)
plots/data/counters.csv:
	$(call only,BACKEND=cpu TYPE=int BLOCK=256 OP=sum)
	$(call count_into,$@)
count_into = +@programs=$$($(MAKE) -s BACKEND=cpu programs) && make/programs.sh counters $(1) $$programs

##@ Exercises that mark themselves (CPU backend)
##- exercise | marks the next exercise of the course, not done yet
##- exercises | lists all exercises and your progress
##- watch | marks an exercise whenever you save it; Ctrl-C ends
exercise exercises watch: $(MARKER) $(SIMT_TOOLS)
	$(call only,BACKEND=cpu EXERCISE=mark-$(EXERCISE))
	@HINT=$(call quoted,$(HINT)) exercises/exercise.sh $@ || [ $$? = 1 ]

##- mark-04 | marks exercise 04; HINT=2 shows its second hint
mark-%: $$(call needed_for,$$*)
	$(call only,BACKEND=cpu EXERCISE=mark-$(EXERCISE))
	@HINT=$(call quoted,$(HINT)) exercises/exercise.sh mark $(call quoted,$*) || [ $$? = 1 ]

##- solution-04 | compares your answer with ours, once it is done
solution-%: $$(call needed_for,$$*)
	@exercises/exercise.sh solution $(call quoted,$*)
# Of what is no exercise nothing is built.
needed_for = $(if $(filter $(NAMES),$(1)),$(MARKER) $(SIMT_TOOLS))

##- reset-04 | begins exercise 04 again, and keeps the old main.cu
reset-%:
	@exercises/exercise.sh reset $(call quoted,$*)

## times | exercise 19 beside step 07 and CUB; EXERCISE=01 (GPU)
times: $(if $(filter cuda,$(BACKEND)),$(patsubst %,build/$(CONFIG)/%,$(if $(filter $(OPEN),$(IN_TIME)),step07 handin cub,given handin)))
	@$(if $^,make/programs.sh times $^,echo $(call quoted,Times on a GPU are left out: $(WHY).) | fold -sw 80)

##- marker | builds build/exercises/mark, which scripts call
marker: $(MARKER) $(SIMT_TOOLS)

##- handout | for students: build/handout.tar.gz, without answers
handout:
	@exercises/handout.sh

## mark-all | marks a class: DIR=handins has STUDENT/NN-name/main.cu
##- league | ranks a class by counters: DIR=handins EXERCISE=04
mark-all league: $(MARKER) $(SIMT_TOOLS)
	$(call only,BACKEND=cpu)
	@$(call python) exercises.teach.$(subst -,_,$@) --exercise=$(call quoted,$(EXERCISE)) \
	    --jobs=$(call quoted,$(or $(JOBS),2)) $(if $(filter mark-all,$@),--out=build/marks) -- $(call quoted,$(DIR))

##@ Look closer
##- diff-02-03 | two programs side by side; ALL=1 unfolds equal lines
diff-%:
	@make/diff.sh $(if $(ALL),--all) $(two_programs)

##- lab | a lesson to project: build/lab.html
lab:
	$(call has,plots/page)
	$(call only,BACKEND=cpu TYPE=int BLOCK=256 OP=sum)
	@$(find_python) >/dev/null
	@$(MAKE) -s BACKEND=cpu TYPE=int BLOCK=256 OP=sum $(LADDER:%=build/play/%)
	@$(call python) plots.page.page --data=$(call quoted,$(DATA))

## counters | what each step costs, side by side (CPU backend)
counters:
	$(call only,BACKEND=cpu)
	$(call count_into,build/counters.csv)
	@make/programs.sh table build/counters.csv

##- access | draws which thread touches which word, into plots/
# Of small blocks, so that one fits; of step 02 a large one, whose bank conflicts grow. Of 2^13
# elements: eight per thread of step 00, so that each of them lies in a sector of its own.
access: SMALL := $(patsubst %,build/cpu-int-64-sum/%,$(filter-out step02,$(LADDER)))
access: STEPS_BUILT := $(SMALL) build/cpu-int-256-sum/step02
access:
	$(call only,BACKEND=cpu TYPE=int BLOCK=64 OP=sum)
	@$(find_python) >/dev/null
	@$(MAKE) -s BACKEND=cpu TYPE=int BLOCK=64 OP=sum $(SMALL)
	@$(MAKE) -s BACKEND=cpu TYPE=int BLOCK=256 OP=sum $(lastword $(STEPS_BUILT))
	@$(call python) plots.access $(STEPS_BUILT)

##@ Keep it right
##- test | sets up and runs the tests
##- test-all | all tests, also the slow ones
##- golden | renews tests/golden, to be looked at with git diff
test test-all golden: | build/simt/compiler
	$(call has,tests)
	@tests/run.sh $@ $(call quoted,$(PYTHON))
##- test-roots | make test in bare Debians, as root; SUITES=sid: one
test-roots:
	$(call has,tests)
	@tests/roots.sh $(call quoted,$(SUITES))
has = $(if $(wildcard $(1)/),,$(error $@: no $(1)/ here: this is a copy for students))

##- simt | builds the CPU backend's library and tools
simt: $(SIMT_TOOLS)

##- bench-simt | time of simulation: ns per access, thread, barrier
bench-simt: simt
	@simt/bench.sh

# Tests are laid out by hand, and what make bench-shapes writes by a script.
##- format | clang-format over all C and CUDA files
format:
	@command -v clang-format >/dev/null || { echo "make format: clang-format not found: install it" >&2; exit 2; }
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cu' ':!*tests/*' ':!findings' ':!*/shapes-*.h')

##- clean | removes everything built
clean:
	$(Q)rm -rf build && rm -f $(PROGRAMS)

##@ Variables (make VARIABLE=value …)
## BACKEND=auto,cuda,cpu | auto: cuda if nvcc and a GPU are here, else cpu
## TYPE=int,float,double | the elements
## BLOCK=256 | threads per block: 32 … 1024; any-block-size: 1 … 1024
## OP=sum,max,min,prod | the operator of any-operator
## ARCH=native | GPU architecture for nvcc, such as sm_90
## NVCC, CC, CXX, PYTHON | commands instead of nvcc, cc, g++, python3
## NCCL_HOME, MPICXX | multi-gpu: NCCL's folder, another mpicxx
## BENCH_TYPES, _SIZES | bench: only "int float", only "2^20 2^24"
## BENCH_PROCESSES=3 | bench: processes per row below 2^22 (shapes: 5)
## STEPS="03 fast" | counters, bench: only these
## DIR=handins | mark-all, league: the folder of a class
## EXERCISE="03 04" | mark-all, league: only these exercises
## EXERCISE=01 | times: exercise 01 or 03, given.cu and yours
## JOBS=2 | mark-all, league: hand-ins marked at a time
## FILE=main.cu | times: this hand-in instead of yours
## HINT=2 | exercise, mark-…: shows this hint
## PUBLISH=1 | bench: writes into plots/data
## DATA=FILE | plots, lab, table: draw this file of bench
## V=1 | shows the commands
help:
	@awk -F ' [|] ' -v last=$(lastword $(LADDER)) '/^##@/ {print ""; print substr($$0, 5)} \
	    /^##-? / {sub(/^##-? /, ""); sub(/LAST/, last); printf "  %-23s %s\n", $$1, $$2}' Makefile

# Names that are no targets; a folder is none either. (make -B asks for the files, too.)
.PHONY: $(FOLDERS)
$(FOLDERS) .DEFAULT:
	@[ -f $(call quoted,$@) ] || { printf '%s\n' $(call quoted,make: no target '$@'; make help lists the targets) >&2; exit 2; }
