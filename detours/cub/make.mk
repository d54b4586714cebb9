TYPES_cub := $(TYPES) half bfloat16

# CUB other than the toolkit's: CCCL is a folder of its headers, with cub/ in it.
$(if $(CCCL),$(if $(wildcard $(CCCL)/cub/version.cuh),,$(error CCCL=$(CCCL): no cub/version.cuh in it: pip install --target=build/cccl nvidia-cuda-cccl, then say CCCL=build/cccl/nvidia/cu13/include/cccl)))
$(patsubst %,build/cuda-\%/%,$(filter cub%,$(PROGRAMS))): LIBRARIES = $(CCCL:%=-I%)
