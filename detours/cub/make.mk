TYPES_cub := $(TYPES) half bfloat16
