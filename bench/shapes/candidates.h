/* What may be a shape of single-pass (detours/single-pass/main.cu): each has room for `most`
 * elements, of which main.cu here makes as many as its loads can take at once. */
// clang-format off
#define ONE(threads, loads) ONE_BLOCK(PACK *(threads) * (loads), threads, loads)
#define SEVERAL(blocks, threads, loads) \
    CLUSTER(PACK *(blocks) * (threads) * (loads), blocks, threads, loads)

static const struct shape shapes[] = {
    ONE(256, 1), ONE(256, 2), ONE(256, 4),
    ONE(512, 1), ONE(512, 2), ONE(512, 4),
    ONE(1024, 1), ONE(1024, 2), ONE(1024, 4),
    SEVERAL(4, 256, 4),
    SEVERAL(8, 256, 2), SEVERAL(8, 256, 4),
    SEVERAL(4, 512, 4),
    SEVERAL(8, 512, 2), SEVERAL(8, 512, 4),
    SEVERAL(8, 1024, 2), SEVERAL(8, 1024, 4),
    SEVERAL(16, 256, 2), SEVERAL(16, 256, 4),
    SEVERAL(16, 512, 1), SEVERAL(16, 512, 2), SEVERAL(16, 512, 4),
    SEVERAL(16, 1024, 1), SEVERAL(16, 1024, 2), SEVERAL(16, 1024, 4),
    TICKETS(SIZE_MAX, 256, 1), TICKETS(SIZE_MAX, 256, 2), TICKETS(SIZE_MAX, 256, 4),
    TICKETS(SIZE_MAX, 512, 1), TICKETS(SIZE_MAX, 512, 2), TICKETS(SIZE_MAX, 512, 4),
    TICKETS(SIZE_MAX, 1024, 2),
    WAITING(SIZE_MAX, 256, 2), WAITING(SIZE_MAX, 256, 4),
    WAITING(SIZE_MAX, 512, 1), WAITING(SIZE_MAX, 512, 2), WAITING(SIZE_MAX, 512, 4),
    WAITING(SIZE_MAX, 1024, 1), WAITING(SIZE_MAX, 1024, 2),
};
// clang-format on
