/* Made by `make bench-shapes`, see bench/shapes/shapes.awk: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(4096, 256, 4),
    ONE_BLOCK(16384, 1024, 4),
    CLUSTER(65536, 8, 512, 4),
    TICKETS(65536, 256, 1),
    WAITING(2097152, 512, 2),
    TICKETS(2097152, 512, 4),
    WAITING(SIZE_MAX, 512, 4),
    TICKETS(SIZE_MAX, 512, 4),
};
