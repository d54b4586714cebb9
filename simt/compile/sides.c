/* Sets what g++ saw (references.h) against what the source says whose it is (declarations.h). g++
 * knows which function or variable a name means, tokens know __device__; a name that both sides
 * have, as of overloads, is not judged. */
#include "compile/sides.h"
#include "compile/declarations.h"
#include "compile/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source {
    const struct token *t;
    struct declarations declared;
    const struct token *names; /* of functions in the headers of the backend and the C library */
    int name_count;
};

/* Of the C library's functions but those of <math.h>: what a GPU has, and what g++ makes of others,
 * as of printf("\n"). */
static const char on_gpus[] = " abs labs llabs clock memcpy memset printf memcmp memmove "
                              "fputc fputs fwrite putc putchar puts ";

/* What is to be told: the device's function user, at a token, uses what is the host's. */
struct wrong {
    int place;
    bool in_kernel;
    const struct node *user, *used;
};

struct wrongs {
    struct wrong *of;
    int count;
};

static bool is_called(const struct token *t, const char *name)
{
    return t->kind == WORD && strlen(name) == t->length && strncmp(t->text, name, t->length) == 0;
}

/* For whom all declarations of that name together are. */
static unsigned for_whom(const struct source *source, const char *name)
{
    size_t count;
    const struct declaration *d = declarations_of(&source->declared, name, &count);
    unsigned all = 0;

    for (size_t i = 0; i < count; i++)
        all |= d[i].for_whom;
    return all;
}

/* header: as simtcc --precompile names them in the list. */
static bool is_in(const struct source *source, const char *header, const char *name)
{
    size_t length = strlen(header);

    for (int i = 1; i < source->name_count; i++)
        if (is_called(&source->names[i], name) && (size_t)source->names[i].file_length == length &&
            strncmp(source->names[i].file, header, length) == 0)
            return true;
    return false;
}

static bool is_on_gpus(const char *name)
{
    char word[16];

    return snprintf(word, sizeof word, " %s ", name) < (int)sizeof word && strstr(on_gpus, word);
}

/* The word of C++ that g++ calls that function for, which no GPU has; NULL: it is another. */
static const char *exception(const char *function)
{
    if (strcmp(function, "__cxa_begin_catch") == 0)
        return "try";
    bool throws = strcmp(function, "__cxa_throw") == 0 || strcmp(function, "__cxa_rethrow") == 0;
    return throws ? "throw" : NULL;
}

/* nvcc lets the device have a constant's value, but has no array there: whose word says else? */
static bool is_host_only(const struct source *source, const struct node *used)
{
    if (!used || !used->name || used->within || used->placed ||
        (used->function && used->is_constexpr))
        return false;
    unsigned whose = for_whom(source, used->name);
    if (used->function)
        return used->foreign && (whose & ~OF_SYSTEM) == 0
                   ? is_in(source, "libc", used->name) && !is_on_gpus(used->name)
                   : whose == FOR_HOST && !is_in(source, "cuda.h", used->name);
    return used->constant ? used->array && (whose == FOR_HOST || whose == FOR_BOTH)
                          : whose == FOR_HOST;
}

/* ---- places ---- */

/* The word in the function's body that names what is called so; 0: there is none. */
static int place_in(const struct token *t, int body, const char *name)
{
    const char *last = strrchr(name, ':') ? strrchr(name, ':') + 1 : name;
    int end = partner(t, body, 1);

    for (int i = body; i < end; i = next(t, i))
        if (is_called(&t[i], last[0] == '~' ? last + 1 : last))
            return i;
    return 0;
}

/* Where the function of that name uses what is called so: in one of its bodies, else where it is
 * declared. */
static int place_of(const struct source *source, const char *user, const char *name)
{
    size_t count;
    const struct declaration *d = declarations_of(&source->declared, user, &count);
    int place = 0;

    for (size_t i = 0; i < count && place == 0; i++)
        if (d[i].body)
            place = place_in(source->t, d[i].body, name);
    return place ? place : d->at;
}

/* ---- what is told ---- */

/* A place counts once, also in several instances of a template. */
static void add(struct wrongs *all, struct wrong wrong)
{
    for (int i = 0; i < all->count; i++)
        if (all->of[i].place == wrong.place)
            return;
    all->of = resize(all->of, (size_t)(all->count + 1) * sizeof *all->of);
    all->of[all->count++] = wrong;
}

static int by_place(const void *a, const void *b)
{
    return ((const struct wrong *)a)->place - ((const struct wrong *)b)->place;
}

static void tell(const struct token *at, const struct wrong *wrong)
{
    fprintf(stderr, "%.*s:%ld: error: ", at->file_length, at->file, at->line);
    if (wrong->used->heap)
        fprintf(stderr,
                "%s: the CPU backend has no heap of the device; see \"What it takes\" in "
                "simt/README.md\n",
                wrong->used->heap);
    else if (exception(wrong->used->name))
        fprintf(stderr,
                "device code does not support exception handling: \"%s\" in function(\"%s\"); want "
                "an error code\n",
                exception(wrong->used->name), wrong->user->name);
    else if (wrong->used->function)
        fprintf(stderr,
                "calling a __host__ function(\"%s\") from a %s function(\"%s\") is not allowed; "
                "%s\n",
                wrong->used->name, wrong->in_kernel ? "__global__" : "__device__",
                wrong->user->name,
                wrong->used->foreign ? "GPUs do not have it" : "want __device__ in front of it");
    else if (wrong->used->constant)
        fprintf(stderr,
                "identifier \"%s\" is undefined in device code: it is a host array; want "
                "__constant__ or __device__ in front of it\n",
                wrong->used->name);
    else
        fprintf(stderr,
                "identifier \"%s\" is undefined in device code: it is a host variable; want an "
                "argument, a constant or __device__ in front of it\n",
                wrong->used->name);
}

/* What a function of the device, or of both, uses of the host's. */
static void look_at(const struct source *source, const struct references *references,
                    const struct node *user, unsigned whose, struct wrongs *all)
{
    for (size_t i = user->use_count; i-- > 0;) { /* g++ lists the last call first */
        const struct node *used = references_node(references, user->uses[i].number);
        const char *word = used && used->name ? exception(used->name) : NULL;

        /* a virtual destructor comes with one that deletes, which nobody may call */
        if (used && used->heap && whose != FOR_BOTH && !strchr(user->name, '~'))
            word = used->heap;
        if (!word && whose != FOR_BOTH && is_host_only(source, used) &&
            used->function == user->uses[i].call)
            word = used->name;
        if (word)
            add(all,
                (struct wrong){place_of(source, user->name, word), whose == IS_KERNEL, user, used});
    }
}

int sides_check(const struct token *t, const struct token *names, int name_count, char *dump)
{
    struct source source = {t, declarations_find(t), names, name_count};
    struct references references = references_read(dump);
    struct wrongs all = {0};

    for (size_t i = 0; i < references.count; i++) {
        const struct node *user = &references.node[i];
        unsigned whose = user->name && user->function ? for_whom(&source, user->name) : 0;
        if (whose == FOR_DEVICE || whose == IS_KERNEL || (whose == FOR_BOTH && !user->is_constexpr))
            look_at(&source, &references, user, whose, &all);
    }
    if (all.count > 0)
        qsort(all.of, (size_t)all.count, sizeof *all.of, by_place);
    for (int i = 0; i < all.count; i++)
        tell(&t[all.of[i].place], &all.of[i]);
    references_free(&references);
    declarations_free(&source.declared);
    free(all.of);
    return all.count;
}
