/* Made by `make bench-shapes`, see bench/shapes/shapes.awk: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(8192, 512, 4),
    ONE_BLOCK(16384, 1024, 4),
    CLUSTER(65536, 8, 512, 4),
    TICKETS(65536, 256, 1),
    TICKETS(262144, 256, 1),
    TICKETS(1048576, 256, 2),
    TICKETS(SIZE_MAX, 512, 4),
};
