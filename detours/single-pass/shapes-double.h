/* Made by `make bench-shapes`, see bench/shapes/shapes.awk: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(2048, 512, 2),
    ONE_BLOCK(4096, 512, 4),
    ONE_BLOCK(8192, 1024, 4),
    CLUSTER(32768, 8, 512, 4),
    TICKETS(32768, 256, 1),
    CLUSTER(65536, 16, 512, 4),
    WAITING(131072, 256, 2),
    TICKETS(131072, 256, 1),
    WAITING(262144, 512, 4),
    TICKETS(262144, 256, 1),
    WAITING(524288, 512, 1),
    TICKETS(524288, 256, 2),
    WAITING(268435456, 512, 4),
    TICKETS(268435456, 512, 4),
    TICKETS(SIZE_MAX, 512, 4),
};
