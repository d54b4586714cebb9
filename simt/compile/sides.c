/* Lists what the source declares at file, namespace and class scope, for whom, and looks the words
 * in the device's functions up in it. It goes by a name's last word: what is declared for both
 * sides, as overloads are, by a class, or once more in the function itself, is not judged. */
#include "compile/refused.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char device_words[] = " __device__ __constant__ __managed__ __shared__ ";
static const char kernel_words[] = " __global__ __simt_kernel__ ";
static const char type_words[] = " struct class union enum ";
static const char constant_words[] = " constexpr consteval ";

/* Of the C library's functions but those of <math.h>: what a GPU has, or CUDA's headers bring. */
static const char on_gpus[] = " abs labs llabs clock memcpy memset printf memcmp memmove "
                              "fputc fputs fwrite putc putchar puts "
                              "sizeof int void ";

enum whose { HOSTS, DEVICES, KERNEL, OF_BOTH };

/* A function or a variable; tokens by their index. */
struct declaration {
    int start, name, end; /* end: behind the name, or the end of the function's body */
    enum whose whose;
    bool function, member, constant, array;
};

struct source {
    const struct token *t, *names; /* names: of the backend's headers and the C library's */
    int name_count;
    struct declaration *of;
    size_t count;
    int told;
};

/* ---- what is declared ---- */

/* Behind template <…>, public: and [[…]], which may stand in front of a declaration. */
static int skip_heads(const struct token *t, int i)
{
    for (;;) {
        int then = next(t, i);
        if (is_word(t, i, " template ") && is(t, then, "<"))
            i = next(t, angle_partner(t, then, 1));
        else if (is_word(t, i, " public private protected ") && is(t, then, ":"))
            i = next(t, then);
        else if (is(t, i, "[") && is(t, then, "["))
            i = next(t, partner(t, i, 1));
        else
            return i;
    }
}

/* Does one of the words stand among the specifiers from start to before the name? */
static bool has_word(const struct token *t, int start, int name, const char *words)
{
    for (int i = start; i < name; i = next(t, is(t, i, "([") ? partner(t, i, 1) : i))
        if (is_word(t, i, words))
            return true;
    return false;
}

static void add(struct source *s, int start, int name, int end, bool member, bool function)
{
    const struct token *t = s->t;
    bool device = has_word(t, start, name, device_words);
    bool constant = has_word(t, start, name, constant_words);
    bool host = has_word(t, start, name, " __host__ __simt_host__ ");

    if (t[name].kind != WORD || t[name].system || is_word(t, name, type_words) ||
        is_word(t, previous(t, name), type_words))
        return;
    s->of = resize(s->of, (s->count + 1) * sizeof *s->of);
    s->of[s->count++] = (struct declaration){
        .start = start,
        .name = name,
        .end = end,
        .whose = has_word(t, start, name, kernel_words)                           ? KERNEL
                 : (device && host) || (constant && (host || device || function)) ? OF_BOTH
                 : device                                                         ? DEVICES
                                                                                  : HOSTS,
        .function = function,
        .member = member,
        .constant =
            constant || (has_word(t, start, name, " const ") && !is(t, previous(t, name), "*")),
        .array = !function && is(t, next(t, name), "[")};
}

/* The declaration from start to before end: a semicolon, or behind a function's body. */
static void take(struct source *s, int start, int end, bool member)
{
    const struct token *t = s->t;
    int head = skip_heads(t, start), i = declarator_end(t, previous(t, head));

    if (head >= end || is_word(t, head, " using typedef friend static_assert asm __asm__ "))
        return;
    if (is(t, i, "(") && !is(t, next(t, i), "*")) {
        int name = previous(t, i);
        if (is(t, name, ">"))
            name = previous(t, angle_partner(t, name, -1));
        add(s, start, name, end, member, true);
        return;
    }
    while (is(t, i, "=,;[{") && i <= end) { /* int a, *b = 0, c[4]; */
        add(s, start, previous(t, i), i, member, false);
        while (i < end && !is(t, i, ","))
            i = next(t, is(t, i, "([{") ? partner(t, i, 1) : i);
        if (i >= end)
            return;
        i = declarator_end(t, i);
    }
}

enum scope { NO_SCOPE, NAMESPACE, CLASS };

/* What the brace at open begins, in a declaration that begins at start. */
static enum scope scope_of(const struct token *t, int start, int open)
{
    enum scope scope = t[previous(t, open)].kind == LITERAL ? NAMESPACE : NO_SCOPE;

    for (int i = skip_heads(t, start); i < open; i = next(t, i)) {
        if (is_word(t, i, words_with_arguments) && is(t, next(t, i), "("))
            i = partner(t, next(t, i), 1);
        else if (is(t, i, "=(") || is_word(t, i, " enum "))
            return NO_SCOPE;
        else if (is_word(t, i, " namespace "))
            scope = NAMESPACE;
        else if (is_word(t, i, " struct class union "))
            scope = CLASS;
    }
    return scope;
}

/* Is the brace at i a function's body, and no value of a member, as in S() : a{1} { }? */
static bool is_body(const struct token *t, int start, int i)
{
    int open = declarator_end(t, previous(t, skip_heads(t, start)));

    while (is_word(t, open, " operator ") || (t[open].kind != EDGE && !is(t, open, "(=;{")))
        open = next(t, open);
    return is(t, open, "(") && open < i && !is(t, next(t, partner(t, i, 1)), ",{");
}

/* From i on to the end of its scope, which it returns: a brace or an EDGE. */
static int walk(struct source *s, int i, bool member)
{
    const struct token *t = s->t;

    for (int start = i; t[i].kind != EDGE && !is(t, i, "}");) {
        if (is(t, i, ";")) {
            take(s, start, i, member);
            i = start = next(t, i);
        } else if (!is(t, i, "{")) {
            i = next(t, is(t, i, "([") ? partner(t, i, 1) : i);
        } else if (scope_of(t, start, i) != NO_SCOPE) {
            bool class = scope_of(t, start, i) == CLASS;
            i = next(t, walk(s, next(t, i), class));
            while (class && t[i].kind != EDGE &&
                   !is(t, i, ";}")) /* of variables no more is known */
                i = next(t, i);
            start = i;
        } else {
            int close = partner(t, i, 1);
            bool body = is_body(t, start, i);
            if (body)
                take(s, start, close, member);
            i = next(t, close);
            if (body || !is(t, i, ",;{")) /* or else it was a value */
                start = i;
        }
    }
    return i;
}

/* ---- what the device's functions use ---- */

/* header: as simtcc --precompile names them in the list. */
static bool is_in(const struct source *s, const char *header, int word)
{
    const struct token *t = &s->t[word];

    for (int i = 1; i < s->name_count; i++) {
        const struct token *name = &s->names[i];
        if (same_text(name, t) && strncmp(name->file, header, strlen(header)) == 0)
            return true;
    }
    return false;
}

/* Is the word at i declared there, within the function: int i, T *i, …, i = 3? */
static bool is_declared(const struct token *t, int i)
{
    int before = previous(t, i), then = next(t, i);

    if (is(t, before, ","))
        return is(t, then, "=,;[{");
    if (t[before].kind == WORD)
        return !is_word(t, before, " return else do case goto throw new delete sizeof ");
    if (is(t, before, ">"))
        return !is(t, before - 1, "-") && angle_partner(t, before, -1) != before;
    while (is(t, before, "*&"))
        before = previous(t, before);
    return before != previous(t, i) && t[before].kind == WORD &&
           (is(t, previous(t, before), ";{}(,") || t[previous(t, before)].kind == WORD);
}

/* Is the word at i, in the function user, for the first time there what it is elsewhere? */
static bool is_first(const struct token *t, const struct declaration *user, int i)
{
    for (int j = user->start; j < user->end; j = next(t, j))
        if (same_word(t, i, j) && j != user->name &&
            (is_declared(t, j) || (j < i && !is(t, previous(t, j), "."))))
            return false;
    return true;
}

/* The declaration that says that what the word at i names is the host's; NULL: none, or another
 * says else. A constant's value the device may have, but no array of them. */
static const struct declaration *declared_for_host(const struct source *s, int i, bool call)
{
    const struct token *t = s->t;
    bool qualified = is(t, previous(t, i), ":");
    const struct declaration *found = NULL;

    for (size_t k = 0; k < s->count; k++) {
        const struct declaration *d = &s->of[k];
        if (!same_word(t, i, d->name) || (d->member && qualified))
            continue;
        bool mine = qualified || !is(t, previous(t, d->name), ":");
        bool judged = d->function   ? d->whose == HOSTS
                      : d->constant ? d->array && d->whose != DEVICES
                                    : d->whose == HOSTS;
        if (d->member || !mine || !judged || d->function != call)
            return NULL;
        found = d;
    }
    bool known = found && found->function && (is_in(s, "cuda.h", i) || is_in(s, "libc", i));
    return known ? NULL : found;
}

/* form: of the name at i with its scopes, which word makes the user the device's, and its name. */
static void tell(struct source *s, const struct declaration *user, int i, const char *form)
{
    const struct token *t = s->t;
    const char *end = t[i].text + t[i].length;
    char name[200], of[200];

    fprintf(stderr, "%.*s:%ld: error: ", t[i].file_length, t[i].file, t[i].line);
    while (is(t, previous(t, i), ":") && t[previous(t, previous(t, i) - 1)].kind == WORD)
        i = previous(t, previous(t, i) - 1);
    snprintf(name, sizeof name, "%.*s", (int)(end - t[i].text), t[i].text);
    snprintf(of, sizeof of, "%.*s", (int)t[user->name].length, t[user->name].text);
    fprintf(stderr, form, name, user->whose == KERNEL ? "__global__" : "__device__", of);
    s->told++;
}

#define CALL      "calling a __host__ function(\"%1$s\") from a %2$s function(\"%3$s\") is not allowed; "
#define UNDEFINED "identifier \"%1$s\" is undefined in device code: it is a host "

/* The word at i, in a function of the device alone. */
static void look_at(struct source *s, const struct declaration *user, int i)
{
    const struct token *t = s->t;
    int then = next(t, i), before = previous(t, i);
    bool placement = is_word(t, i, " new ") && is(t, then, "("),
         deleted = is_word(t, i, " delete ") && is(t, before, "=");

    if (is(t, then, "<") && is(t, next(t, angle_partner(t, then, 1)), "("))
        then = next(t, angle_partner(t, then, 1));
    bool call = is(t, then, "("), heap = is_word(t, i, " malloc calloc free ") && call;
    if (heap || (is_word(t, i, " new delete ") && !placement && !deleted)) {
        tell(s, user, i,
             "%1$s: the CPU backend has no heap of the device; see \"What it takes\" in "
             "simt/README.md\n");
        return;
    }
    const struct declaration *d = declared_for_host(s, i, call);
    if (d && d->function)
        tell(s, user, i, CALL "want __device__ in front of it\n");
    else if (d && d->constant)
        tell(s, user, i, UNDEFINED "array; want __constant__ or __device__ in front of it\n");
    else if (d)
        tell(s, user, i,
             UNDEFINED "variable; want an argument, a constant or __device__ in front of it\n");
    else if (call && !is_word(t, i, on_gpus) && is_in(s, "libc", i) && t[i].text[0] != '_' &&
             !is(t, before, ":")) {
        for (size_t k = 0; k < s->count; k++)
            if (same_word(t, i, s->of[k].name))
                return;
        tell(s, user, i, CALL "GPUs do not have it\n");
    }
}

static void look_into(struct source *s, const struct declaration *user)
{
    const struct token *t = s->t;

    for (int i = next(t, user->name); i < user->end; i = next(t, i)) {
        int before = previous(t, i);
        bool member = is(t, before, ".") || (is(t, before, ">") && is(t, before - 1, "-"));
        bool unevaluated =
            is_word(t, before, " sizeof ") ||
            (is(t, before, "(") && is_word(t, previous(t, before), " sizeof decltype "));
        if (t[i].kind != WORD || t[i].system || member || unevaluated || !is_first(t, user, i))
            continue;
        if (is_word(t, i, " throw try "))
            tell(s, user, i,
                 "device code does not support exception handling: \"%1$s\" in%2$.0s "
                 "function(\"%3$s\"); "
                 "want an error code\n");
        else if (user->whose != OF_BOTH)
            look_at(s, user, i);
    }
}

int sides_check(const struct token *t, const struct token *names, int name_count)
{
    struct source s = {.t = t, .names = names, .name_count = name_count};

    for (int i = next(t, 0); t[i].kind != EDGE; i = next(t, i))
        i = walk(&s, i, false);
    for (size_t k = 0; k < s.count; k++)
        if (s.of[k].function && s.of[k].whose != HOSTS && is(t, s.of[k].end, "}") &&
            !has_word(t, s.of[k].start, s.of[k].name, constant_words))
            look_into(&s, &s.of[k]);
    free(s.of);
    return s.told;
}
