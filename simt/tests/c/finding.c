/* Findings at five more places than are kept, each twice; and where the thread that is the 17th of
 * its block, and the block that is the 17th of its grid, are in them. */
#include "judge/finding.h"

#include <stdio.h>

int main(void)
{
    struct launch launch = {
        .site = {"kernel", "a.cu", 1}, .number = 1, .grid = {2, 3, 4}, .block = {4, 3, 2}};
    struct finding finding = {
        .kind = FINDING_GLOBAL_BOUNDS, .launch = &launch, .actors = 1, .line[0] = {"a.cu", 0}};
    uint64_t left_out;
    size_t count;

    finding.actor[0].thread = finding.actor[0].block = 17;
    for (finding.line[0].line = 1; finding.line[0].line <= 1005; finding.line[0].line++)
        for (int twice = 0; twice < 2; twice++)
            finding_add(&finding);
    const struct kept_finding *all = finding_all(&count, &left_out);
    uint3 thread, block;

    finding_where(&all[count - 1], 0, &thread, &block);
    printf("%zu, %llu more, line %d %llu times, thread %u %u %u, block %u %u %u\n", count,
           (unsigned long long)left_out, all[count - 1].finding.line[0].line,
           (unsigned long long)all[count - 1].finding.count, thread.x, thread.y, thread.z, block.x, block.y,
           block.z);
}
