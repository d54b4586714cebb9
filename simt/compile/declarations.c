/* Rewrites declarations of variables that lie in the device's memory: because of a word of CUDA's,
 * or because they are static in a function of the device. And tells what a declaration names. */
#include "compile/rewrite.h"

#include <string.h>

#define GAP "1024" /* bytes between two variables */

const char memory_words[] = " __shared__ __device__ __constant__ __managed__ ";
const char device_words[] = " __device__ __simt_kernel__ ";
const char host_words[] = " __host__ __simt_host__ ";
const char kernel_words[] = " __simt_kernel__ ";

/* Does the memory word at i belong to a variable? A pointer to a function is one, a lambda none. */
static bool is_variable(const struct token *t, int i)
{
    int before = previous(t, i), end = declarator_end(t, i);
    while (is_word(t, before, host_words))
        before = previous(t, before);
    if (is(t, before, "]") && !is(t, before - 1, "]"))
        return false;
    return is(t, end, "=,;[{") ||
           (is(t, end, "(") && is(t, next(t, end), "*") && is(t, find(t, next(t, end), "()"), ")"));
}

/* Puts a line for simtcc into the object, in front of token i: it names the type of the array
 * called `name` in this instance of a template. It needs no code. */
static void record_type(struct token *t, int i, int name)
{
    append(t, i,
           "__asm__(\".pushsection simt_types,\\\"?\\\",%%%%progbits\\n.ascii \\\"simt_types:");
    for (const char *c = t[name].file; *c; c++) /* what an assembler's text may have */
        append(t, i, "%c", strchr("\\\"%:", *c) ? '?' : *c);
    append(t, i,
           ":%ld:%.*s:%%c0\\\\n\\\"\\n.popsection\" : : \"i\"(&::simt::type_of_shared<"
           "::std::remove_reference_t<decltype(%.*s)>>)); ",
           t[name].line, (int)t[name].length, t[name].text, (int)t[name].length, t[name].text);
}

/* Rewrites extern __shared__ int a[], b[]; so that each array is the block's dynamic shared memory,
 * or (by_reference) a reference to it, T (&a)[] = ...; The first name is in front of i. */
static void rewrite_dynamic_shared(struct token *t, int i, bool by_reference)
{
    do {
        int name = previous(t, i), last = name;
        for (; is(t, i, "["); i = next(t, last))
            last = partner(t, i, 1);
        i = declarator_end(t, last);
        if (by_reference) {
            t[name - 1].after = "(&";
            t[name].after = ")";
            append(t, i, " = reinterpret_cast<decltype(%.*s)>(::simt_dynamic_shared)",
                   (int)t[name].length, t[name].text);
            record_type(t, find(t, i, ";") + 1, name);
        } else {
            t[last].after = " __asm__(\"simt_dynamic_shared\") " /* in front of other attributes */
                            "__attribute__((tls_model(\"local-exec\")))";
        }
    } while (is(t, i, ",") && (i = declarator_end(t, i)));
}

/* Types that are no structures, as far as their words tell. */
static const char plain[] = " bool char short int long unsigned signed float double size_t int8_t "
                            "int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t volatile ";

/* Rewrites __shared__ at i. storage: the declaration's extern or static; 0: it has none. g++ wants
 * __thread behind that word, while CUDA takes both orders. In a template g++ forgets an __asm__
 * name, so there the array becomes a reference. Like nvcc, it aligns structures to the 16 bytes
 * that are copied at once (watch/pieces.c). */
static void rewrite_shared(struct token *t, int i, int storage)
{
    bool is_extern = is_word(t, storage, " extern "),
         by_reference = is_extern && enclosed_by(t, i, " template ");
    if (is_extern)
        rewrite_dynamic_shared(t, declarator_end(t, i), by_reference);
    t[i].instead = storage == 0 ? "static __thread" : storage < i ? "__thread" : "";
    if (storage > i)
        t[storage].instead = is_extern ? "extern __thread" : "static __thread";
    if (by_reference)
        t[i].instead = t[storage].instead = "";
    int end = declarator_end(t, i), name = previous(t, end), semicolon = find(t, end, ";");
    if (!is_extern && is(t, end, "[") && is(t, semicolon, ";") && !class_around(t, i))
        append(t, semicolon + 1,
               " static_assert(sizeof %.*s <= 49152, \"a __shared__ array of more "
               "than 49152 bytes: want extern __shared__ memory\");",
               (int)t[name].length, t[name].text);
    if (is_word(t, next(t, i), " alignas ")) { /* which g++ wants in front */
        t[partner(t, next(t, next(t, i)), 1)].after =
            storage == 0 ? " static __thread" : " __thread";
        t[i].instead = "";
    } else if (!is_extern && !has_word(t, statement_start(t, i), declarator_end(t, i), plain)) {
        append(t, next(t, i), "__attribute__((aligned(16))) ");
    }
}

/* Does the declaration have an initial value? Its first name is in front of i, or behind the braces
 * of the members that begin at i. */
static bool gives_value(const struct token *t, int i)
{
    int before = previous(t, i);

    if (is(t, i, "{") &&
        (is_word(t, before, class_words) || is_word(t, previous(t, before), class_words)))
        i = next(t, partner(t, i, 1));
    return !is(t, find(t, i, "={;"), ";");
}

/* Do the variables of the declaration, from start to before end, certainly begin as zeros? Of a
 * class only g++ knows. */
static bool is_zero(const struct token *t, int start, int end)
{
    for (int i = next(t, start - 1); i < previous(t, end); i = next(t, i))
        if (!is_word(t, i, plain) && !is_word(t, i, " __device__ __managed__ ") && !is(t, i, "*") &&
            !(is_word(t, i, " static ") && t[i].around == 0)) /* no member */
            return false;
    return !gives_value(t, end);
}

/* Puts the variable whose declarator ends at `end` into memory of that kind, by an attribute in
 * front of token i. zero: it begins as zeros, which take no room in the program's file.
 *
 * Each variable has a section of its own, because g++ wants all variables of a section const, or
 * none. g++ passes the section's name to the assembler as it stands. So the name also brings GAP
 * bytes in front of the variable, which a wrong index hits, and a # that makes a comment of the
 * flags that g++ appends. */
static void put_into_section(struct token *t, int i, int end, const char *kind, bool zero)
{
    int name = previous(t, end), length = t[name].kind == WORD ? (int)t[name].length : 0;

    append(t, i, "__attribute__((section(\"%s%s%.*s,\\\"aw\\\",%%%s\\n.zero " GAP "\\n#\")))", kind,
           length ? "." : "", length, t[name].text, zero ? "nobits" : "progbits");
}

/* Is token i the static of a variable in a function of the device? Such a variable lies in the
 * device's memory without a word of CUDA's. The memory of a constant does not matter. */
static bool is_static_on_device(const struct token *t, int i)
{
    if (!is_word(t, i, " static "))
        return false;
    int start = statement_start(t, i), end = declarator_end(t, i);
    return is(t, end, "=,;[{") && !has_word(t, start, end, memory_words) &&
           !has_word(t, start, end, " const constexpr thread_local ") &&
           enclosed_by(t, i, device_words) && !enclosed_by(t, i, host_words);
}

int rewrite_declaration(struct token *t, int i)
{
    if (!is_word(t, i, memory_words) && !is_static_on_device(t, i))
        return i;
    int storage = 0, shared = 0, last = i, start = statement_start(t, i);
    int end = declarator_end(t, i), name = previous(t, end);
    const char *kind = "simt_device";
    for (int j = start; j < end; j++) {
        if (is_word(t, j, " extern static "))
            storage = j;
        if (is_word(t, j, " __shared__ "))
            shared = j;
        if (is_word(t, j, " __constant__ "))
            kind = gives_value(t, end) ? "simt_constant" : "simt_unset";
        if (is_word(t, j, " __managed__ "))
            kind = "simt_managed";
        if (is_word(t, j, memory_words))
            t[last = j].instead = "";
    }
    bool elsewhere = is_word(t, storage, " extern ") && !gives_value(t, end);
    bool zero = is_zero(t, start, end);
    if (zero)
        kind = strcmp(kind, "simt_managed") == 0 ? "simt_managed_zero" : "simt_device_zero";
    if (shared && is_variable(t, i) && gives_value(t, end))
        refuse(t, i, 1, "initializer not allowed for __shared__ variable");
    if (shared && !is_word(t, storage, " extern ") && is_variable(t, i) && !is_outside(t, i) &&
        brackets_pair && !class_around(t, i) && !enclosed_by(t, i, device_words))
        refuse(t, i, 1, "a __shared__ variable is not allowed in a function of the host");
    bool local = !shared && !storage && is_variable(t, i) && is(t, previous(t, t[i].around), ")");
    if (local && brackets_pair)
        refuse(t, i, 1, "only a __shared__ variable may be declared in a function");
    if (!shared && is_variable(t, i) && class_around(t, i))
        refuse(t, i, 1, "memory qualifier on data member is not allowed");
    bool in_function = is_word(t, storage, " static ") && enclosed_by(t, i, device_words);
    bool of_template = in_function ? enclosed_by(t, i, " template ")
                                   : is_word(t, start, " template ") && t[name].kind == WORD &&
                                         !qualifier(t, name);
    bool changes = !has_word(t, start, end, " const constexpr ");
    if (!shared && is_variable(t, i) && of_template && changes) /* g++ puts it into no section */
        refuse(t, i, 2,
               "the CPU backend has no variables of the device that are templates, or static in "
               "one: want a variable for each type");
    if (shared)
        rewrite_shared(t, shared, storage);
    else if (is_variable(t, i) && !elsewhere && !local && !of_template)
        put_into_section(t, i, end, kind, zero);
    if (!shared && is(t, end, "=") && is_outside(t, i) && is_variable(t, i) && !of_template &&
        !has_word(t, start, end, " constexpr constinit "))
        append(t, start, "__constinit ");
    return last;
}

/* ---- what a declaration names, and where it stands ---- */

bool is_outside(const struct token *t, int i)
{
    for (int open = t[i].around; open != 0; open = t[open].around)
        if (!is(t, open, "{") || (t[previous(t, open)].kind != LITERAL && /* extern "C" { */
                                  !has_word(t, statement_start(t, open), open, " namespace ")))
            return false;
    return true;
}

bool names_it(const struct token *t, int start, int i)
{
    int before = previous(t, i);

    while (is_word(t, start, " template "))
        start = next(t, angle_partner(t, next(t, start), 1));
    bool behind = is_word(t, previous(t, partner(t, before, -1)), words_with_arguments) &&
                  is(t, next(t, i), "(") &&
                  !has_word(t, start, i, class_words); /* void __launch_bounds__(64) k() */
    while (is(t, before, "*&"))
        before = previous(t, before);
    bool listed = is(t, before, ",") && is(t, next(t, i), "=,;[{"); /* int a, *b = 0; */
    return i > start && (listed || behind || is_declared(t, i)) &&
           !is_word(t, previous(t, i), class_words) && !is_word(t, i, memory_words) &&
           !is_word(t, i, words_with_arguments) && !is_word(t, i, " char short int long bool ") &&
           !is_word(t, start, " using typedef static_assert asm __asm__ namespace ");
}
