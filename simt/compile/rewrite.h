/* simt-rewrite (rewrite.c): a source's tokens, and the parts that look at them and edit some. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* ---- tokens.c: preprocessed C++, which has no comments and no continued lines, cut into words,
 * literals, punctuation and blanks; and a look at what stands around one of them ----
 *
 * There is one source, whose tokens `t` are the program's state. A token is named by its index. */

/* BLANK: white space and whole directives. PUNCTUATION: always one character.
 * EDGE: stands before the first token and behind the last. */
enum kind { EDGE, BLANK, WORD, LITERAL, PUNCTUATION };

/* The places of a word at which something is so. */
struct places {
    int first; /* of the first token that is the word: one of them, or 0 */
    int next;  /* of each of them: another, or 0 */
};

struct token {
    enum kind kind;
    const char *text; /* within the input */
    size_t length;
    const char *file; /* as spelled within "...", escapes included */
    long line;
    bool system;           /* in a header that the compiler counts as the system's */
    int partner;           /* of a bracket; an EDGE if it has none */
    int around;            /* the innermost bracket that encloses it, or 0 */
    int word;              /* of a word: the first token that is the same word, */
    int again;             /* and the next one; 0: there is none */
    struct places types;   /* there it names a type of numbers */
    struct places outside; /* there the source declares it, outside of functions */
    unsigned named;      /* of that token: the headers that have the word, as bits of enum header */
    const char *asked;   /* of a bracket: the words that enclosed_by was last asked for, */
    int answer;          /* and what it answered */
    char *before;        /* to be written in front of it, or NULL; owned */
    const char *instead; /* to be written in its place, or NULL: the token itself */
    const char *after;   /* to be written behind it, or NULL */
};

extern struct token *t; /* with an EDGE at either end */
extern int edge;        /* the last one */

/* The names that headers declare stand behind the program's own tokens, as if a system's header had
 * each kind of them (simtcc --precompile). */
enum header {
    HEADER_CUDA = 1,   /* names that the backend declares */
    HEADER_LIBC = 2,   /* the C library's */
    HEADER_NVIDIA = 4, /* those of CUDA's own headers (cuda_names.csv) */
    HEADER_OTHER = 8   /* all that stands in other headers of the system's */
};

/* realloc; ends the program when there is no memory. */
void *resize(void *memory, size_t size);

/* Cuts the text into tokens. It must outlive them, and end with a NUL behind its length. file: its
 * name as spelled within "...", for messages; linemarkers in the text change it. */
void tokenize(const char *text, size_t length, const char *file);

/* Do all brackets of the source have a partner of their kind? If one is missing, `around` is a
 * guess, and g++ tells which. */
extern bool brackets_pair;

/* ---- step is 1 (forward) or -1 (backward) ---- */

/* Is token i one of these characters? */
bool is(int i, const char *set);

/* Is token i, or the text, one of the words in the list? In the list a blank stands on both sides
 * of each word, and a word that ends with * stands for all words that begin so. */
bool is_word(int i, const char *list);
bool is_listed(const char *text, size_t length, const char *list);

/* Are these tokens the same word? */
bool same_word(int i, int k);

/* Does one of these headers have the word at i? */
bool is_named(int i, unsigned headers);

/* The nearest token that is not BLANK, or the EDGE. */
int next(int i);
int previous(int i);

/* The partner of the parenthesis, bracket or brace at i; an EDGE if it has none. i itself if the
 * partner does not lie in this direction. */
int partner(int i, int step);

/* The first token from i on, but within brackets, that is one of these characters, or the EDGE. */
int find(int i, const char *set);

/* The partner of the < or > around template arguments at i; an EDGE if it has none. */
int angle_partner(int i, int step);

/* Specifiers that arguments follow, as __align__(16) does. */
extern const char words_with_arguments[], class_words[];

/* The token behind the specifiers and the name among which token i stands: ( or the word operator
 * for a function, one of = , ; [ { for a variable. */
int declarator_end(int i);

/* '.' if token i stands behind . or ->; ':' if it stands behind ::; else 0. */
char qualifier(int i);

/* Words that name neither a type nor a function. */
extern const char no_types[];

/* Is the word at i declared there, behind a type: int i, T *i, A<T> i? */
bool is_declared(int i);

/* Behind the nearest ; { or } in front of token i, the braces of a value apart. */
int statement_start(int i);

/* Does one of the words stand from start to before end, outside of brackets? */
bool has_word(int start, int end, const char *words);

/* The nearest of these words in a declaration whose braces enclose token i; 0: there is none. */
int enclosed_by(int i, const char *words);

/* The name of the class or structure whose braces are the innermost bracket around token i, or what
 * stands in its place; 0: there is none. */
int class_around(int i);

/* The text that stands in front of token i becomes so much longer. */
void append(int i, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* On stderr: token i's place, and what is wrong there. */
void report(int i, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- refused.c: names of CUDA's that the CPU backend does not have; sides.c: names of the host's
 * that the device may not use ---- */

/* The lists of names.csv, whose rows say why a name is refused, or where the list comes from. */
enum list {
    LACKING_HEADER, /* headers that the backend lacks */
    LACKING_WORD,   /* words that it lacks; cudaX and cuX unless the source declares them */
    C_ON_GPUS,      /* functions of the C library that a GPU has or CUDA's headers declare, those of
                       <math.h> apart */
    BUILTIN_OF_CPUS, /* the compiler's built-in functions for the CPU */
    CPP_FUNCTION,    /* the host's functions of the C++ library, of which nvcc takes the constexpr
                        ones with --expt-relaxed-constexpr. The library's other functions, such as
                        std::move and those of <cmath>, are not judged */
    CPP_CLASS,       /* its classes whose objects only the host can make */
    CUDA_IN_KERNELS, /* calls of CUDA's runtime that kernels may make */
    CUDA_DEVICE_RUNTIME, /* those that nvcc takes, too, and links with the device's own runtime */
    GPU_ALONE,           /* CUDA's functions that the host does not have */
    GROUP_MAKER,         /* the same of cooperative groups */
    LIBRARY_STRUCTURE,   /* structures of libraries that kernels use */
    LARGE_VECTOR         /* CUDA's vector types of 16 bytes and more */
};

/* What the first row of the list that has the name says of it; NULL: none has it. */
const char *listed(enum list list, const char *name, size_t length);

/* Is token i a word of the list? */
bool is_of(int i, enum list list);

#define LOOK "; see \"What it takes\" in simt/README.md"

/* Why the backend does not have a header, which is given as it stands between < and > or as a path.
 * NULL: nothing is known of it. */
const char *refused_header(const char *name);

/* Looks for the first name that the backend does not have, in the source itself and the headers
 * that it includes, system headers apart. Returns 0, or after a line on stderr that names it 2, or
 * 1 if nvcc does not have it either. */
int refused(void);

/* Reports, as nvcc does, where a kernel or __device__ function names what only the host has of the
 * C and C++ library and of CUDA, or uses the heap, and where the host calls a function of the
 * device's: a line on stderr for each. Only what is certain is told. relaxed_constexpr: the device
 * may call constexpr functions. has_guards: the source compares __CUDA_ARCH__, and is compiled as
 * for the device. Returns the exit status that follows: 0 there is no line, 2 the backend alone
 * lacks what the lines name, 1 nvcc refuses something, too. */
int sides_check(bool relaxed_constexpr, bool has_guards);

/* Is the word at i within an operand of sizeof, decltype or noexcept, which is not evaluated? */
bool is_unevaluated(int i);

/* hosts.c: marks what the source declares for the host alone, in front of the declarations. Called
 * when all else is rewritten. relaxed: constexpr functions are for both. */
void mark_hosts(bool relaxed);

/* Where the body of a function of the device begins at i: has g++ refuse what is marked, and arrays
 * of variable size, which nvcc takes of the host's functions alone. */
void refuse_hosts(int i);

/* Is token i outside of functions, classes and brackets of any kind? */
bool is_outside(int i);

/* Ends the program after a line about what is wrong at token i. */
_Noreturn void refuse(int i, int status, const char *wrong);

/* ---- declarations.c: variables of the device ---- */

/* Lists of words: those that put a variable into the device's memory, and those in front of the
 * device's functions, of the host's and of kernels, as include/cuda_runtime.h spells them. */
extern const char memory_words[], device_words[], host_words[], kernel_words[];

/* Rewrites a declaration. i: its first memory word, or the static of a variable in a function of
 * the device. Returns the last of these words; i itself if none is at i. */
int rewrite_declaration(int i);

/* Does the declaration that begins at start give token i its name? */
bool names_it(int start, int i);

/* ---- launches.c ---- */

/* If a launch begins at the <<< at i, or token i is __global__, __launch_bounds__ or a call that
 * launches a kernel: rewrites it. Returns the last token that it dealt with; i if none. */
int rewrite_launch(int i);

extern bool rewrite_for_newer; /* the compiler is g++ 13 or newer */

/* The text as it is spelled within a string literal, on the heap. */
char *escaped(const char *text);

/* ---- values.c: casts to integers, and shifts ---- */

/* If a cast or shift of the device's code begins at token i: sends it through the function that
 * computes it as a GPU does. bit_fields: the source has bit fields, which <<= may change. */
void rewrite_values(int i, bool bit_fields);

/* Does the source give the word at i to what may be a type of numbers: an enum, a template
 * parameter, a typedef or one of using? A header's T says nothing of a variable T here. */
bool names_type(int i);

/* The same for a product of two-byte floats, by the * or __hmul at i, which is added or subtracted:
 * nvcc fuses the two operations. */
void rewrite_product(int i);

/* ---- calls.c: calls that go through functions of the backend ---- */

/* Rule: an assignment of a call's result to memory goes through ::simt::value, which makes a copy,
 * with hooks, of a structure. g++ has no hook where a call stores the structure that it returns. In
 * a kernel nearly all calls are inlined (__attribute__((flatten))); calls by pointer or recursive
 * ones, and all calls under --strict, are not. Other types than structures pass unchanged. */
void structures_show(void);

/* What a source has. */
struct traits {
    const char *structures; /* the symbol that tells the library of structures (judge/garbage.c): it
                               defines some, or uses a library's (float4); NULL: it has none */
    bool bit_fields;        /* the program has the symbol simt_bit_fields (judge/race.h) */
};
struct traits traits_of(void); /* also fills the tokens' `types` */

/* Where a structure's definition begins at token i: tells the hooks its size and alignment, of
 * which nvcc's copies of it depend (watch/other_calls.c). layouts_of_library prints the same for
 * CUDA's vector types of 16 bytes and more that the source names. */
void layout_show(int i);
void layouts_of_library(void);

/* If token i begins a shuffle or __syncwarp whose mask comes from __activemask(), and that the
 * program never looks at: tells the library, since the program cannot know which lanes it names. */
void mask_show(int i);

/* If an atomic of the device's code begins at token i: tells the library about its form, as far as
 * nvcc's machine code depends on it. */
void atomic_show(int i);

/* If token i begins a CUDA call whose result the program throws away, or overwrites with that of
 * the next call: tells the library. A (void) in front counts as a look. */
void result_show(int i);
