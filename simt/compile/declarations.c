/* Walks through the scopes of a source, from one declaration to the next. */
#include "compile/declarations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char class_words[] = " struct class union ";
static const char ignored_words[] = " using typedef friend static_assert asm __asm__ ";

struct walk {
    const struct token *t;
    struct declarations found;
};

/* a and b with what stands between them, on the heap; of an empty a b alone. */
static char *joined(const char *a, const char *between, const char *b, size_t b_length)
{
    size_t room = strlen(a) + strlen(between) + b_length + 1;
    char *text = resize(NULL, room);

    snprintf(text, room, "%s%s%.*s", a, a[0] ? between : "", (int)b_length, b);
    return text;
}

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

/* ---- names ---- */

/* The name whose last word is at i, within a scope: "scope::a::b", on the heap. */
static char *qualified(const struct token *t, int i, const char *scope)
{
    char *name = joined(is(t, previous(t, i), "~") ? "~" : "", "", t[i].text, t[i].length);

    if (name[0] == '~')
        i = previous(t, i);
    for (int link; link = previous(t, i), is(t, link, ":") && is(t, link - 1, ":");) {
        i = previous(t, link - 1);
        if (is(t, i, ">"))
            i = previous(t, angle_partner(t, i, -1));
        if (t[i].kind != WORD)
            break;
        char *left = joined("", "", t[i].text, t[i].length);
        char *longer = joined(left, "::", name, strlen(name));
        free(left);
        free(name);
        name = longer;
    }
    char *whole = joined(scope, "::", name, strlen(name));
    free(name);
    return whole;
}

static unsigned for_whom(const struct token *t, int start, int name)
{
    bool device = false, host = false, both = false, kernel = false;

    for (int i = start; i < name; i = next(t, is(t, i, "([") ? partner(t, i, 1) : i)) {
        device |= is_word(t, i, " __device__ __constant__ __managed__ __shared__ ");
        host |= is_word(t, i, " __host__ __simt_host__ ");
        both |= is_word(t, i, " constexpr consteval ");
        kernel |= is_word(t, i, " __global__ __simt_kernel__ ");
    }
    return kernel                     ? IS_KERNEL
           : both || (device && host) ? FOR_BOTH
           : device                   ? FOR_DEVICE
                                      : FOR_HOST;
}

static void add(struct walk *w, int start, int name, int body, const char *scope)
{
    struct declarations *found = &w->found;

    if (w->t[name].kind != WORD)
        return;
    if (found->count == found->room)
        found->of = resize(found->of, (found->room = 2 * found->room + 256) * sizeof *found->of);
    found->of[found->count++] = (struct declaration){
        .name = qualified(w->t, name, scope),
        .for_whom = w->t[name].system ? OF_SYSTEM : for_whom(w->t, start, name),
        .at = name,
        .body = body};
}

/* ---- one declaration ---- */

/* The parenthesis of the parameters, if from start on a function is declared; else 0. */
static int parameters(const struct token *t, int start)
{
    int end = declarator_end(t, previous(t, start));

    if (is_word(t, end, " operator ")) {
        end = next(t, end);
        do /* () is a name, too */
            end = next(t, end);
        while (t[end].kind != EDGE && !is(t, end, "(;{}"));
    }
    return is(t, end, "(") && !is(t, next(t, end), "*") ? end : 0;
}

/* Is the function whose parameters begin there defaulted, deleted or pure? */
static bool has_no_code(const struct token *t, int open)
{
    int i = next(t, partner(t, open, 1));

    while (is_word(t, i, " const noexcept override final "))
        i = next(t, i);
    return is(t, i, "=");
}

static void take_function(struct walk *w, int start, int open, int body, const char *scope)
{
    int name = previous(w->t, open);

    if (is(w->t, name, ">"))
        name = previous(w->t, angle_partner(w->t, name, -1));
    if (body || !has_no_code(w->t, open))
        add(w, start, name, body, scope);
}

/* int a, *b = 0, c[4]; */
static void take_variables(struct walk *w, int start, int end, const char *scope)
{
    const struct token *t = w->t;
    int i = declarator_end(t, previous(t, start));

    while (i < end || is(t, i, ";")) {
        add(w, start, previous(t, i), 0, scope);
        while (i < end && !is(t, i, ","))
            i = next(t, is(t, i, "([{") ? partner(t, i, 1) : i);
        if (i >= end)
            return;
        i = declarator_end(t, i);
    }
}

/* The declaration from start to before end, a semicolon, or the brace of a function's body. */
static void take(struct walk *w, int start, int end, int body, const char *scope)
{
    const struct token *t = w->t;

    start = skip_heads(t, start);
    if (start >= end || is_word(t, start, ignored_words))
        return;
    int stop = declarator_end(t, previous(t, start)), open = parameters(t, start);
    if (open)
        take_function(w, start, open, body, scope);
    else if (is(t, stop, "=,;[{") && !t[start].system)
        take_variables(w, start, end, scope);
}

/* ---- scopes ---- */

/* The name of what the brace at open begins, if that is a namespace or class whose declaration
 * begins at start: its last word, or open where it has none; 0: it is something else. */
static int scope_name(const struct token *t, int start, int open)
{
    int name = open;
    bool scope = false;

    for (int i = skip_heads(t, start); i < open; i = next(t, i)) {
        bool arguments = is_word(t, i, words_with_arguments) && is(t, next(t, i), "(");
        if (is(t, i, "=(") || is_word(t, i, " enum "))
            return 0;
        if (is(t, i, ":") && !is(t, i + 1, ":") && !is(t, i - 1, ":"))
            break; /* base classes */
        if (is_word(t, i, " namespace ") || is_word(t, i, class_words))
            scope = true;
        else if (scope && t[i].kind == WORD && !arguments && !is_word(t, i, " final "))
            name = i;
        if (arguments)
            i = partner(t, next(t, i), 1);
        if (is(t, i, "<"))
            i = angle_partner(t, i, 1);
    }
    return scope ? name : 0;
}

/* Within what the brace at open begins: the name of the scope, on the heap; NULL: it is none. */
static char *inner_scope(const struct token *t, int start, int open, const char *scope)
{
    if (t[previous(t, open)].kind == LITERAL && is_word(t, start, " extern "))
        return joined(scope, "", "", 0);
    int name = scope_name(t, start, open);
    if (name == open)
        return joined(scope, "::", "{anonymous}", strlen("{anonymous}"));
    return name ? qualified(t, name, scope) : NULL;
}

/* Is the brace at i, behind a function's parameters, the value of a member, as in S() : a{1} { }?
 */
static bool is_member_value(const struct token *t, int open, int i)
{
    int before = previous(t, i), colon = next(t, partner(t, open, 1));

    while (is_word(t, colon, " const noexcept "))
        colon = next(t, colon);
    return is(t, colon, ":") && (t[before].kind == WORD || is(t, before, ">"));
}

/* From i on to the end of its scope, which it returns: a brace or an EDGE. */
static int walk(struct walk *w, int i, const char *scope)
{
    const struct token *t = w->t;
    char *inner;

    for (int start = i, open; t[i].kind != EDGE && !is(t, i, "}");) {
        if (is(t, i, ";")) {
            take(w, start, i, 0, scope);
            i = start = next(t, i);
        } else if (!is(t, i, "{")) {
            i = next(t, is(t, i, "([") ? partner(t, i, 1) : i);
        } else if ((inner = inner_scope(t, start, i, scope)) != NULL) {
            i = start = next(t, walk(w, next(t, i), inner));
            free(inner);
        } else {
            open = parameters(t, skip_heads(t, start));
            bool body = open && open < i && !is_member_value(t, open, i);
            if (body)
                take(w, start, i, i, scope);
            i = next(t, partner(t, i, 1));
            if (body || !is(t, i, ",;{")) /* or else it was a value */
                start = i;
        }
    }
    return i;
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b)
{
    const struct declaration *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : x->at - y->at;
}

struct declarations declarations_find(const struct token *t)
{
    struct walk w = {.t = t};

    for (int i = next(t, 0); t[i].kind != EDGE; i = next(t, i))
        i = walk(&w, i, "");
    if (w.found.count > 0)
        qsort(w.found.of, w.found.count, sizeof *w.found.of, by_name);
    return w.found;
}

void declarations_free(struct declarations *declarations)
{
    for (size_t i = 0; i < declarations->count; i++)
        free(declarations->of[i].name);
    free(declarations->of);
}

const struct declaration *declarations_of(const struct declarations *declarations, const char *name,
                                          size_t *count)
{
    size_t low = 0, high = declarations->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(declarations->of[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < declarations->count && !strcmp(declarations->of[high].name, name);)
        high++;
    *count = high - low;
    return *count ? &declarations->of[low] : NULL;
}
