/*
 * simt-rewrite: turns CUDA's own syntax into plain C++, so that g++ can compile a .cu file.
 *
 *     g++ -E -x c++ main.cu | simt-rewrite [FILE_NAME [NAMES [OPTION …]]] >main.cpp
 *
 * NAMES: a file of the names that headers declare (simtcc --precompile). OPTION: relaxed: the
 * device may call constexpr functions of the host. guarded: see sides_check in rewrite.h. unmarked:
 * without the marks of hosts.c.
 *
 * It rewrites only what no macro can express:
 *
 *     kernel<<<GRID, BLOCK>>>(x)    ::simt::launch({"kernel", "x.cu", 7}, POINTER, CALL, GRID,
 *                                   BLOCK)(x), of include/simt_launch.h
 *         within a template:        {"kernel", "x.cu", 7, nullptr, __PRETTY_FUNCTION__}
 *     extern __shared__ int s[];    extern __thread int s[] __asm__("simt_dynamic_shared");
 *         within a template:        int (&s)[] = reinterpret_cast<...>(::simt_dynamic_shared);
 *                                   and a record of its type (simtcc)
 *     __shared__ int s[64];         static __thread int s[64];
 *     __device__ int x = 1;         __attribute__((section("simt_device.x"))) int x = 1;
 *     __device__ int x;             __attribute__((section("simt_device_zero.x"))) int x;
 *     __constant__ int x = 1;       __attribute__((section("simt_constant.x"))) int x = 1;
 *     __constant__ int x;           __attribute__((section("simt_unset.x"))) int x;
 *     extern __device__ int x;      extern int x; (also of __constant__)
 *     __managed__ int x;            __attribute__((section("simt_managed.x"))) int x;
 *     static int x; (in a function  __attribute__((section("simt_device.x"))) static int x;
 *         of the device)
 *     __device__ int f(int x);      int f(int x);
 *     __global__ (__simt_kernel__)  __attribute__((noipa, flatten)), and a record at its begin
 *     __launch_bounds__(N)          nothing: N is in the record
 *     __host__ (__simt_host__)
 *     __noinline__                  nothing: hooks see what is inlined
 *     (int)x (in a function of the  ::simt::cast<int>(x) (values.c)
 *         device), static_cast<int>(x), int(x)
 *     a << b (the same)             a <<::simt::shift<< b
 *     a <<= b (the same)            a <<= ::simt::by(b)
 *     printf (in a function of the  simt_printf
 *         device)
 *     __builtin_memcpy, _memset     memcpy, memset
 *     blockDim                      (simt_block_dim())
 *     blockDim.x                    (simt_block_dim_at(0))
 *     f() (f: a template's          (+f)()
 *         parameter)
 *     cudaFree(p); (as a statement) ::simt::discard({"", "x.cu", 7}, cudaFree(p));
 *     e = cudaFree(p); e = … ;      e = ::simt::discard({"", "x.cu", 7}, cudaFree(p)); e = … ;
 *     cudaLaunchKernel((void *)k,   cudaLaunchKernel(k,
 *     a[i] = f();                   a[i] = ::simt::value(f()); (calls.c)
 *     atomicAdd(p, 1);              atomicAdd(::simt::of_form<SIMT_ONE_VALUE | … | 0>(p), 1);
 *     __syncwarp(__activemask());   __syncwarp(::simt::of_form<SIMT_UNSEEN_MASK>(__activemask()));
 *     int helper(int x);            __attribute__((deprecated("…"))) int helper(int x); (hosts.c)
 *     __device__ void f() { … }     … between lines with #pragma GCC diagnostic error … (the same)
 *
 * __thread: the threads of a block share one OS thread. The linker gathers each kind of section in
 * a region of its own (sections.ld), so that the backend tells the device's variables from the
 * host's (declarations.c).
 *
 * Everything else passes byte for byte, and lines keep their numbers: messages, debug information
 * and counters by line keep pointing at the line as written.
 *
 * It is no parser: it looks at tokens and their neighbours (tokens.c) and edits some of them. It
 * refuses by its name what CUDA has and the backend does not (refused.c), and what the device's
 * code may not use of the host's (sides.c, hosts.c).
 *
 *     simt-rewrite --arithmetic     says which results differ here from a GPU's, if any do
 *     simt-rewrite --header NAME    says why the backend lacks a header, if that is known
 *
 * Exit status: 0; or, after lines on stderr, 1 if the source is wrong and nvcc refuses it, too, 2
 * if it has something that the backend alone refuses. Then nothing is on stdout.
 */
#include "compile/rewrite.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void append(int i, const char *format, ...)
{
    size_t used = t[i].before ? strlen(t[i].before) : 0;
    va_list args;

    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    t[i].before = resize(t[i].before, used + (size_t)length + 1);
    va_start(args, format);
    vsprintf(t[i].before + used, format, args);
    va_end(args);
}

void report(int i, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%ld: error: ", t[i].file, t[i].line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void refuse(int i, int status, const char *wrong)
{
    report(i, "%s", wrong);
    exit(status);
}

/* Does the program give the word at i to something of its own, as int warpSize = 32 does? */
static bool is_own(int i)
{
    for (int d = t[i].word; d && d <= i; d = t[d].again) {
        if (t[d].system || !is_declared(d))
            continue;
        int open = t[d].around, body = find(is(open, "(") ? open : d, "{;");
        bool parameter = is(open, "(") || is(next(d), ">");
        int end = is(body, "{") ? partner(body, 1) : body;
        if (parameter ? i <= end : open == 0 || i <= partner(open, 1))
            return true;
    }
    return false;
}

/* In the device's code CUDA's variables are calls. A member that is called as one is another; and
 * host code may have a variable of its own, as in `dim3 blockDim(16, 16);`. */
static void rewrite_built_in(int i)
{
    const char *call = is_word(i, " threadIdx ")  ? "simt_thread_idx"
                       : is_word(i, " blockIdx ") ? "simt_block_idx"
                       : is_word(i, " blockDim ") ? "simt_block_dim"
                       : is_word(i, " gridDim ")  ? "simt_grid_dim"
                       : is_word(i, " warpSize ") ? "simt_warp_size"
                                                  : NULL;

    if (!call || qualifier(i) == '.' ||
        !(enclosed_by(i, device_words) || has_word(statement_start(i), i, device_words)))
        return;
    int dot = next(i), axis = next(dot);
    bool one = is(dot, ".") && is_word(axis, " x y z ");
    if (!one && is_own(i))
        return;
    append(i, one ? "(%s_at(%d))" : "(%s())", call, *t[axis].text - 'x');
    t[i].instead = "";
    if (one)
        t[dot].instead = t[axis].instead = "";
}

/* In template <void f()>, whose first word is at i, a call f() becomes (+f)(): g++ 14 gives f() the
 * line of the template's instance, and of two barriers would make one. */
static void rewrite_parameter_calls(int i)
{
    int open = next(i), close = angle_partner(open, 1), body = find(close, "{;");

    for (int f = is(open, "<") ? next(open) : close; f < close; f = next(f)) {
        int sign = previous(f);
        bool pointer = is(sign, "*&") && is(previous(sign), "(");
        if (!is_declared(f) || !(pointer || is(next(f), "(")))
            continue;
        for (int j = body; j < partner(body, 1); j = next(j))
            if (same_word(j, f) && is(next(j), "(") && !qualifier(j)) {
                append(j, "(+%.*s)", (int)t[f].length, t[f].text);
                t[j].instead = "";
            }
    }
}

/* A GPU multiplies and adds by one instruction, and so do kernels where this computer has it. On
 * aarch64 each has, and g++ knows. */
#ifdef __x86_64__
enum { ASKS = 1 };
#define can_ask() __builtin_cpu_supports("fma")
#else
enum { ASKS = 0 };
#define can_ask() 0
#endif

/* Refuses what cannot stand with the __global__ at i. */
static void check_kernel(int i)
{
    static const char values[] = " bool char short int long unsigned signed float double ";
    int start = statement_start(i), end = declarator_end(i), name = previous(end);
    int type = previous(is(name, ">") ? previous(angle_partner(name, -1)) : name);

    if (is_word(previous(i), values) || is_word(type, values) || is(type, "*&"))
        refuse(i, 1, "a __global__ function must have a void return type");
    if (has_word(start, end, " __device__ __simt_host__ "))
        refuse(i, 1, "__global__ is for itself: no __host__ or __device__ beside it");
    if (class_around(i) && !has_word(start, i, " friend "))
        refuse(i, 1, "a __global__ function cannot be a member function");
}

/* Is the word at i the __device__ of a lambda of the host's code, which captures by reference? */
static bool captures_references(int i)
{
    int close = previous(i);

    close = is_word(close, host_words) ? previous(close) : close;
    if (!is_word(i, " __device__ ") || !is(close, "]") || enclosed_by(i, device_words))
        return false;
    for (int k = next(partner(close, -1)); k < close; k = next(k))
        if (is(k, "&") && is(previous(k), "[,"))
            return true;
    return false;
}

/* glibc declares functions of these names, but has none. */
static const char fast_words[] = " __expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf "
                                 "__tanhf __powf __sincosf ";

static int printed; /* the first call of printf in device code: <stdio.h> must declare it */

static void rewrite(struct traits has, bool marked)
{
    bool narrow = false; /* simt_narrow.h is in front of i */

    for (int i = 1; i < edge; i++) {
        if (t[i].kind == BLANK)
            continue;
        result_show(i);
        mask_show(i);
        if (is_word(i, " \\ ") && t[i + 1].kind == BLANK &&
            memchr(t[i + 1].text, '\n', t[i + 1].length))
            t[i].instead = ""; /* a comment was between, which nvcc takes for a continued line */
        if (!t[i].system && is_word(i, fast_words) && is(next(i), "(")) {
            append(i, "%s%.*s", is_word(i, " __powf ") ? "simt_" : "", (int)t[i].length - 2,
                   t[i].text + 2);
            t[i].instead = "";
        }
        rewrite_values(i, has.bit_fields);
        narrow |= is_word(i, " fuse_type ");
        if (narrow)
            rewrite_product(i);
        atomic_show(i);
        layout_show(i);
        rewrite_built_in(i);
        if (is_word(i, " template ") && !t[i].system)
            rewrite_parameter_calls(i);
        if (is_word(i, " printf ") && is(next(i), "(") && qualifier(i) != '.' &&
            enclosed_by(i, device_words)) {
            t[i].instead = "simt_printf";
            if (!printed && !qualifier(i))
                printed = i;
        }
        bool copies = is_word(i, " __builtin_memcpy "); /* in front of these is no hook */
        if ((copies || is_word(i, " __builtin_memset ")) && !t[i].system)
            t[i].instead = copies ? "memcpy" : "memset";
        if (marked)
            refuse_hosts(i);
        i = rewrite_declaration(i);
        if (captures_references(i))
            refuse(i, 1, "a __device__ lambda cannot capture variables by reference; want [=]");
        if (is_word(i, kernel_words)) {
            check_kernel(i);
            t[i].instead = can_ask() ? "__attribute__((noipa, flatten, target(\"fma\")))"
                                     : "__attribute__((noipa, flatten))";
        }
        /* CUDA's word alone; libstdc++ has the same one within its own __attribute__((…)) */
        bool inlined = is_word(i, " __noinline__ ") && !is(previous(i), "(,");
        if (inlined || is_word(i, " __simt_host__ "))
            t[i].instead = "";
        i = rewrite_launch(i);
    }
}

/* ---- the command ---- */

/* Appends all of `in` to the text, which is on the heap and has this length, and a NUL. Returns the
 * text, which may have moved; *length: its length then. */
static char *read_all(FILE *in, char *text, size_t *length)
{
    size_t got;

    do {
        text = resize(text, *length + (1 << 16) + 1);
        *length += got = fread(text + *length, 1, 1 << 16, in);
    } while (got > 0);
    text[*length] = '\0';
    return text;
}

/* Writes the tokens in front of `end`, a place in their text, on stdout, and the symbols that tell
 * the library what the program has. */
static void write_all(struct traits has, const char *end)
{
    if (has.structures)
        structures_show();
    for (int i = 0; t[i].text < end; i++) {
        if (t[i].before)
            fputs(t[i].before, stdout);
        if (t[i].instead)
            fputs(t[i].instead, stdout);
        else
            fwrite(t[i].text, 1, t[i].length, stdout);
        if (t[i].after)
            fputs(t[i].after, stdout);
    }
    if (printed)
        printf("\n# %ld \"%s\"\nnamespace simt { typedef decltype(printf) its_printf; }\n",
               t[printed].line, t[printed].file);
    if (has.structures)
        printf("__asm__(\".weak %s\\n.set %s, 1\");\n", has.structures, has.structures);
    layouts_of_library();
    if (has.bit_fields)
        printf("__asm__(\".weak simt_bit_fields\\n.set simt_bit_fields, 1\");\n");
}

/* The tokens, and what they are made of, last to the program's end. */
int main(int argc, char **argv)
{
    size_t own = 0, length;

    if (argc > 2 && strcmp(argv[1], "--header") == 0) {
        const char *why = refused_header(argv[2]);
        return printf("%s%s", why ? why : "", why ? "\n" : "") < 0;
    }
    if (argc > 1 && strcmp(argv[1], "--arithmetic") == 0)
        return ASKS && !can_ask() ? puts("simt: this processor has no fused multiply-add: the last "
                                         "bits of a * b + c in kernels may differ from a GPU's") < 0
                                  : 0;
    char *text = read_all(stdin, NULL, &own);
    FILE *names = argc > 2 ? fopen(argv[2], "r") : NULL;
    length = own;
    if (names) {
        text[length++] = '\n';
        text = read_all(names, text, &length);
    }
    tokenize(text, length, escaped(argc > 1 ? argv[1] : "<stdin>"));
    bool relaxed = false, guarded = false, marked = brackets_pair && names;
    for (int i = 3; i < argc; i++) {
        relaxed |= strcmp(argv[i], "relaxed") == 0;
        guarded |= strcmp(argv[i], "guarded") == 0;
        rewrite_for_newer |= strcmp(argv[i], "newer") == 0;
        marked &= strcmp(argv[i], "unmarked") != 0;
    }
    int status = refused();
    if (status == 0 && brackets_pair && names)
        status = sides_check(relaxed, guarded);
    if (status != 0)
        return status;
    struct traits has = traits_of();
    rewrite(has, marked);
    if (marked)
        mark_hosts(relaxed);
    write_all(has, text + own);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fputs("simt-rewrite: error: cannot write the output\n", stderr);
    return 1;
}
