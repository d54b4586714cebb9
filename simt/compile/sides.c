/* Lists what the source declares outside of functions and classes, and looks the words in the
 * device's functions up in it. It goes by a name's last word: what is declared for both sides, as
 * overloads are, or in the function itself, is not judged, nor is what stands behind :: or in a
 * class. */
#include "compile/rewrite.h"

#include <stdlib.h>

/* Of the C library's functions but those of <math.h>: what a GPU has, or CUDA's headers bring. */
static const char on_gpus[] = " abs labs llabs clock memcpy memset printf memcmp memmove fputc "
                              "fputs fwrite putc putchar puts sizeof int void ";
/* The compiler's own for the CPU, whose accesses nobody would see. */
static const char of_the_cpu[] = " __atomic_* __sync_* __builtin_ia32_* _mm_* _mm256_* _mm512_* ";

/* A function or a variable; of_host: the device may not name it. */
struct declaration {
    int name;
    bool function, array, of_host;
};

struct declarations {
    struct declaration *of;
    size_t count;
};

/* ---- what is declared ---- */

/* A constant's value the device may have, but no array of them. */
static void add(struct declarations *all, const struct token *t, int start, int name, bool function)
{
    bool constant =
        has_word(t, start, name, " constexpr consteval ") ||
        (!function && !is(t, previous(t, name), "*") && has_word(t, start, name, " const "));
    bool array = !function && constant && is(t, next(t, name), "[");

    if (t[name].kind != WORD || t[name].system ||
        is_word(t, previous(t, name), " struct class union enum ")) /* struct node; */
        return;
    all->of = resize(all->of, (all->count + 1) * sizeof *all->of);
    all->of[all->count++] = (struct declaration){
        .name = name,
        .function = function,
        .array = array,
        .of_host = !has_word(t, start, name, device_words) &&
                   !has_word(t, start, name, memory_words) && (!constant || array)};
}

/* The declaration from start to end: a semicolon, or the end of a function's body. */
static void take(struct declarations *all, const struct token *t, int start, int end)
{
    int i = declarator_end(t, previous(t, start)), name = previous(t, i);

    if (is_word(t, start, " using typedef static_assert asm __asm__ "))
        return;
    if (is(t, i, "(") && !is(t, next(t, i), "*")) {
        name = is(t, name, ">") ? previous(t, angle_partner(t, name, -1)) : name;
        add(all, t, start, name, true);
        return;
    }
    while (is(t, i, "=,;[{") && i <= end) { /* int a, *b = 0, c[4]; */
        add(all, t, start, previous(t, i), false);
        while (i < end && !is(t, i, ","))
            i = next(t, is(t, i, "([{") ? partner(t, i, 1) : i);
        i = i < end ? declarator_end(t, i) : end + 1;
    }
}

/* Does the brace at open begin a type's members, in a declaration that begins at start? */
static bool has_members(const struct token *t, int start, int open)
{
    bool type = false;

    for (int i = start; i < open; i = next(t, i)) {
        if (is_word(t, i, words_with_arguments) || is(t, i, "<"))
            i = is(t, i, "<") ? angle_partner(t, i, 1) : partner(t, next(t, i), 1);
        else if (is(t, i, "=("))
            return false;
        type |= is_word(t, i, " struct class union enum ");
    }
    return type;
}

static struct declarations read_declarations(const struct token *t)
{
    struct declarations all = {0};

    for (int i = next(t, 0), start = i; t[i].kind != EDGE; i = next(t, i)) {
        bool open = is(t, i, "{"), linkage = t[previous(t, i)].kind == LITERAL; /* extern "C" { */
        if (open && has_members(t, start, i)) {
            while (t[i].kind != EDGE && !is(t, i, ";")) /* of variables no more is known */
                i = next(t, partner(t, i, 1));
            start = next(t, i);
        } else if (open && (linkage || has_word(t, start, i, " namespace "))) {
            start = next(t, i);
        } else {
            i = partner(t, i, 1);
            if (!is(t, i, ";") && (!is(t, i, "}") || is(t, next(t, i), ",;{")))
                continue;
            take(&all, t, start, i);
            start = next(t, i);
        }
    }
    return all;
}

/* ---- what the device's functions use ---- */

enum what { NOTHING, HEAP, EXCEPTION, VARIABLE, ARRAY, FUNCTION, OF_LIBRARY };

/* What the word at i is, which only the host may name: one declaration says so, and none else. */
static enum what what_is(const struct source *s, const struct declarations *all, int i)
{
    const struct token *t = s->t;
    const struct declaration *found = NULL;
    int then = next(t, i), close = is(t, then, "<") ? angle_partner(t, then, 1) : i;
    bool call = is(t, then, "(") || is(t, next(t, close), "(");

    if ((is_word(t, i, " malloc calloc free ") && call) || (is_word(t, i, " new ") && !call) ||
        (is_word(t, i, " delete ") && !is(t, previous(t, i), "=")))
        return HEAP;
    if (is_listed(t[i].text, t[i].length, of_the_cpu) && call)
        return OF_LIBRARY;
    if (is_word(t, i, " throw try ") && !(call && is(t, next(t, then), ")"))) /* f() throw() */
        return EXCEPTION;
    for (const struct declaration *d = all->of; d < all->of + all->count; d++) {
        if (!same_word(&t[i], &t[d->name]))
            continue;
        if (!d->of_host || d->function != call || qualifier(t, d->name))
            return NOTHING;
        found = d;
    }
    if (found && !call)
        return found->array ? ARRAY : VARIABLE;
    bool of_library = call && is_named(s, i, "libc");
    if (found)
        return of_library || is_named(s, i, "cuda.h") ? NOTHING : FUNCTION;
    return of_library && t[i].text[0] != '_' && !is_word(t, i, on_gpus) ? OF_LIBRARY : NOTHING;
}

/* Does the word at i stand for the first time in its function, in front of which CUDA's word
 * stands, and as a use? */
static bool is_first_use(const struct token *t, int word, int i)
{
    bool listed = is(t, previous(t, i), ",") && is(t, next(t, i), "=,;[{"); /* int a, i = 3; */

    for (int j = statement_start(t, word); j < i; j = next(t, j))
        if (same_word(&t[i], &t[j]) && qualifier(t, j) != '.')
            return false;
    return !listed && !is_declared(t, i);
}

/* Is only the type of the word at i asked for? */
static bool is_unevaluated(const struct token *t, int i)
{
    int before = previous(t, i);

    return is_word(t, is(t, before, "(") ? previous(t, before) : before, " sizeof decltype ");
}

/* Tells of the word at i if it is the host's and in a function of the device; returns whether. */
static bool look_at(const struct source *s, const struct declarations *all, int i)
{
    const struct token *t = s->t;
    enum what what = what_is(s, all, i);
    int word = what == NOTHING ? 0 : enclosed_by(t, i, device_words);

    if (!word || enclosed_by(t, i, host_words) || !is_first_use(t, word, i))
        return false;
    int open = declarator_end(t, word), name = previous(t, open), length = (int)t[i].length;
    bool plain = is(t, open, "(") && name != word && !qualifier(t, name) &&
                 !enclosed_by(t, word, " struct class union ");
    if (what == HEAP)
        report(&t[i], "%.*s: the CPU backend has no heap of the device" LOOK, length, t[i].text);
    else if (what == EXCEPTION)
        report(&t[i],
               "device code does not support exception handling: \"%.*s\"; want an error code",
               length, t[i].text);
    else if (!plain || is_unevaluated(t, i))
        return false;
    else if (what == VARIABLE || what == ARRAY)
        report(&t[i],
               "identifier \"%.*s\" is undefined in device code: it is a host %s in front of it",
               length, t[i].text,
               what == ARRAY ? "array; want __constant__ or __device__"
                             : "variable; want an argument, a constant or __device__");
    else
        report(&t[i],
               "calling a __host__ function(\"%.*s\") from a %s function(\"%.*s\") is not "
               "allowed; %s",
               length, t[i].text, is_word(t, word, " __device__ ") ? "__device__" : "__global__",
               (int)t[name].length, t[name].text,
               what == FUNCTION ? "want __device__ in front of it" : "GPUs do not have it");
    return true;
}

int sides_check(const struct source *s)
{
    struct declarations all = read_declarations(s->t);
    int told = 0;

    for (int i = next(s->t, 0); s->t[i].kind != EDGE; i = next(s->t, i))
        if (s->t[i].kind == WORD && !s->t[i].system && !qualifier(s->t, i))
            told += look_at(s, &all, i);
    free(all.of);
    return told;
}
