/* Finds what the device may not use of the host's.
 *
 * Here by their words alone: functions of the C and C++ library, CUDA's own for the host, the heap
 * and exceptions, in functions of the device; and calls by the host of what is the device's. A name
 * that the source declares, too, is not judged. What the source declares for the host hosts.c
 * marks.
 *
 * Source: CUDA C++ Programming Guide, "C++ Language Support", restrictions. */
#include "compile/rewrite.h"

#include <stdio.h>

static bool guarded; /* code of the device may stand behind #if __CUDA_ARCH__ >= 700 */
static bool relaxed; /* --expt-relaxed-constexpr: the device may call constexpr functions */

/* Does a class of the source's have a member that bears the name of the word at i? A function may
 * be defined outside of it. */
static bool is_member(int i)
{
    for (int m = t[i].word; m; m = t[m].again) {
        if (t[m].system)
            continue;
        bool call = is(next(m), "("), outside = call && qualifier(m) == ':';
        if ((call || names_it(statement_start(m), m)) &&
            (outside ? is_outside(m) : class_around(m) != 0))
            return true;
    }
    return false;
}

/* ---- what the device's functions use ---- */

/* The first two the backend alone lacks. From OF_CUDA on they are functions of the host. */
enum what { NOTHING, HEAP, RUNTIME, EXCEPTION, OF_CUDA, OF_C, OF_CPP };
static const char *const sentences[] = {
    [HEAP] = "the CPU backend has no heap of the device" LOOK,
    [RUNTIME] = "the CPU backend has no runtime of the device" LOOK,
    [EXCEPTION] = "device code has no exceptions; want an error code",
    [OF_CUDA] = "it is for the host, around launches",
    [OF_C] = "GPUs do not have it",
    [OF_CPP] = "want CUDA's own or a __device__ function; for a constexpr one a constexpr variable "
               "outside of functions, or --expt-relaxed-constexpr"};

/* The word in front of the :: in front of i, template arguments apart; an EDGE: there is none. */
static int owner_of(int i)
{
    int owner = qualifier(i) == ':' ? previous(previous(i) - 1) : 0;

    return is(owner, ">") ? previous(angle_partner(owner, -1)) : owner;
}

static bool is_in_std(int i)
{
    int owner = owner_of(i);

    return is_word(owner, " std ") && t[owner_of(owner)].kind != WORD;
}

/* The kind of thing that the word at i names, if only the host has it and the source does not
 * declare a name of its own like that. */
static enum what what_is(int i)
{
    int then = next(i), close = is(then, "<") ? angle_partner(then, 1) : i;
    bool call = is(then, "(") || is(next(close), "("), in_std = is_in_std(i);
    int owner = owner_of(i);

    if (qualifier(i) == '.')
        return NOTHING;
    if (call && is_word(i, " cuda* ") && !is_of(i, CUDA_IN_KERNELS) && is_named(i, HEADER_CUDA))
        return is_of(i, CUDA_DEVICE_RUNTIME) ? RUNTIME : OF_CUDA;
    /* the elements of an array<…> a; are reached through functions of the host's */
    bool array = is_word(i, " array ") && is(next(next(close)), ";");
    if ((in_std && (call ? is_of(i, CPP_FUNCTION) : array)) ||
        (call && is_word(owner, " numeric_limits ") && is_in_std(owner)))
        return relaxed ? NOTHING : OF_CPP;
    if (in_std && !relaxed && t[next(close)].kind == WORD && is_of(i, CPP_CLASS))
        return OF_C;
    if (qualifier(i) == ':' && !in_std)
        return NOTHING;
    if ((is_word(i, " malloc calloc free ") && call) || (is_word(i, " new ") && !call) ||
        (is_word(i, " delete ") && !is(previous(i), "=")))
        return HEAP;
    if (is_of(i, BUILTIN_OF_CPUS) && call)
        return OF_C;
    if (is_word(i, " throw try ") && !(call && is(next(then), ")"))) /* f() throw() */
        return EXCEPTION;
    if (!in_std && t[t[i].word].outside.first)
        return NOTHING;
    if (!relaxed && is_word(i, " cout cerr clog "))
        return OF_C;
    bool of_library = call && is_named(i, HEADER_LIBC);
    return of_library && t[i].text[0] != '_' && !is_of(i, C_ON_GPUS) ? OF_C : NOTHING;
}

/* Is the word at i used there, and for the first time in its function? word: the __device__ or
 * __global__ of the function. */
static bool is_first_use(int word, int i)
{
    for (int j = statement_start(word); j < i; j = next(j))
        if (same_word(i, j) && (qualifier(j) == ':' || qualifier(j) == qualifier(i)))
            return false;
    bool label = is(next(i), ":") && is(previous(i), ";{}");
    return !label && !is_word(previous(i), " goto ") && !names_it(statement_start(i), i);
}

bool is_unevaluated(int i)
{
    static const char words[] = " sizeof decltype noexcept ";
    int open = t[i].around;

    while (is(open, "([") && !is_word(previous(open), words))
        open = t[open].around;
    return is_word(previous(is(open, "([") ? open : i), words);
}

/* Is the word at i in a class template, whose members nvcc looks at once they are used? */
static bool is_in_class_template(int i)
{
    for (int open = t[i].around; open != 0; open = t[open].around)
        if (is_word(statement_start(open), " template ") && class_around(next(open)))
            return true;
    return false;
}

/* The name of the function of this __device__ or __global__; 0: it is an operator or a lambda. */
static int function_of(int word)
{
    int open = declarator_end(word), name = previous(open);

    return is(open, "(") && name != word ? name : 0;
}

/* The call at i, of the C library's, stands in a function that is the host's, too. nvcc warns of it
 * (#20011-D), and leaves it out of the device's code, so a kernel that comes to it is not judged.
 */
static void guard_call(int i)
{
    int end = t[next(i)].partner;

    if (!t[i].before && !t[end].after &&
        asprintf(&t[i].before, "(::simt_of_host(\"%.*s\"), ", (int)t[i].length, t[i].text) > 0)
        t[end].after = ")";
}

/* Reports the word at i if it is the host's and stands in a function of the device. Returns the
 * exit status that follows: 1 for what nvcc refuses, 2 for what the backend lacks, else 0. */
static int look_at(int i)
{
    int word = enclosed_by(i, device_words);
    enum what what = word ? what_is(i) : NOTHING;

    if (what == NOTHING || !is_first_use(word, i))
        return 0;
    bool both = enclosed_by(i, host_words);
    int name = function_of(word), length = (int)t[i].length;
    bool plain =
        name && !qualifier(name) &&
        !(enclosed_by(word, " struct class union ") && (is_member(i) || is_in_class_template(i)));
    if (both && what == OF_C && plain && !qualifier(i) && is(next(i), "("))
        guard_call(i);
    if (both)
        return 0;
    bool array = is_word(i, " array ");
    if (what >= OF_CUDA && (is_unevaluated(i) || (qualifier(i) ? is_in_class_template(i) : !plain)))
        return 0;
    if (what < OF_CUDA)
        report(i, "%.*s: %s", length, t[i].text, sentences[what]);
    else
        report(
            i,
            "calling a __host__ function(\"%.*s\") from a %s function(\"%.*s\") is not allowed; %s",
            array ? 10 : length, array ? "operator[]" : t[i].text,
            is_word(word, " __device__ ") ? "__device__" : "__global__",
            name ? (int)t[name].length : 8, name ? t[name].text : "operator", sentences[what]);
    return what < EXCEPTION ? 2 : 1;
}

/* launch: is the function declared at name no kernel, so that the host must not launch it? Else:
 * does it belong to the device alone, so that the host must not call it? */
static bool is_wrong(int name, bool launch)
{
    int start = statement_start(name);

    if (launch)
        return is(next(name), "(") && !has_word(start, name, " __simt_kernel__ ");
    return has_word(start, name, device_words) &&
           !has_word(start, name, " __host__ __simt_host__ constexpr ");
}

/* May a call at i, without :: and `using`, be of what is declared at d, outside of functions? */
static bool is_in_reach(int i, int d)
{
    int space = previous(t[d].around), open = t[i].around;

    if (t[d].around == 0 || t[space].kind != WORD || is_word(space, " namespace "))
        return true;
    while (open != 0 && !same_word(previous(open), space))
        open = t[open].around;
    return open != 0;
}

/* Is the word at i for the device alone? nvcc compiles a function of both sides, other than a
 * template, for the host, too, also if the host never calls it. */
static bool is_of_device(int i)
{
    int word = enclosed_by(i, device_words);

    return word && (guarded || enclosed_by(i, " template ") ||
                    !has_word(statement_start(word), declarator_end(word), host_words));
}

static void tell_device(int i, int skip)
{
    report(i, "calling a __device__ function(\"%s%.*s\") from a __host__ %sfunction is not allowed",
           skip ? "__" : "", (int)t[i].length - skip, t[i].text + skip,
           enclosed_by(i, device_words) ? "__device__ " : "");
}

/* Reports a wrong call at i: by the host of a device function, by any of a kernel without <<<>>>,
 * or the launch of a function that is no kernel. Returns whether it did. */
static bool look_at_call(int i)
{
    int then = next(i), close = is(then, "<") ? angle_partner(then, 1) : i, last = 0;
    int macro = is_word(i, " simt_syncthreads* ") ? 5 : 0; /* spells __syncthreads so */
    bool launch = is(then, "<") && is(then + 1, "<") && is(then + 2, "<");
    bool device = is_of_device(i);

    if (!(launch || is(next(close), "(")) || is_unevaluated(i) || is_declared(i) ||
        is_in_class_template(i) || has_word(statement_start(i), i, device_words) ||
        (is_outside(i) && is_word(statement_start(i), " template ")))
        return false;
    for (int d = t[t[i].word].outside.first; d; d = t[d].outside.next)
        if (!is_wrong(last = d, launch))
            return false;
    bool kernel = has_word(statement_start(last), last, " __simt_kernel__ ");
    /* int j(1), i(2); */
    bool listed = !launch && is(previous(i), ",") && is(t[i].around, "{");
    if ((device && (launch || !kernel)) ||
        (last && (listed || (enclosed_by(i, class_words) && is_member(i)))))
        return false;
    if (last && !launch && (is_named(i, HEADER_LIBC) || !is_in_reach(i, last)))
        return false;
    bool of_gpus = (is_of(i, GPU_ALONE) && is_named(i, HEADER_CUDA)) ||
                   (is_of(i, GROUP_MAKER) && is_named(i, HEADER_OTHER));
    if (!last && (launch || !of_gpus))
        return false;
    for (int j = t[i].word; j && j <= i; j = t[j].again) /* members, variables */
        if (!t[j].system && is_declared(j) && !is_wrong(j, launch))
            return false;
    if (!launch && !kernel)
        tell_device(i, macro);
    else
        report(i,
               launch ? "a host function call cannot be configured: \"%.*s\" lacks __global__"
                      : "calling a __global__ function(\"%.*s\") without <<<GRID, BLOCK>>> is not "
                        "allowed",
               (int)t[i].length, t[i].text);
    return true;
}

/* Reports the host's call of a member function, if all that the source declares of that name is the
 * device's alone, and no header has it. Returns whether it did. */
static bool look_at_member_call(int i)
{
    bool of_device = false;

    if (qualifier(i) != '.' || !is(next(i), "(") || is_named(i, ~0u) || is_unevaluated(i) ||
        is_of_device(i) || enclosed_by(i, " template "))
        return false;
    for (int m = t[i].word; m; m = t[m].again)
        if (is_wrong(m, false))
            of_device = true;
        else if (qualifier(m) != '.' && !enclosed_by(m, device_words))
            return false;
    if (of_device)
        tell_device(i, 0);
    return of_device;
}

int sides_check(bool relaxed_constexpr, bool has_guards)
{
    int status = 0;

    for (int i = edge; i > 0; i--) {
        if (t[i].kind != WORD || t[i].system || !is_outside(i) || !names_it(statement_start(i), i))
            continue;
        t[i].outside.next = t[t[i].word].outside.first;
        t[t[i].word].outside.first = i;
    }
    relaxed = relaxed_constexpr, guarded = has_guards;
    for (int i = next(0); t[i].kind != EDGE; i = next(i)) {
        if (t[i].kind != WORD || (t[i].system && !is_word(i, " simt_syncthreads* ")))
            continue;
        if (is_word(previous(i), " namespace ") && is_word(i, " std ") && is(next(i), "{"))
            relaxed = true; /* it may add functions of the device to the C++ library */
        int told = look_at(i);
        bool plain = !qualifier(i) || is_of(i, GROUP_MAKER);
        if (told == 0)
            told = plain ? look_at_call(i) : look_at_member_call(i);
        if (status != 1 && told != 0)
            status = told;
    }
    return status;
}
