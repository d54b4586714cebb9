/* Made by `make bench-shapes`, see plots/measure/shapes.py: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(8192, 512, 4),
    ONE_BLOCK(16384, 1024, 4),
    CLUSTER(32768, 8, 512, 2),
    WAITING(32768, 256, 2),
    CLUSTER(65536, 8, 512, 4),
    WAITING(65536, 256, 2),
    CLUSTER(131072, 16, 512, 4),
    WAITING(131072, 256, 2),
    WAITING(262144, 256, 4),
    WAITING(524288, 512, 4),
    WAITING(2097152, 512, 2),
    WAITING(SIZE_MAX, 512, 4),
};
