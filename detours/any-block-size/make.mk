# No power of two, unless the user names a number.
BLOCKS_any-block-size = $(shell seq 1024)
OWN_any-block-size := BLOCK=200
