static const struct shape shapes[] = {
    ONE_BLOCK(1 << 12, 512, 2),
    ONE_BLOCK(1 << 14, 1024, 4),
    CLUSTER(1 << 16, 8, 512, 4),
    WAITING(1 << 20, 512, 2),
    WAITING(1 << 26, 512, 4),
    TICKETS(SIZE_MAX, 512, 4),
};
