/* A row of words that a warp touches at once: lane i has the i-th, or, where half warps touch the
 * same words, lanes i and i + 16 have. So goes most of what is read and stored, and mostly nothing
 * happened to the words of a row that needs a look at each. */
#ifndef SIMT_ROW_H
#define SIMT_ROW_H

#include "judge/words.h"

struct row {
    size_t word;    /* of lane 0, whether it takes part or not */
    unsigned lanes; /* one for each word */
    bool twice;     /* and so the lanes of the second half warp */
};

/* Are the words of the request a row? word[lane]: as race_access takes it. */
bool row_find(const struct warp_event *event, const size_t word[32], struct row *row);

/* Does for a row that is read or stored what words_touch does for each of its words; false if that
 * must be done for each. Not where fences are used. The caller has locked what other OS threads
 * touch, too. */
bool row_touch(const struct words *words, const struct touch *touch, const struct row *row);

#endif
