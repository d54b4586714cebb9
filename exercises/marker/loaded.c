/* Loads an exercise, and has the functions that it calls. */
#define _GNU_SOURCE
#include "loaded.h"
#include "../task.h"
#include "text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct loaded loaded;

static struct functions {
    void (*arrays)(void), (*inputs)(void), (*reference)(void);
    void (*judge)(const struct figures *f);
} call;
static struct judged judged;
static unsigned long long state;

static _Noreturn void fail(const char *what)
{
    text_fail(text_of("%s/exercise.c", loaded.name), what);
}

/* ---- loading ---- */

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    return found ? found : (fail(text_of("has no '%s'", name)), NULL);
}

static int values_of(const struct size *s)
{
    int count = 0;

    while (count < MOST_VALUES && s->value[count] > 0)
        count++;
    return count;
}

static int runs_of(const struct size *s)
{
    return values_of(s) + s->draw[0].count + s->draw[1].count;
}

int loaded_runs(void)
{
    return runs_of(&loaded.exercise.size[0]);
}

void loaded_open(const char *root, const char *name, const char *type)
{
    const struct size *size = loaded.exercise.size;
    void *library =
        dlopen(text_of("%s/build/exercises/%s/exercise-%s.so", root, name, type), RTLD_NOW);

    if (!library)
        text_fail("no exercise, or make marker has not built it", dlerror());
    loaded.root = root;
    loaded.name = name;
    loaded.type = type;
    memcpy(&loaded.exercise, symbol(library, "exercise"), sizeof loaded.exercise);
    *(void **)&call.arrays = symbol(library, "arrays");
    *(void **)&call.reference = symbol(library, "reference");
    *(void **)&call.judge = symbol(library, "judge");
    *(void **)&call.inputs = dlsym(library, "inputs");
    loaded.sizes = size[1].name ? 2 : 1;
    const struct size *last = &size[loaded.sizes - 1];
    if (!loaded.exercise.title || !loaded.exercise.types || !size->name || loaded_runs() == 0 ||
        values_of(last) != values_of(size) || runs_of(last) != runs_of(size))
        fail("'exercise' wants a title, types, and sizes with as many values and draws each");
}

/* ---- a run ---- */

void loaded_seed(unsigned long long seed)
{
    state = seed;
}

/* Vigna's splitmix64. */
unsigned next_random(void)
{
    unsigned long long x = state += 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (unsigned)((x ^ x >> 31) >> 32);
}

static long draw(const struct size *s, int k)
{
    const bool second = k - values_of(s) >= s->draw[0].count;
    const long low = s->draw[second].low, high = s->draw[second].high;

    return low + (long)(next_random() % (unsigned)(high - low + 1));
}

void loaded_choose(int k)
{
    for (int i = 0; i < loaded.sizes; i++) {
        const struct size *s = &loaded.exercise.size[i];
        loaded.size[i] = k < values_of(s) ? s->value[k] : draw(s, k);
    }
}

/* Fills an input with odd numbers, of floats with their halves, so small that any sum of them is
 * exact in the type. */
static void fill(struct array *a)
{
    const int bits = a->is_int ? 30 : a->wire.bytes == sizeof(float) ? 24 : 52;
    const double most = fmin(exp2(bits) / (double)a->wire.count, exp2(30));

    for (size_t i = 0; i < a->wire.count; i++) {
        double odd = 2 * floor(next_random() % (1u << 31) / exp2(31) * most / 2) + 1;
        odd = next_random() % 2 ? -odd : odd;
        if (a->is_int)
            ((int *)a->data)[i] = (int)odd;
        else if (a->wire.bytes == sizeof(float))
            ((float *)a->data)[i] = (float)(odd / 2);
        else
            ((double *)a->data)[i] = odd / 2;
    }
}

static unsigned elem_bytes(void)
{
    return strcmp(loaded.type, "double") == 0 ? sizeof(double) : sizeof(int);
}

static void add_array(const char *name, enum task_role role, enum element type, double count)
{
    struct array *a = &loaded.array[loaded.arrays];

    if (loaded.arrays++ == WIRE_MOST || strlen(name) >= WIRE_NAME)
        fail("too many arrays, or a name of more than 31 letters");
    a->is_int = type == INT || strcmp(loaded.type, "int") == 0;
    a->wire.role = role;
    a->wire.bytes = type == INT ? sizeof(int) : elem_bytes();
    a->wire.count = (uint64_t)count;
    strcpy(a->wire.name, name);
    a->data = calloc(a->wire.count + 1, a->wire.bytes);
    if (!a->data)
        fail("no memory for its arrays");
    if (role == TASK_IN)
        fill(a);
}

void in(const char *name, enum element type, double count)
{
    add_array(name, TASK_IN, type, count);
}

void out(const char *name, enum element type, double count)
{
    add_array(name, TASK_OUT, type, count);
}

void work(const char *name, enum element type, double count)
{
    add_array(name, TASK_WORK, type, count);
}

void loaded_make_arrays(void)
{
    while (loaded.arrays > 0)
        free(loaded.array[--loaded.arrays].data);
    call.arrays();
    if (call.inputs)
        call.inputs();
    call.reference();
}

size_t size(const char *name)
{
    for (int i = 0; i < loaded.sizes; i++)
        if (strcmp(loaded.exercise.size[i].name, name) == 0)
            return (size_t)loaded.size[i];
    fail(text_of("no size '%s'", name));
}

static void *array(const char *name, unsigned bytes)
{
    for (unsigned i = 0; i < loaded.arrays; i++)
        if (strcmp(loaded.array[i].wire.name, name) == 0 && loaded.array[i].wire.bytes == bytes)
            return loaded.array[i].data;
    fail(text_of("no array '%s' with elements of %u bytes", name, bytes));
}

elem_t *elems(const char *name)
{
    return array(name, elem_bytes());
}

int *ints(const char *name)
{
    return array(name, sizeof(int));
}

/* ---- what counts as done ---- */

struct judged loaded_judge(const struct figures *figures)
{
    judged = (struct judged){.came = NAN};
    call.judge(figures);
    return judged;
}

static void add_budget(struct budget b)
{
    if (judged.budgets == MOST_BUDGETS)
        fail("too many budgets");
    judged.budget[judged.budgets++] = b;
}

void budget(const char *name, const char *means, double value, double limit, bool applies)
{
    add_budget((struct budget){name, means, value, limit, false, applies});
}

void keep(const char *name, const char *means, double value, double limit, bool applies)
{
    add_budget((struct budget){name, means, value, limit, true, applies});
}

void hint(const char *reasons, const char *text)
{
    if (judged.hints == MOST_HINTS)
        fail("too many hints");
    judged.hint[judged.hints++] = (struct hint){reasons, text};
}

void predict(const char *words, double came)
{
    judged.predicts = words;
    judged.came = isnan(came) ? 0 : came; /* 0 of 0 */
}
