/* Made by `make bench-shapes`, see plots/measure/shapes.py: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(4096, 512, 4),
    ONE_BLOCK(8192, 1024, 4),
    CLUSTER(16384, 8, 512, 2),
    WAITING(16384, 256, 2),
    CLUSTER(32768, 8, 512, 4),
    WAITING(32768, 256, 2),
    CLUSTER(65536, 16, 512, 4),
    WAITING(1048576, 512, 2),
    WAITING(SIZE_MAX, 512, 4),
};
