# It includes single-pass.
build/$(CONFIG)/shapes: detours/single-pass/main.cu
