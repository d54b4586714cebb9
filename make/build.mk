# How a program of the configuration is built: the harness, once, and one main.cu.

# Everything that is built depends on these
RULES := make/build.mk make/config.mk
# … and a program: its headers, and the backend's, which say how large their structs are
HEADERS_OF = $(wildcard common/*.h detours/*/*.h own/$(1)/*.h simt/include/*.h)
# Which headers an object was compiled with the compiler writes beside it
include $(wildcard build/$(CONFIG)/*/*.d)
DEFINES = -DTYPE=$(TYPE) -DBLOCK=$(BLOCK) -DOP=OP_$(OP)

# ---- the compilers, and CUB, belong to the configuration: with others, all of it is built anew ----

COMPILERS := build/$(CONFIG)/compilers
USED := $(CC); $(CXX); $(NVCC); $(CCCL)
$(COMPILERS): $(call unless_kept,$(COMPILERS),$(USED)) | $(if $(filter cpu,$(BACKEND)),build/simt/cxx)
	$(if $(NO_C),$(error $(NO_C)))
	@$(call keep,$(USED))

# ---- the harness: plain C; what does not look at each element is one text, as in simt.mk ----

ONCE := $(patsubst %,common/%.c,backend check clock device job lab options output program_name source value verdict)
building_harness = $(call counting,harness,the lab harness,$(HARNESS_OBJECTS))
HARNESS_OBJECTS = $(patsubst %,build/$(CONFIG)/common/%.o,once input reference $(HARNESS_CUDA))
COMPILE_C = $(CC) -std=c11 -g -fwrapv -Wall -Wextra $(DEFINES) $(CUDA_INCLUDE) -Icommon -MMD -MP -o $@ -c

build/$(CONFIG)/common/once.o: $(ONCE) $(RULES) $(COMPILERS)
	$(building_harness)
	$(Q)$(folder_of_it)$(call as_one,$(ONCE)) $(COMPILE_C) -D_GNU_SOURCE= -Werror=redundant-decls -O0 -x c -

build/$(CONFIG)/common/%.o: common/%.cu $(RULES) $(COMPILERS)
	$(building_harness)
	$(Q)$(folder_of_it)$(COMPILE_CU) $(DEFINES) -Icommon -MMD -MP -c $< -o $@

build/$(CONFIG)/%.o: %.c $(RULES) $(COMPILERS)
	$(building_harness)
	$(Q)$(folder_of_it)$(COMPILE_C) -O2 $<

# ---- a program: one main.cu and the harness ----

$(PROGRAMS:%=build/$(CONFIG)/%): build/$(CONFIG)/%: $$(call source_of,$$*) $$(HARNESS_OBJECTS) $$(COMPILER_READY) $$(call HEADERS_OF,$$*) $(RULES) $(COMPILERS)
	$(call building,$(@F))
	$(Q)$(COMPILE_CU) $(DEFINES) -Icommon $< $(HARNESS_OBJECTS) $(LIBRARIES) -o $@

# ---- copies of programs with other constants: CONFIG/changed/ELEMS-4+LOADS-2/NAME ----
# … and the steps as the page plays them: of one small block, so that one can follow the sum

PLAYED := $(LADDER:%=build/play/%)
CHANGED := $(PLAYED) $(filter build/$(CONFIG)/changed/%,$(MAKECMDGOALS))
CONSTANTS = $(subst +, ,$(notdir $(*D)))
$(PLAYED): CONSTANTS := BLOCK-32 ELEMS-4
$(PLAYED): SMALL := -UBLOCK -DBLOCK=64
change = -e 's/^\(\#define\|enum {\) \($(firstword $(subst -, ,$(1)))\)\( =\)\? *[^ ]*/\1 \2\3 $(lastword $(subst -, ,$(1)))/'
$(CHANGED): build/%: $$(call source_of,$$(@F)) $$(HARNESS_OBJECTS) $$(COMPILER_READY) $$(call HEADERS_OF,$$(@F)) $(RULES) $(COMPILERS)
	$(call building,$(@F))
	$(Q)copy=$(@D)/source/$(notdir $(<D)) && mkdir -p $$copy && cp $(<D)/* $$copy && \
	    sed -i $(foreach c,$(CONSTANTS),$(call change,$c)) $$copy/main.cu && \
	    $(COMPILE_CU) $(DEFINES) $(SMALL) -Icommon $$copy/main.cu $(HARNESS_OBJECTS) $(LIBRARIES) -o $@

# a detour of another configuration, by a make of its own
$(foreach p,$(PROGRAMS),$(if $(call own,$p),$(call path_of,$p))): FORCE
	$(Q)$(MAKE) -s BACKEND=$(BACKEND) ARCH=$(ARCH) $(call own,$(@F)) $@
