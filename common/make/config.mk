# Decides what is built: checks the variables, finds the backend, says which it is and why.

POWERS_OF_TWO := 32 64 128 256 512 1024
NOTHING :=
SPACE := $(NOTHING) $(NOTHING)
one_of = $(if $(filter 1,$(words $($(1)))),$(filter $($(1)),$(2)))
check_one_of = $(if $(call one_of,$(1),$(2)),,$(error $(1)=$($(1)): want one of $(2)))

$(call check_one_of,BACKEND,auto cuda cpu)
$(call check_one_of,TYPE,int float double)
$(call check_one_of,BLOCK,$(POWERS_OF_TWO))
$(call check_one_of,OP,sum)

# ---- which backend ----

NVCC_PATH := $(shell command -v $(NVCC) 2>/dev/null)
GPU := $(if $(NVCC_PATH),$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | grep -E '^[0-9]+\.[0-9]+$$'))

ifeq ($(BACKEND),auto)
  ifeq ($(NVCC_PATH),)
    override BACKEND := cpu
    WHY := no $(NVCC) here
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

# make -s says nothing
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,$(info $(1)))

# ---- how it compiles ----

ifeq ($(BACKEND),cuda)
  ifeq ($(NVCC_PATH),)
    $(error BACKEND=cuda: $(NVCC) not found. Install the CUDA toolkit, say NVCC=/path/to/nvcc, or use BACKEND=cpu)
  endif
  # 'native' without a GPU would silently become nvcc's default
  ifeq ($(ARCH),native)
    override ARCH := $(if $(GPU),sm_$(subst .,,$(GPU)),all-major)
  endif
  CONFIG := cuda-$(ARCH)-$(TYPE)-$(BLOCK)-$(OP)
  CUDA_INCLUDE := -isystem $(dir $(realpath $(NVCC_PATH)))../include
  HARNESS_CUDA := timing flush empty
  COMPILE_CU = $(NVCC) -O3 -arch=$(ARCH) -lineinfo -Xcompiler -Wall,-Wextra
  $(call say,backend: cuda ($(WHY)); $(ARCH); $(TYPE); blocks of $(BLOCK))
else
  CONFIG := cpu-$(TYPE)-$(BLOCK)-$(OP)
  CUDA_INCLUDE := -Icommon/simt/include
  COMPILER_READY = $(SIMT_TOOLS) common/simt/simtcc
  COMPILE_CU = SIMTCC_TOOLS_READY=1 common/simt/simtcc -Wall -Wextra
  $(call say,backend: cpu ($(WHY)); $(TYPE); blocks of $(BLOCK))
endif
