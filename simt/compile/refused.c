/* Finds CUDA's names that the backend does not have, and looks into the lists of names. */
#include "compile/rewrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char gone[] = "it is gone since "; /* so begin those that nvcc lacks, too */

static const struct {
    enum list list;
    const char *names, *why;
} rows[] = {
#define ROW(list, names, why) {list, names, why},
#include "compile/names.rows"
};

const char *listed(enum list list, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].list == list && is_listed(name, length, rows[i].names))
            return rows[i].why;
    return NULL;
}

bool is_of(int i, enum list list)
{
    return t[i].kind == WORD && listed(list, t[i].text, t[i].length);
}

/* The path of a header as an #include names it. */
static const char *include_name(const char *path)
{
    static const char folder[] = "/include/";

    for (const char *at; (at = strstr(path, folder)) != NULL;)
        path = at + sizeof folder - 1;
    return path;
}

const char *refused_header(const char *path)
{
    const char *name = include_name(path), *base = strrchr(name, '/');
    const char *feature = listed(LACKING_HEADER, name, strlen(name));

    return feature || !base ? feature : listed(LACKING_HEADER, base + 1, strlen(base + 1));
}

/* ---- among tokens ---- */

/* Names of cooperative groups, which stand behind :: or a dot. */
static const char of_groups[] = " this_cluster this_multi_grid reduce_update_async "
                                "inclusive_scan_update exclusive_scan_update ";

/* The feature for which the word at i is refused; NULL: it is not. A name cudaX or cuX, with a
 * capital letter behind the prefix, is CUDA's own unless the source declares it. */
static const char *refused_word(int i)
{
    const char *text = t[i].text;
    size_t prefix = strncmp(text, "cuda", 4) == 0 ? 4 : strncmp(text, "cu", 2) == 0 ? 2 : 0;
    const char *feature = listed(LACKING_WORD, text, t[i].length);

    bool named = strncmp(text, "__", 2) == 0 || is(next(i), "(<");
    if (!feature && named && is_named(i, HEADER_NVIDIA) && !is_named(i, ~HEADER_NVIDIA))
        feature = is(next(i), ";")
                      ? "want (…) behind a function's name: without it nothing is called"
                      : "the CPU backend does not have it";
    if (!feature || (qualifier(i) && !is_word(i, of_groups)))
        return NULL;
    if (prefix && (!isupper((unsigned char)text[prefix]) || is_named(i, ~HEADER_NVIDIA)))
        return NULL;
    if ((prefix == 2 && !is(next(i), "(")) ||
        (is_word(i, " texture surface ") && !is(next(i), "<")))
        return NULL;
    for (int k = is_word(i, " __cluster_dims__ nvcuda ") ? 0 : t[i].word; k; k = t[k].again)
        if (!t[k].system && (is_declared(k) || has_word(statement_start(k), k, " using ")))
            return NULL;
    return feature;
}

/* Does a system's header that the source includes at its token `own` begin at i? The expansion of a
 * system header's macro is none. */
static bool is_header(int i, int own)
{
    return t[i].system && strcmp(t[i].file, t[i - 1].file) != 0 &&
           strcmp(t[i].file, t[own].file) != 0;
}

/* Why token i would hide what a kernel does from the checks; NULL: it does not. */
static const char *hiding_token(int i)
{
    static const char hiding[] = " no_sanitize no_sanitize_thread no_sanitize_coverage "
                                 "__no_sanitize__ __no_sanitize_thread__ __no_sanitize_coverage__ ";

    /* The checks would not see the accesses of assembly, or of a function that a declaration gives
     * another name. An empty text is for the compiler alone: asm volatile("" ::: "memory"); and
     * rdtsc, by which public programs time the host, accesses nothing. */
    bool assembly = is_word(i, " asm __asm __asm__ ");
    int text = assembly ? next(find(i, "(")) : i;
    bool harmless =
        strncmp(t[text].text, "\"\"", 2) == 0 || strncmp(t[text].text, "\"rdtsc\"", 7) == 0;
    if (assembly && (!harmless || !is(next(text), ":)")))
        return "the CPU backend has no inline PTX, and no other assembly";
    return is_word(i, hiding) ? "it would hide a kernel's accesses from the CPU backend" : NULL;
}

/* The reason to refuse token i; NULL: there is none. */
static const char *refused_token(int i)
{
    const char *why = hiding_token(i);

    if (why)
        return why;
    if (is(i, "<") && (is(i + 1, "%") || (is(i + 1, ":") && !is(i + 2, ":"))))
        return "the CPU backend has no digraphs: want { } [ ]";
    /* CUDA asks for block_tile_memory where a tile has several warps */
    int size = next(next(i));
    if (is_word(i, " block_tile_memory ") ||
        (is_word(i, " tiled_partition thread_block_tile ") && is(next(i), "<") &&
         is(next(size), ">,") && atoi(t[size].text) > 32))
        return "the CPU backend has no tiles of more than 32 threads: combine the results of tiles "
               "of 32 in shared memory, behind a sync of the block";
    return t[i].kind == WORD ? refused_word(i) : NULL;
}

int refused(void)
{
    for (int i = 1, own = 0; i < edge; i++) {
        own = t[i].system ? own : i;
        bool header = is_header(i, own);
        const char *feature =
            header         ? refused_header(t[i].file)
            : !t[i].system ? refused_token(i)
            : strcmp(t[i].file, t[0].file) == 0 /* it says that it is a system's */
                ? hiding_token(i)
                : NULL;
        if (feature && header)
            report(own, "%s: %s" LOOK, include_name(t[i].file), feature);
        else if (feature)
            report(i, "%.*s: %s" LOOK, (int)t[i].length, t[i].text, feature);
        if (feature)
            return strncmp(feature, gone, sizeof gone - 1) == 0 ? 1 : 2;
    }
    return 0;
}
