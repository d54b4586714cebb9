/* A row of words that a warp reads at once: the k-th of them by lane first + k, or by it and the
 * lane half a warp higher. It is what is read the most, and the records of its words are all alike
 * but for the lanes. */
#ifndef SIMT_ROW_H
#define SIMT_ROW_H

#include "judge/words.h"

struct row {
    size_t word;           /* the first one */
    unsigned count, lanes; /* lanes: of the first word */
};

/* Are the words of the request a row? word[lane]: as race_access takes it. */
bool row_find(const struct warp_event *event, const size_t word[32], struct row *row);

/* Does for a row in which nothing was written in this run, if all its words have the same history,
 * what words_touch does for each; false if each must be looked at. Not where fences are used. The
 * caller has locked what other OS threads touch, too. */
bool row_read(const struct touch *touch, const struct row *row);

#endif
