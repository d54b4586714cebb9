/* Weighs the records of what is allocated against what memory there is. */
#include "judge/need.h"
#include "judge/word.h"
#include "run/available.h"
#include "run/memory.h"

#include <stdio.h>

static const double gib = 1 << 30;

/* What has been asked for before may have been touched since: it is no longer among what is
 * available. Hence only what is new counts. */
static size_t told_of;

void need_tell(void)
{
    size_t allocated = memory_allocated();

    if (allocated <= told_of)
        return;
    size_t of_word = sizeof *(struct words){NULL}.first + sizeof(struct access);
    size_t need = (allocated - told_of) / 4 * of_word, available = available_memory();
    told_of = allocated;
    if (need > available)
        fprintf(stderr,
                "simt: checking a kernel that uses all %.1f GiB allocated needs %.1f GiB more;\n"
                "  %.1f GiB are free. SIMT_CHECKS=off needs none\n",
                (double)allocated / gib, (double)need / gib, (double)available / gib);
}
