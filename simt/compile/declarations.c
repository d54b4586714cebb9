/* Rewrites declarations of variables that lie in the device's memory: because of a word of CUDA's,
 * or because they are static in a function of the device. And tells what a declaration names. */
#include "compile/rewrite.h"

#include <string.h>

#define GAP "1024" /* bytes between two variables */

const char memory_words[] = " __shared__ __device__ __constant__ __managed__ ";
const char device_words[] = " __device__ __simt_kernel__ ";
const char host_words[] = " __host__ __simt_host__ ";
const char kernel_words[] = " __simt_kernel__ ";

/* Does int x(3); give a value at the parenthesis i? No parameter begins like that, nor with the
 * name of a variable or function that is no type's. */
static bool is_value(int i)
{
    int first = next(i);

    if (!is(i, "(") || t[first].kind == LITERAL || is(first, "+-!~&"))
        return is(i, "(");
    while (is(next(first), ":") && is(next(first) + 1, ":")) /* space::n */
        first = next(next(first) + 1);
    if (t[first].kind != WORD || !is(next(first), "),+-*/%.(<>=!&|^?"))
        return false;
    for (int k = t[first].word; k && k < i; k = t[k].again)
        if (!t[k].system && is_outside(k) && is_declared(k) && !is_word(previous(k), class_words) &&
            !is_word(statement_start(k), " typedef using friend "))
            return true;
    return is_word(first, " true false nullptr sizeof ");
}

/* Does the memory word at i belong to a variable? A pointer to a function is one, a lambda none. */
static bool is_variable(int i)
{
    int before = previous(i), end = declarator_end(i);
    while (is_word(before, host_words))
        before = previous(before);
    if (is(before, "]") && !is(before - 1, "]"))
        return false;
    return is(end, "=,;[{") || is_value(end) ||
           (is(end, "(") && is(next(end), "*") && is(find(next(end), "()"), ")"));
}

/* Puts a line for simtcc into the object, in front of token i: it names the type of the array
 * called `name` in this instance of a template. It needs no code. */
static void record_type(int i, int name)
{
    append(i, "__asm__(\".pushsection simt_types,\\\"?\\\",%%%%progbits\\n.ascii \\\"simt_types:");
    for (const char *c = t[name].file; *c; c++) /* what an assembler's text may have */
        append(i, "%c", strchr("\\\"%:", *c) ? '?' : *c);
    append(i,
           ":%ld:%.*s:%%c0\\\\n\\\"\\n.popsection\" : : \"i\"(&::simt::type_of_shared<"
           "::std::remove_reference_t<decltype(%.*s)>>)); ",
           t[name].line, (int)t[name].length, t[name].text, (int)t[name].length, t[name].text);
}

/* Rewrites extern __shared__ int a[], b[]; so that each array is the block's dynamic shared memory,
 * or (by_reference) a reference to it, T (&a)[] = ...; The first name is in front of i. */
static void rewrite_dynamic_shared(int i, bool by_reference)
{
    do {
        int name = previous(i), last = name;
        for (; is(i, "["); i = next(last))
            last = partner(i, 1);
        i = declarator_end(last);
        if (by_reference) {
            t[name - 1].after = "(&";
            t[name].after = ")";
            append(i, " = reinterpret_cast<decltype(%.*s)>(::simt_dynamic_shared)",
                   (int)t[name].length, t[name].text);
            record_type(find(i, ";") + 1, name);
        } else {
            t[last].after = " __asm__(\"simt_dynamic_shared\") " /* in front of other attributes */
                            "__attribute__((tls_model(\"local-exec\")))";
        }
    } while (is(i, ",") && (i = declarator_end(i)));
}

/* Types that are no structures, as far as their words tell. */
static const char plain[] = " bool char short int long unsigned signed float double size_t int8_t "
                            "int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t volatile ";

/* Rewrites __shared__ at i. storage: the declaration's extern or static; 0: it has none. g++ wants
 * __thread behind that word, while CUDA takes both orders. In a template g++ forgets an __asm__
 * name, so there the array becomes a reference. Like nvcc, it aligns structures to the 16 bytes
 * that are copied at once (watch/other_calls.c). */
static void rewrite_shared(int i, int storage)
{
    bool is_extern = is_word(storage, " extern "),
         by_reference = is_extern && enclosed_by(i, " template ");
    if (is_extern)
        rewrite_dynamic_shared(declarator_end(i), by_reference);
    t[i].instead = storage == 0 ? "static __thread" : storage < i ? "__thread" : "";
    if (storage > i)
        t[storage].instead = is_extern ? "extern __thread" : "static __thread";
    if (by_reference)
        t[i].instead = t[storage].instead = "";
    int end = declarator_end(i), name = previous(end), semicolon = find(end, ";");
    if (!is_extern && is(end, "[") && is(semicolon, ";") && !class_around(i))
        append(semicolon + 1,
               " static_assert(sizeof %.*s <= 49152, \"a __shared__ array of more "
               "than 49152 bytes: want extern __shared__ memory\");",
               (int)t[name].length, t[name].text);
    if (is_word(next(i), " alignas ")) { /* which g++ wants in front */
        t[partner(next(next(i)), 1)].after = storage == 0 ? " static __thread" : " __thread";
        t[i].instead = "";
    } else if (!is_extern && !has_word(statement_start(i), declarator_end(i), plain)) {
        append(next(i), "__attribute__((aligned(16))) ");
    }
}

/* Does the declaration have an initial value? Its first name is in front of i, or behind the braces
 * of the members that begin at i. */
static bool gives_value(int i)
{
    int before = previous(i);

    if (is(i, "{") && (is_word(before, class_words) || is_word(previous(before), class_words)))
        i = next(partner(i, 1));
    return is_value(i) || !is(find(i, "={;"), ";");
}

/* Do the variables of the declaration, from start to before end, certainly begin as zeros? Of a
 * class only g++ knows. */
static bool is_zero(int start, int end)
{
    for (int i = next(start - 1); i < previous(end); i = next(i))
        if (!is_word(i, plain) && !is_word(i, " __device__ __managed__ ") && !is(i, "*") &&
            !(is_word(i, " static ") && t[i].around == 0)) /* no member */
            return false;
    return !gives_value(end);
}

/* Puts the variable whose declarator ends at `end` into memory of that kind, by an attribute in
 * front of token i. zero: it begins as zeros, which take no room in the program's file.
 *
 * Each variable has a section of its own, because g++ wants all variables of a section const, or
 * none. g++ passes the section's name to the assembler as it stands. So the name also brings GAP
 * bytes in front of the variable, which a wrong index hits, and a # that makes a comment of the
 * flags that g++ appends. */
static void put_into_section(int i, int end, const char *kind, bool zero)
{
    int name = previous(end), length = t[name].kind == WORD ? (int)t[name].length : 0;

    append(i, "__attribute__((section(\"%s%s%.*s,\\\"aw\\\",%%%s\\n.zero " GAP "\\n#\")))", kind,
           length ? "." : "", length, t[name].text, zero ? "nobits" : "progbits");
}

/* Is token i the static of a variable in a function of the device? Such a variable lies in the
 * device's memory without a word of CUDA's. The memory of a constant does not matter. */
static bool is_static_on_device(int i)
{
    if (!is_word(i, " static "))
        return false;
    int start = statement_start(i), end = declarator_end(i);
    return is(end, "=,;[{") && !has_word(start, end, memory_words) &&
           !has_word(start, end, " const constexpr thread_local ") &&
           enclosed_by(i, device_words) && !enclosed_by(i, host_words);
}

int rewrite_declaration(int i)
{
    if (!is_word(i, memory_words) && !is_static_on_device(i))
        return i;
    int storage = 0, shared = 0, last = i, start = statement_start(i);
    int end = declarator_end(i), name = previous(end);
    const char *kind = "simt_device";
    for (int j = start; j < end; j++) {
        if (is_word(j, " extern static "))
            storage = j;
        if (is_word(j, " __shared__ "))
            shared = j;
        if (is_word(j, " __constant__ "))
            kind = gives_value(end) ? "simt_constant" : "simt_unset";
        if (is_word(j, " __managed__ "))
            kind = "simt_managed";
        if (is_word(j, memory_words))
            t[last = j].instead = "";
    }
    bool elsewhere = is_word(storage, " extern ") && !gives_value(end);
    bool zero = is_zero(start, end);
    if (zero)
        kind = strcmp(kind, "simt_managed") == 0 ? "simt_managed_zero" : "simt_device_zero";
    if (shared && is_variable(i) && gives_value(end))
        refuse(i, 1, "initializer not allowed for __shared__ variable");
    if (shared && !is_word(storage, " extern ") && is_variable(i) && !is_outside(i) &&
        brackets_pair && !class_around(i) && !enclosed_by(i, device_words))
        refuse(i, 1, "a __shared__ variable is not allowed in a function of the host");
    bool local = !shared && !storage && is_variable(i) && is(previous(t[i].around), ")");
    if (local && brackets_pair)
        refuse(i, 1, "only a __shared__ variable may be declared in a function");
    if (!shared && is_variable(i) && class_around(i))
        refuse(i, 1, "memory qualifier on data member is not allowed");
    bool in_function = is_word(storage, " static ") && enclosed_by(i, device_words);
    bool of_template =
        in_function ? enclosed_by(i, " template ")
                    : is_word(start, " template ") && t[name].kind == WORD && !qualifier(name);
    bool changes = !has_word(start, end, " const constexpr ");
    if (!shared && is_variable(i) && of_template && changes) /* g++ puts it into no section */
        refuse(i, 2,
               "the CPU backend has no variables of the device that are templates, or static in "
               "one: want a variable for each type");
    if (shared)
        rewrite_shared(shared, storage);
    else if (is_variable(i) && !elsewhere && !local && !of_template)
        put_into_section(i, end, kind, zero);
    if (!shared && (is(end, "=") || is_value(end)) && is_outside(i) && is_variable(i) &&
        !of_template && !has_word(start, end, " constexpr constinit "))
        append(start, "__constinit ");
    return last;
}

/* ---- what a declaration names, and where it stands ---- */

bool is_outside(int i)
{
    for (int open = t[i].around; open != 0; open = t[open].around)
        if (!is(open, "{") || (t[previous(open)].kind != LITERAL && /* extern "C" { */
                               !has_word(statement_start(open), open, " namespace ")))
            return false;
    return true;
}

bool names_it(int start, int i)
{
    int before = previous(i);

    while (is_word(start, " template "))
        start = next(angle_partner(next(start), 1));
    bool behind = is_word(previous(partner(before, -1)), words_with_arguments) &&
                  is(next(i), "(") &&
                  !has_word(start, i, class_words); /* void __launch_bounds__(64) k() */
    while (is(before, "*&"))
        before = previous(before);
    bool listed = is(before, ",") && is(next(i), "=,;[{"); /* int a, *b = 0; */
    return i > start && (listed || behind || is_declared(i)) &&
           !is_word(previous(i), class_words) && !is_word(i, memory_words) &&
           !is_word(i, words_with_arguments) && !is_word(i, " char short int long bool ") &&
           !is_word(start, " using typedef static_assert asm __asm__ namespace ");
}
