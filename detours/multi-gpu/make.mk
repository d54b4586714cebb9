# NCCL and MPI, for several GPUs; looked for only when such a program is built.
#
# NCCL is searched in NCCL_HOME, or if that is not given in CUDA's folder, the system's and the Python
# package that PyTorch brings: wherever there is include/nccl.h, and libnccl.so.2 in lib or lib64.
# Without it multi-gpu works on one GPU; multi-gpu-mpi needs it, and MPI, too.

MPICXX ?= mpicxx

NCCL_OF_PYTHON = $(shell $(PYTHON) -c 'import nvidia.nccl; print(nvidia.nccl.__path__[0])' 2>/dev/null)
NCCL_PLACES = $(or $(NCCL_HOME),$(abspath $(dir $(realpath $(NVCC_PATH)))..) /usr/local/cuda /usr/local /usr $(NCCL_OF_PYTHON))
NCCL_FOUND = $(patsubst %/include/nccl.h,%,$(firstword $(wildcard $(NCCL_PLACES:%=%/include/nccl.h))))

# Behind nvcc's own headers, for the folder may be another CUDA toolkit's; g++ knows /usr/include itself
link_nccl = $(if $(filter /usr,$(1)),,-isystem $(1)/include) $(foreach lib,$(wildcard $(1)/lib $(1)/lib64),-L$(lib) -Xlinker -rpath=$(lib)) -l:libnccl.so.2
no_nccl = $(error $(@F): no include/nccl.h in $(strip $(NCCL_PLACES)): install NCCL (such as pip install nvidia-nccl-cu13), or say NCCL_HOME=/path/to/it)
no_mpi = $(error $(@F): $(MPICXX) not found: install MPI (Debian, Ubuntu: apt install libopenmpi-dev), or say MPICXX=/path/to/mpicxx)

NCCL_FLAGS = $(if $(NCCL_FOUND),$(call link_nccl,$(NCCL_FOUND)),$(no_nccl))
MPI_FLAGS = $(if $(shell command -v $(MPICXX)),-ccbin $(MPICXX) -DOMPI_SKIP_MPICXX,$(no_mpi))

build/cuda-%/multi-gpu: LIBRARIES = $(if $(NCCL_HOME)$(NCCL_FOUND),$(NCCL_FLAGS),-DNO_NCCL)
build/cuda-%/multi-gpu-mpi: LIBRARIES = $(MPI_FLAGS) $(NCCL_FLAGS) -lrt
