# Typed targets and variables are text: nothing in them is ever run.

# A text as one word for the shell
quoted = '$(subst ','\'',$(1))'

# A recipe's line ends with the text's.
define NEWLINE


endef
came_from = $(filter $(1),$(firstword $(origin $(2))))
TYPED := $(foreach v,$(.VARIABLES),$(if $(call came_from,command,$v),$v)) \
    $(foreach v,BACKEND TYPE BLOCK OP ARCH NVCC PYTHON DATA CC CXX N HINT DIR JOBS EXERCISE,$(if $(call came_from,environment,$v),$v))
$(foreach v,MAKECMDGOALS $(TYPED),$(if $(findstring $(NEWLINE),$(value $v)),\
    $(error $(v:MAKECMDGOALS=a target) has a line break in it: want one line)))

# make would expand it, and run what stands in it. So each becomes the text that was typed, in which $$
# is a $, as in a makefile, and which is not expanded any more. Eight $ are four in the line that eval
# reads, and two when subst looks for them:
#
#   typed       DATA='$(shell touch X)$$.csv'
#   eval reads  override export DATA := $(subst $$$$,$$,$(value DATA))
#   DATA is     $(shell touch X)$.csv, a name like any other
$(foreach v,$(TYPED),$(eval override export $v := $$(subst $$$$$$$$,$$$$,$$(value $v))))
# No others change anything here. (A name with an underscore may be meant for a script.)
VARIABLES := BACKEND TYPE BLOCK OP ARCH NVCC CC CXX PYTHON DATA NAME FROM STEPS SUITES N DIR EXERCISE JOBS FILE HINT ALL V \
    PUBLISH CCCL MPICXX MAKEFLAGS SHELL PATH TMPDIR COLUMNS
$(foreach v,$(filter-out $(VARIABLES),$(TYPED)),$(if $(findstring _,$v),,$(error $v=$($v): no such variable; make help lists them)))

# In a recipe that takes no other values: $(call only,TYPE=int BACKEND=cpu)
only = $(foreach s,$(1),$(call only_value,$(firstword $(subst =, ,$s)),$(lastword $(subst =, ,$s))))
only_value = $(if $(and $(filter $(1),$(TYPED)),$(filter-out auto $(2),$($(1)))),$(error $@: $(1)=$($(1)): want $(2), or nothing))
