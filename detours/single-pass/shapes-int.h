/* Made by `make bench-shapes`, see bench/shapes/shapes.awk: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(2048, 256, 2),
    ONE_BLOCK(8192, 512, 4),
    ONE_BLOCK(16384, 1024, 4),
    CLUSTER(65536, 8, 512, 4),
    TICKETS(65536, 512, 1),
    TICKETS(4194304, 512, 2),
    TICKETS(SIZE_MAX, 512, 4),
};
