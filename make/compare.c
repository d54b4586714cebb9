/* Which lines of two texts face each other, and which of their words differ. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* blockDim.x is one, as three it would outweigh what changes around it. */
struct word {
    const char *start;
    size_t length;
    bool kept; /* does the line that this one faces have it, too? */
};

void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("make diff: not enough memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* ---- words ---- */

#define BLANKS    " \t\r\f\v"
#define OPERATORS "-+*/%&|^=<>!"

static void split(struct line *line)
{
    const char *text = line->text;
    line->marked = zeroed(strlen(text), 1);
    line->word = zeroed(strlen(text), sizeof *line->word);
    while (*(text += strspn(text, BLANKS))) {
        size_t length = strcspn(text, BLANKS OPERATORS "()[]{},;:?\"'#~\\@$`");
        if (!length)
            length = strspn(text, OPERATORS);
        if (!length)
            length = 1;
        line->word[line->words++] = (struct word){text, length, false};
        line->characters += length;
        text += length;
    }
}

static bool same(struct word a, struct word b)
{
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

/* ---- which line faces which ---- */

/*
 * The number of characters that two lines share, counted in whole words; 0 if that is less than
 * half of those of one of them, so that they do not face each other. Equal lines weigh double,
 * blank ones 1.
 */
static size_t likeness(const struct line *a, const struct line *b)
{
    if (strcmp(a->text, b->text) == 0)
        return 2 * a->characters + 1;
    bool *taken = zeroed(b->words, sizeof *taken);
    size_t common = 0;
    for (size_t i = 0; i < a->words; i++) {
        for (size_t j = 0; j < b->words; j++) {
            if (!taken[j] && same(a->word[i], b->word[j])) {
                taken[j] = true;
                common += a->word[i].length;
                break;
            }
        }
    }
    free(taken);
    return 4 * common >= a->characters + b->characters - common ? common : 0;
}

/*
 * The heaviest common subsequence of a left and a right side, as facing[i] = j, or n_right.
 * weight[i][j] is 0 where the two cannot be paired. best[i][j]: the most that left[i…] and
 * right[j…] can have.
 */
static size_t *heaviest(size_t n_left, size_t n_right, const size_t *weight)
{
    size_t width = n_right + 1;
    size_t *best = zeroed((n_left + 1) * width, sizeof *best);
    bool *paired = zeroed((n_left + 1) * width, sizeof *paired);
    for (size_t i = n_left; i-- > 0;) {
        for (size_t j = n_right; j-- > 0;) {
            size_t *here = &best[i * width + j];
            size_t down = here[width], across = here[1], pair = weight[i * n_right + j];
            *here = down >= across ? down : across;
            if (pair && pair + here[width + 1] >= *here) {
                *here = pair + here[width + 1];
                paired[i * width + j] = true;
            }
        }
    }
    size_t *facing = zeroed(n_left, sizeof *facing);
    for (size_t i = 0, j = 0; i < n_left; i++) {
        while (j < n_right && !paired[i * width + j] &&
               best[i * width + j + 1] > best[(i + 1) * width + j])
            j++;
        facing[i] = j < n_right && paired[i * width + j] ? j++ : n_right;
    }
    return facing;
}

/* ---- what differs between two lines that face each other ---- */

/* Marks the words that are kept nowhere, and the blanks between two of them. */
static void mark(struct line *line)
{
    for (size_t i = 0; i < line->words; i++) {
        const struct word *word = &line->word[i];
        const char *end = word->start + word->length;
        if (word->kept)
            continue;
        if (i + 1 < line->words && !word[1].kept)
            end = word[1].start;
        memset(line->marked + (word->start - line->text), 1, (size_t)(end - word->start));
    }
}

static void mark_both(struct line *old, struct line *new)
{
    size_t *weight = zeroed(old->words * new->words, sizeof *weight);
    for (size_t i = 0; i < old->words; i++)
        for (size_t j = 0; j < new->words; j++)
            weight[i * new->words + j] = same(old->word[i], new->word[j]) ? old->word[i].length : 0;
    size_t *facing = heaviest(old->words, new->words, weight);
    for (size_t i = 0; i < old->words; i++)
        if (facing[i] < new->words)
            old->word[i].kept = new->word[facing[i]].kept = true;
    mark(old);
    mark(new);
}

/* ---- all rows ---- */

size_t compare(struct line *old, size_t n_old, struct line *new, size_t n_new, struct row *rows)
{
    for (size_t i = 0; i < n_old; i++)
        split(&old[i]);
    for (size_t j = 0; j < n_new; j++)
        split(&new[j]);
    size_t *weight = zeroed(n_old * n_new, sizeof *weight);
    for (size_t i = 0; i < n_old; i++)
        for (size_t j = 0; j < n_new; j++)
            weight[i * n_new + j] = likeness(&old[i], &new[j]);
    size_t *facing = heaviest(n_old, n_new, weight);
    size_t count = 0, i = 0, j = 0;
    while (i < n_old || j < n_new) {
        size_t k = i, m;
        while (k < n_old && facing[k] == n_new)
            k++;
        m = k < n_old ? facing[k] : n_new;
        for (; i < k || j < m; i += i < k, j += j < m)
            rows[count++] = (struct row){i < k ? &old[i] : NULL, j < m ? &new[j] : NULL, true};
        if (k < n_old) {
            bool changed = strcmp(old[k].text, new[m].text) != 0;
            if (changed)
                mark_both(&old[k], &new[m]);
            rows[count++] = (struct row){&old[k], &new[m], changed};
            i = k + 1;
            j = m + 1;
        }
    }
    return count;
}
