# Decides what is built: checks the variables, finds the backend, says which it is and why.

# ---- what a detour takes, and its own default where none is asked for ----

OWN_any-block-size      := $(if $(filter file,$(origin BLOCK)),BLOCK=200)
OWN_deterministic-float := $(if $(filter file,$(origin TYPE)),TYPE=float)
TYPES_deterministic-float := float
TYPES_warp-redux          := int
NEEDS_GPU := cluster cooperative-groups cub multi-gpu multi-gpu-mpi

# the programs that are asked for, each as its name
GOALS := $(notdir $(or $(MAKECMDGOALS),all))
all_goals_are = $(if $(filter-out $(1),$(GOALS)),,yes)

# ---- the variables ----

POWERS_OF_TWO := 32 64 128 256 512 1024
COMMA := ,
NOTHING :=
SPACE := $(NOTHING) $(NOTHING)
one_of = $(if $(filter 1,$(words $($(1)))),$(filter $($(1)),$(2)))
check_one_of = $(if $(call one_of,$(1),$(2)),,$(error $(1)=$($(1)): want one of $(2)))

$(call check_one_of,BACKEND,auto cuda cpu)
$(call check_one_of,TYPE,int float double)
ifneq ($(call all_goals_are,any-block-size),)
$(if $(call one_of,BLOCK,$(shell seq 1024)),,$(error BLOCK=$(BLOCK): want a number from 1 to 1024))
else
$(call check_one_of,BLOCK,$(POWERS_OF_TWO))
endif
ifneq ($(call all_goals_are,any-operator),)
$(call check_one_of,OP,sum max min prod)
else
$(if $(call one_of,OP,sum),,$(error OP=$(OP): want sum; another operator is for any-operator alone))
endif
$(foreach p,$(GOALS),$(if $(OWN_$p),,$(if $(filter $(TYPE),$(or $(TYPES_$p),$(TYPE))),,\
    $(error TYPE=$(TYPE): want $(TYPES_$p) for $p))))

# ---- what every build needs ----

path_to = $(shell command -v $(firstword $(1)) 2>/dev/null)
OS := $(shell uname -s)

ifneq ($(OS),Linux)
  $(error this needs Linux, not $(OS): use WSL2, a container or a notebook service)
endif
ifeq ($(call path_to,$(CC)),)
  $(error CC=$(CC) not found: install gcc (Debian, Ubuntu: apt install g++), or say CC=/path/to/gcc)
endif

# ---- which backend ----

NVCC_PATH := $(call path_to,$(NVCC))
GPU := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | grep -E '^[0-9]+\.[0-9]+$$')

ifeq ($(BACKEND),auto)
  ifeq ($(NVCC_PATH),)
    override BACKEND := cpu
    WHY := $(if $(GPU),a GPU is here$(COMMA) but )no $(NVCC) in PATH$(if $(GPU),: say NVCC=/path/to/nvcc)
  else ifeq ($(GPU),)
    override BACKEND := cpu
    WHY := $(NVCC) is here, but no GPU
  else
    override BACKEND := cuda
    WHY := $(NVCC) and a GPU are here
  endif
else
  WHY := as asked for
endif

# The value of variable $(1) for program $(2): its own, or the one of all.
value_for = $(or $(patsubst $(1)=%,%,$(filter $(1)=%,$(OWN_$(2)))),$($(1)))

# make -s says nothing, nor do goals that are for a GPU whatever BACKEND is
say = $(if $(or $(findstring s,$(firstword -$(MAKEFLAGS))),$(filter bench% profile-%,$(GOALS))),,$(info $(1); $(call value_for,TYPE,$(GOALS)); blocks of $(call value_for,BLOCK,$(GOALS))))

# ---- how it compiles ----

ifeq ($(BACKEND),cuda)
  ifeq ($(NVCC_PATH),)
    $(error BACKEND=cuda: $(NVCC) not found. Install the CUDA toolkit, say NVCC=/path/to/nvcc, or use BACKEND=cpu)
  endif
  # 'native' without a GPU would silently become nvcc's default
  ifeq ($(ARCH),native)
    override ARCH := $(if $(GPU),sm_$(subst .,,$(GPU)),all-major)
  endif
  TARGET := cuda-$(ARCH)
  CUDA_INCLUDE := -isystem $(dir $(realpath $(NVCC_PATH)))../include
  HARNESS_CUDA := timing flush spin empty
  COMPILE_CU = $(NVCC) -O3 -arch=$(ARCH) -lineinfo -Xcompiler -Wall,-Wextra
  $(call say,backend: cuda ($(WHY)); $(ARCH))
else
  ifeq ($(call path_to,$(CXX)),)
    $(error CXX=$(CXX) not found: install g++ (Debian, Ubuntu: apt install g++), or say CXX=/path/to/g++)
  endif
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
ABLE = $(foreach p,$(filter-out multi-gpu% $(if $(filter cpu,$(BACKEND)),$(NEEDS_GPU)),$(PROGRAMS)),\
    $(if $(filter $(call value_for,TYPE,$p),$(or $(TYPES_$p),$(TYPE))),$p))
