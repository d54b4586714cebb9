# Which programs and targets there are, and what they are called.

Q := $(if $(V),,@)
# make's own rules would look for C files called like what was mistyped
MAKEFLAGS += -r
.SUFFIXES:

# ---- targets: as the lines of help in the Makefile have them ----
#
# `## bench | …` becomes bench, `##- plot-02-03 | …` -plot-%; other lines are no words like these.

SIGN := \#\#
BLANK := $() $()
LINES := $(subst $(NEWLINE)$(SIGN)- , <-,$(subst $(NEWLINE)$(SIGN) , <,$(subst $(BLANK)|,>,$(file <Makefile))))
WORDS := $(foreach w,$(patsubst <%>,%,$(filter <%>,$(LINES))),$(if $(findstring =,$w),,$w))
HELPED := help $(patsubst %-03,%-%,$(patsubst %-04,%-%,$(patsubst %-02-03,%-%,$(WORDS))))
NO_BUILD := help $(patsubst -%,%,$(filter -%,$(HELPED)))
TARGETS := $(foreach t,$(HELPED:-%=%),$(if $(findstring %,$t),,$t))
BENCHES := $(filter-out bench-simt,$(filter bench bench-%,$(TARGETS)))

# ---- programs ----
#
# A step's program is step03, from steps/03-sequential-addressing; a detour's has its folder's name,
# and so has one of a student's own, in own/, which nothing that is published sees.

folders_in = $(notdir $(patsubst %/main.cu,%,$(sort $(wildcard $(1)/*/main.cu))))
LADDER    := $(foreach s,$(call folders_in,steps),step$(firstword $(subst -, ,$s)))
DETOURS   := $(call folders_in,detours)
FOLDERS   := $(filter-out $(TARGETS) $(LADDER) $(DETOURS),$(patsubst %/,%,$(wildcard */)))
# Names that no program may have: a link makefile at the root would be read instead of the Makefile.
TAKEN     := $(LADDER) $(DETOURS) $(TARGETS) $(FOLDERS) build own compilers handin \
    makefile step% multi-gpu% bench-% profile-% $(filter %-%,$(NO_BUILD))
YOURS     := $(filter-out $(TAKEN),$(if $(wildcard own),$(shell cd own && ls -d */main.cu 2>/dev/null | \
    LC_ALL=C sed -n 's|^\([a-z][a-z0-9_-]\{0,31\}\)/main.cu$$|\1|p')))
PROGRAMS  := $(LADDER) $(DETOURS) $(YOURS)

# Of a name that was typed, 03 or fast: its program, and of that the file
program_of = $(if $(or $(findstring %,$(1)),$(word 2,$(1))),,$(filter step$(strip $(1)) $(1),$(PROGRAMS)))
source_of = $(firstword $(wildcard steps/$(1:step%=%)-*/main.cu $(foreach room,steps detours own,$(room)/$(1)/main.cu)))
# Of a text such as 02-03 or 07-single-pass both files, cut at the first dash that stands between two
# names: of a step its number, its program's and its folder's name
CALLED = $(sort $(LADDER) $(LADDER:step%=%) $(call folders_in,steps) $(DETOURS) $(YOURS))
pair_of = $(if $(word 2,$(1)),,$(wordlist 1,2,$(foreach a,$(CALLED),$(if $(filter $a-%,$(1)),\
    $(foreach b,$(CALLED),$(if $(filter $a-$b,$(1)),$(call source_of,$a) $(call source_of,$b)))))))

# Which one make new copies: one that is what stands in its main.cu, and nothing else
copied = $(filter $(COPIED),$(call program_of,$(FROM)))
COPIED = $(filter-out multi-gpu% $(patsubst detours/%/make.mk,%,$(wildcard detours/*/make.mk)),$(PROGRAMS))

.PHONY: $(TARGETS) $(PROGRAMS) FORCE
.SECONDARY:
.SECONDEXPANSION:
