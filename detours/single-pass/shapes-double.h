/* Made by `make bench-shapes`, see bench/shapes/shapes.awk: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(4096, 512, 4),
    ONE_BLOCK(8192, 1024, 4),
    CLUSTER(16384, 8, 512, 2),
    TICKETS(16384, 256, 4),
    CLUSTER(32768, 8, 512, 4),
    TICKETS(32768, 256, 1),
    CLUSTER(65536, 16, 512, 4),
    WAITING(1048576, 512, 2),
    TICKETS(1048576, 256, 4),
    WAITING(268435456, 512, 4),
    TICKETS(268435456, 512, 4),
    TICKETS(SIZE_MAX, 512, 4),
};
