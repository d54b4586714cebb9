/* Made by `make bench-shapes`, see plots/measure/shapes.py: as measured on an NVIDIA H200. */
static const struct shape shapes[] = {
    ONE_BLOCK(8192, 512, 4),
    ONE_BLOCK(16384, 1024, 4),
    CLUSTER(32768, 8, 512, 2),
    TICKETS(32768, 256, 1),
    TICKETS(524288, 256, 1),
    TICKETS(4194304, 512, 2),
    TICKETS(SIZE_MAX, 512, 4),
};
