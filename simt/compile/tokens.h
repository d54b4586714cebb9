/* simt-rewrite's tokens: preprocessed C++, which has no comments and no continued lines, cut into
 * words, literals, punctuation and blanks, and a look at what stands around one of them.
 *
 * There is one source, whose tokens `t` are the program's state. A token is named by its index. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
    bool system; /* in a header that the compiler counts as the system's */
    int partner; /* of a bracket; an EDGE if it has none */
    int around;  /* the innermost bracket that encloses it, or 0 */
    int word;    /* of a word: the first token that is the same word, */
    int again;   /* and the next one; 0: there is none */
    struct places types,
        outside;         /* it names a type of numbers; it is declared outside of functions */
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
    HEADER_CUDA = 1,    /* names that the backend declares */
    HEADER_LIBC = 2,    /* the C library's */
    HEADER_LACKING = 4, /* CUDA's (cuda_names.csv) that the backend does not declare */
    HEADER_OTHER = 8    /* all that stands in other headers of the system's */
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
