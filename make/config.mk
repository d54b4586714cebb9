# Decides what is built: checks the variables, finds the backend, says which it is and why.

# ---- what is asked for ----

GOALS := $(notdir $(or $(MAKECMDGOALS),all))

# a blank at the end is no part of a name
$(foreach v,BACKEND TYPE BLOCK OP ARCH STEPS,$(if $(filter file,$(origin $v)),,$(eval override $v := $$(strip $$($v)))))

BACKENDS := auto cuda cpu
TYPES := int float double
BLOCKS := 32 64 128 256 512 1024
OPS := sum

# A detour's own values stand in detours/NAME/make.mk: lists such as TYPES_NAME; in OWN_NAME the
# configuration that it is built with where the user says nothing, such as TYPE=float; its LIBRARIES.
include $(wildcard detours/*/make.mk)
# Those that need a GPU, and those without the harness, which have no options: looked for once, when
# they are first asked for
found_by = $(notdir $(patsubst %/main.cu,%,$(shell grep -s $(1) detours/*/main.cu $(YOURS:%=own/%/main.cu))))
NEEDS_GPU = $(eval NEEDS_GPU := $(call found_by,-lw lab_needs_gpu))$(NEEDS_GPU)
NO_HARNESS = $(eval NO_HARNESS := $(call found_by,-L '"lab.h"'))$(NO_HARNESS)

# Of variable $(1) for program $(2): its value, the values that are right, is it one of them
own = $(foreach o,$(OWN_$(1)),$(if $(filter file,$(origin $(firstword $(subst =, ,$o)))),$o))
value_for = $(or $(patsubst $(1)=%,%,$(filter $(1)=%,$(call own,$(2)))),$($(1)))
right_for = $(or $($(1)S_$(2)),$($(1)S))
is_right = $(if $(filter 1,$(words $(value_for))),$(filter $(right_for),$(value_for)))

in_words = $(if $(word 7,$(1)),$(firstword $(1)) to $(lastword $(1)),$(if $(word 2,$(1)),one of )$(1))
check = $(if $(is_right),,$(error $(1)=$($(1)): want $(call in_words,$(right_for)) for $(2)))
$(foreach p,$(GOALS),$(foreach v,BACKEND TYPE BLOCK OP,$(call check,$v,$p)))

# ---- what every build needs ----

COMMA := ,
path_to = $(shell command -v $(call quoted,$(firstword $(1))) 2>/dev/null)
OS := $(shell uname -s)

$(if $(filter Linux,$(OS)),,$(error this needs Linux, not $(OS): use WSL2, a container or a notebook service))
$(if $(call path_to,$(CC)),,$(error CC=$(CC) not found: install gcc (Debian, Ubuntu: apt install g++), or say CC=/path/to/gcc))

# ---- which backend ----

TOOLKIT := build/cuda/nvidia/cu13/bin/nvcc
ifeq ($(BACKEND),cpu)
  WHY := as asked for
else
  # what make toolkit has brought, where no other is there or asked for
  ifneq ($(and $(filter file,$(origin NVCC)),$(if $(call path_to,$(NVCC)),,$(wildcard $(TOOLKIT)))),)
    NVCC := $(TOOLKIT)
  endif
  NVCC_PATH := $(call path_to,$(NVCC))
  GPU := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | grep -E '^[0-9]+\.[0-9]+$$')
  # 'native' without a GPU would silently become nvcc's default
  FOR := $(or $(if $(filter native,$(ARCH)),$(if $(GPU),sm_$(subst .,,$(GPU)),all-major)),$(ARCH))
  # An nvcc that does not list what it knows judges by itself
  KNOWN := $(if $(NVCC_PATH),$(filter sm_%,$(shell $(call quoted,$(NVCC_PATH)) --list-gpu-code 2>/dev/null)))
  UNKNOWN := $(if $(KNOWN),$(filter-out $(KNOWN),$(patsubst %f,%,$(patsubst %a,%,$(filter sm_%,$(FOR))))))
  NOT_KNOWN = $(NVCC) compiles for $(firstword $(KNOWN)) to $(lastword $(KNOWN))$(COMMA) \
      not for $(if $(filter native,$(ARCH)),this GPU$(COMMA) )$(FOR): say NVCC=/path/to/nvcc of another CUDA toolkit
  ifeq ($(BACKEND),cuda)
    WHY := as asked for
  else ifeq ($(NVCC_PATH),)
    override BACKEND := cpu
    WHY := $(if $(GPU),a GPU is here$(COMMA) but )no $(NVCC) in PATH$(if $(GPU),: say NVCC=/path/to/nvcc$(COMMA) or let make toolkit bring it)
  else ifeq ($(GPU),)
    override BACKEND := cpu
    WHY := $(NVCC) is here, but $(if $(shell nvidia-smi -L 2>/dev/null | grep '^GPU '),nvidia-smi does not tell the GPU's compute capability: say BACKEND=cuda,no GPU)
  else ifneq ($(and $(filter native,$(ARCH)),$(UNKNOWN)),)
    override BACKEND := cpu
    WHY := $(NOT_KNOWN)
  else
    override BACKEND := cuda
    WHY := $(NVCC) and a GPU are here
  endif
endif

# make -s says nothing, nor do goals that are for a GPU whatever BACKEND is, or that are none
NONE := $(filter-out $(HELPED:-%=%) $(PROGRAMS) build/% ./% /%,$(MAKECMDGOALS))
say = $(if $(or $(is_silent),$(NONE),$(filter bench% profile-%,$(GOALS))),,$(info $(1); $(call value_for,TYPE,$(GOALS)); blocks of $(call value_for,BLOCK,$(GOALS))))

# ---- how it compiles ----

ifeq ($(BACKEND),cuda)
  $(if $(NVCC_PATH),,$(error $(NVCC) not found: install the CUDA toolkit (make toolkit does without root), or say NVCC=/path/to/nvcc))
  ARCHES := native all all-major $(foreach m,5 6 7 8 9 10 11 12,$(foreach n,0 1 2 3 4 5 6 7 8 9,sm_$m$n sm_$m$(n)a sm_$m$(n)f))
  $(if $(filter 1,$(words $(ARCH) $(filter-out $(ARCHES),$(ARCH)))),,$(error ARCH=$(ARCH): want native, all-major, or such as sm_90))
  $(if $(UNKNOWN),$(error $(NOT_KNOWN)))
  override ARCH := $(FOR)
  TARGET := cuda-$(ARCH)
  CUDA_INCLUDE := -isystem $(if $(filter $(TOOLKIT),$(NVCC)),$(dir $(TOOLKIT)),$(dir $(realpath $(NVCC_PATH))))../include
  NVCC_VERSION = $(patsubst V%, %,$(filter V1%,$(shell $(call quoted,$(NVCC_PATH)) --version 2>/dev/null)))
  HARNESS_CUDA := timing kernels gate
  COMPILE_CU = $(NVCC) -O3 -arch=$(ARCH) -lineinfo -Xcompiler -Wall,-Wextra
  $(call say,backend: cuda ($(WHY)); $(NVCC)$(NVCC_VERSION)$(COMMA) $(ARCH))
else
  $(if $(call path_to,$(CXX)),,$(error CXX=$(CXX) not found: install g++ (Debian, Ubuntu: apt install g++), or say CXX=/path/to/g++))
  TARGET := cpu
  CUDA_INCLUDE := -Isimt/include
  COMPILER_READY = $(SIMT_TOOLS) simt/simtcc
  COMPILE_CU = SIMTCC_TOOLS_READY=1 simt/simtcc -Wall -Wextra
  $(call say,backend: cpu ($(WHY)))
endif

# ---- where it is built: one folder for a configuration ----

CONFIG := $(TARGET)-$(TYPE)-$(BLOCK)-$(OP)

path_of = build/$(TARGET)-$(call value_for,TYPE,$(1))-$(call value_for,BLOCK,$(1))-$(OP)/$(1)
# The programs that take this configuration. Those for several GPUs have a bench of their own.
ABLE = $(foreach p,$(filter-out multi-gpu% $(NO_HARNESS) $(if $(filter cpu,$(BACKEND)),$(NEEDS_GPU)),$(PROGRAMS)),\
    $(if $(call is_right,TYPE,$p),$p))
# … and of them those that STEPS names; if it names none, the repository's
chosen = $(or $(filter $(ABLE),$(call program_of,$(1))),$(error STEPS=$(STEPS): no program '$(1)'; want some of $(ABLE:step%=%)))
CHOSEN = $(if $(STEPS),$(foreach s,$(STEPS),$(call chosen,$s)),$(filter-out $(if $(WITH_YOURS),,$(YOURS)),$(ABLE)))
$(if $(STEPS),$(if $(filter counters bench programs,$(GOALS)),,$(error STEPS=$(STEPS): only counters and bench take it)))
$(if $(and $(STEPS),$(PUBLISH)),$(error STEPS=$(STEPS): PUBLISH=1 needs all programs; leave STEPS out))
