/* Answers questions on sets of bytes: each line of stdin is a letter, then two sets, each a count and
 * so many begins and ends. j: the union, m: the first bytes in common, as spans. */
#include "judge/spans.h"

#include <stdio.h>

static struct spans read_set(void)
{
    struct spans set = {NULL, 0, 0};
    struct span span;
    int count;

    if (scanf("%d", &count) != 1)
        return set;
    while (count-- > 0 && scanf("%zu %zu", &span.begin, &span.end) == 2)
        spans_add(&set, span);
    return set;
}

int main(void)
{
    char what;

    while (scanf(" %c", &what) == 1) {
        struct spans a = read_set(), b = read_set();
        struct span common;
        if (what == 'm' && spans_meet(&a, &b, &common))
            printf("%zu %zu", common.begin, common.end);
        if (what == 'j') {
            spans_join(&a, &b);
            for (size_t i = 0; i < a.count; i++)
                printf("%s%zu %zu", i > 0 ? " " : "", a.span[i].begin, a.span[i].end);
        }
        printf("\n");
        spans_free(&a);
        spans_free(&b);
    }
    return 0;
}
