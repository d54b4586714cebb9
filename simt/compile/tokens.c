/* Cuts source into tokens and looks around among them; see tokens.h. */
#include "compile/tokens.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *resize(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (memory != NULL)
        return memory;
    fputs("simt-rewrite: error: out of memory\n", stderr);
    exit(1);
}

/* ---- text to tokens: a NUL stands behind the text, so looking a character ahead is safe ---- */

/* g++ -E spells a letter beyond ASCII as \U000000e4. */
static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '\\' || (c & 0x80);
}

/* A "string" or a 'c'. The line's end also ends it: an apostrophe in a #pragma opens nothing. */
static const char *quoted_end(const char *s, const char *end)
{
    char quote = *s++;
    while (s < end && *s != quote && *s != '\n')
        s += *s == '\\' && s + 1 < end ? 2 : 1;
    return s < end && *s == quote ? s + 1 : s;
}

/* The raw string whose quote is at s: R"end(…)end". */
static const char *raw_end(const char *s, const char *end)
{
    size_t length = strcspn(s, "(") + 1; /* of )end" */
    char close[20];

    if (length > sizeof close)
        return quoted_end(s, end);
    memcpy(close, s, length);
    close[0] = ')';
    close[length - 1] = '"';
    const char *found = memmem(s, (size_t)(end - s), close, length);
    return found ? found + length : quoted_end(s, end);
}

/* A number may hold signs and apostrophes: 1e-5, 1'000'000. */
static const char *number_end(const char *s)
{
    for (; is_word_char(*s) || *s == '.'; s++) {
        bool exponent = strchr("eEpP", *s) && (s[1] == '+' || s[1] == '-');
        if (exponent || (s[1] == '\'' && is_word_char(s[2])))
            s++;
    }
    return s;
}

/* End of the token at s, which is no directive; sets *kind. */
static const char *token_end(const char *s, const char *end, enum kind *kind)
{
    *kind = BLANK;
    if (isspace((unsigned char)*s))
        return s + 1;
    *kind = LITERAL;
    if (*s == '"' || *s == '\'')
        return quoted_end(s, end);
    if (isdigit((unsigned char)s[*s == '.']))
        return number_end(s);
    *kind = is_word_char(*s) ? WORD : PUNCTUATION;
    const char *word = s;
    for (s++; *kind == WORD && is_word_char(*s);)
        s++;
    if (*s != '"' || !is_listed(word, (size_t)(s - word), " R LR uR UR u8R "))
        return s;
    *kind = LITERAL;
    return raw_end(s, end);
}

/* # 12 "dir/main.cu" 2 says where the next line comes from. */
static void follow_linemarker(const char *s, const char *end, struct token *position)
{
    char *name;
    long line = strtol(s + 1, &name, 10);
    name += strspn(name, " ");
    if (name == s + 1 || *name != '"')
        return;
    const char *name_end = quoted_end(name, end);
    if (name_end < name + 2 || name_end[-1] != '"')
        return;
    position->line = line - 1; /* the line break behind it adds one */
    position->file = strndup(name + 1, (size_t)(name_end - name - 2));
    position->system = memchr(name_end, '3', (size_t)(end - name_end)) != NULL;
}

bool brackets_pair = true;

/* Finds each bracket's partner, of whatever kind that is. While a bracket is open, its `partner` is
 * the bracket around it. */
static void pair_brackets(struct token *t, int count)
{
    static const char *const pairs[] = {"()", "[]", "{}"};
    int innermost = 0;
    for (int i = 1; i < count; i++) {
        bool end = i == count - 1, close = is(t, i, ")]}");
        t[i].around = innermost;
        if (is(t, i, "([{")) {
            t[i].partner = innermost;
            innermost = i;
        }
        while ((close || end) && innermost != 0) {
            int open = innermost;
            innermost = t[open].partner;
            t[open].partner = i;
            t[i].partner = open;
            close = false;
        }
    }
    for (int i = 1; i < count - 1; i++)
        for (int k = 0; k < 3 && is(t, i, "([{)]}"); k++)
            if (is(t, i, pairs[k]) && !is(t, t[i].partner, pairs[k]))
                brackets_pair = false;
}

static unsigned header_of(const struct token *t)
{
    return !t->system                        ? 0
           : strcmp(t->file, "cuda.h") == 0  ? HEADER_CUDA
           : strcmp(t->file, "libc") == 0    ? HEADER_LIBC
           : strcmp(t->file, "lacking") == 0 ? HEADER_LACKING
                                             : HEADER_OTHER;
}

/* Numbers the words by the first token of each, in a hash table. */
static void number_words(struct token *t, int count)
{
    size_t room = 2 * (size_t)count;
    int *first = memset(resize(NULL, room * sizeof *first), 0, room * sizeof *first);

    for (int i = 1; i < count; i++) {
        size_t hash = 0;
        if (t[i].kind != WORD)
            continue;
        for (size_t k = 0; k < t[i].length; k++)
            hash = hash * 31 + (unsigned char)t[i].text[k];
        while (first[hash %= room] != 0 && (t[first[hash]].length != t[i].length ||
                                            strncmp(t[first[hash]].text, t[i].text, t[i].length)))
            hash++;
        if (first[hash] == 0)
            first[hash] = i;
        t[i].word = first[hash];
        t[t[i].word].named |= header_of(&t[i]);
    }
    free(first);
}

struct token *tokenize(const char *text, size_t length, const char *file, int *count)
{
    const char *end = text + length;
    struct token *tokens = NULL, position = {.text = text, .file = file, .line = 1};
    bool line_start = true;
    size_t n = 0, room = 0;
    for (;;) {
        if (n == room)
            tokens = resize(tokens, (room = 2 * room + 1024) * sizeof *tokens);
        struct token *t = &tokens[n++];
        *t = position;
        if (n == 1)
            continue;
        if (t->text == end)
            break;
        bool directive = line_start && *t->text == '#';
        position.text = token_end(t->text, end, &t->kind);
        while (directive && position.text < end && *position.text != '\n')
            position.text++;
        if (directive)
            t->kind = BLANK;
        t->length = (size_t)(position.text - t->text);
        line_start = *t->text == '\n' || (line_start && t->kind == BLANK);
        for (const char *c = t->text; c < position.text; c++)
            position.line += *c == '\n';
        if (directive)
            follow_linemarker(t->text, position.text, &position);
    }
    *count = (int)n;
    pair_brackets(tokens, *count);
    number_words(tokens, *count);
    return tokens;
}

/* ---- looking around ---- */

bool is(const struct token *t, int i, const char *set)
{
    return t[i].kind == PUNCTUATION && *t[i].text && strchr(set, *t[i].text);
}

bool is_listed(const char *text, size_t length, const char *list)
{
    for (const char *s = list; (s = strchr(s, ' ')) != NULL && *++s;) {
        if (*s != *text)
            continue;
        size_t wanted = strcspn(s, " *");
        bool fits = s[wanted] == '*' ? length >= wanted : length == wanted;
        if (fits && strncmp(s, text, wanted) == 0)
            return true;
    }
    return false;
}

bool is_word(const struct token *t, int i, const char *list)
{
    return t[i].kind == WORD && is_listed(t[i].text, t[i].length, list);
}

/* The nearest token that is not BLANK. Nothing lies beyond an EDGE. */
static int walk(const struct token *t, int i, int step)
{
    if (t[i].kind == EDGE && (i == 0) == (step < 0))
        return i;
    do
        i += step;
    while (t[i].kind == BLANK);
    return i;
}

bool same_word(const struct token *a, const struct token *b)
{
    return a->kind == WORD && a->word == b->word;
}

bool is_named(const struct token *t, int i, unsigned headers)
{
    return t[t[i].word].named & headers;
}

int next(const struct token *t, int i)
{
    return walk(t, i, 1);
}

int previous(const struct token *t, int i)
{
    return walk(t, i, -1);
}

int partner(const struct token *t, int i, int step)
{
    return is(t, i, step > 0 ? "([{" : ")]}") ? t[i].partner : i;
}

int find(const struct token *t, int i, const char *set)
{
    while (t[i].kind != EDGE && !is(t, i, set))
        i = next(t, partner(t, i, 1));
    return i;
}

int angle_partner(const struct token *t, int i, int step)
{
    bool ends = false;

    for (int depth = 0; t[i].kind != EDGE; i = ends && step < 0 ? 0 : walk(t, i, step)) {
        /* <= >= -> << enclose nothing, but >> closes twice. */
        bool operator_sign = is(t, i + 1, "=") || (is(t, i, ">") && is(t, i - 1, "-")) ||
                             (is(t, i, "<") && (is(t, i - 1, "<") || is(t, i + 1, "<")));
        if (is(t, i, step > 0 ? "([{" : ")]}"))
            i = partner(t, i, step);
        else if (is(t, i, "()[]{};?")) /* of what is around it: it has no partner */
            ends = true;
        else if (!operator_sign)
            depth += is(t, i, "<") - is(t, i, ">");
        if (depth == 0 && !ends)
            break;
    }
    return i;
}

const char words_with_arguments[] = " __attribute__ __align__ alignas __launch_bounds__ "
                                    "__cluster_dims__ __maxnreg__ decltype explicit ";

const char class_words[] = " struct class union enum ";

int declarator_end(const struct token *t, int i)
{
    for (i = next(t, i); t[i].kind != EDGE && !is(t, i, "(=,;{)]}"); i = next(t, i)) {
        bool attribute = is(t, i, "[") && is(t, i + 1, "[");
        if (is_word(t, i, " operator ") || (is(t, i, "[") && !attribute))
            break;
        if (is_word(t, i, words_with_arguments) && is(t, next(t, i), "("))
            i = next(t, i);
        if (is(t, i, "(["))
            i = partner(t, i, 1);
        if (is(t, i, "<"))
            i = angle_partner(t, i, 1);
    }
    return i;
}

char qualifier(const struct token *t, int i)
{
    int sign = previous(t, i);

    if (is(t, sign, ".") || (is(t, sign, ">") && is(t, sign - 1, "-")))
        return '.';
    return is(t, sign, ":") && is(t, sign - 1, ":") ? ':' : 0;
}

const char no_types[] = " return else do case goto throw new delete sizeof operator static extern "
                        "inline register typename if while for switch co_return co_await co_yield "
                        "and or not xor bitand bitor compl ";

bool is_declared(const struct token *t, int i)
{
    int type = previous(t, i), then = next(t, i);
    bool pointer = is(t, type, "*&");

    if (!is(t, then, "=;,()[{:>") || (is(t, then, ":") && is(t, then + 1, ":")))
        return false;
    while (is(t, type, "*&"))
        type = previous(t, type);
    if (pointer && is(t, type, "(")) /* T (*i)(int) */
        return is(t, then, ")") && is(t, next(t, then), "([");
    if (is(t, type, ">"))
        return is(t, angle_partner(t, type, -1), "<");
    int before = previous(t, type); /* a * i is no declaration, if another operator is in front */
    return t[type].kind == WORD && !is_word(t, type, no_types) &&
           (!pointer || t[before].kind != PUNCTUATION || is(t, before, ";{}(,:]>"));
}

/* The token in front of i; where braces end there and the declaration goes on behind them, the one
 * in front of these: int a[]{1}, b; or S() : a{1} { … }, struct S { … } *a; or requires(T t)
 * { t + 1; } void f() … */
static int previous_but_braces(const struct token *t, int i)
{
    int close = previous(t, i), before = previous(t, partner(t, close, -1));
    int asks = previous(t, partner(t, before, -1));
    bool of_name =
        is(t, before, ">") || (t[before].kind == WORD && !is_word(t, before, " else do try "));
    bool listed = is(t, previous(t, t[i].around), "=]{,("); /* in a table of values */
    bool value =
        is(t, i, ",") ? !listed && (of_name || is(t, before, "=]")) : is(t, i, "{") && of_name;
    bool asked = is_word(t, asks, " requires ") && is_word(t, previous(t, asks), " requires ");
    bool type = (t[i].kind == WORD || is(t, i, "*")) &&
                (is_word(t, before, class_words) || is_word(t, previous(t, before), class_words));

    return is(t, close, "}") && (value || asked || type) ? before : close;
}

int statement_start(const struct token *t, int i)
{
    int before = previous_but_braces(t, i);

    while (t[before].kind != EDGE && !is(t, before, ";{}"))
        before = previous_but_braces(t, i = before);
    return i;
}

bool has_word(const struct token *t, int start, int end, const char *words)
{
    for (int i = start; i < end; i = next(t, is(t, i, "([") ? partner(t, i, 1) : i))
        if (is_word(t, i, words))
            return true;
    return false;
}

/* One of the words in the declaration of the braces that open there; 0: there is none. */
static int head_word(const struct token *t, int open, const char *words)
{
    int head = is(t, open, "{") ? open : 0;

    while (head = previous_but_braces(t, head), t[head].kind != EDGE && !is(t, head, ";{}")) {
        if (is_word(t, head, words))
            return head;
        head = partner(t, head, -1);
    }
    return 0;
}

int enclosed_by(const struct token *t, int i, const char *words)
{
    int open = t[i].around;
    struct token *bracket = (struct token *)&t[open]; /* is asked for each token within */

    if (open != 0 && bracket->asked != words) {
        int word = head_word(t, open, words);
        bracket->answer = word ? word : enclosed_by(t, open, words);
        bracket->asked = words;
    }
    return open != 0 ? bracket->answer : 0;
}

int class_around(const struct token *t, int i)
{
    int open = t[i].around, start = statement_start(t, open);

    while (is_word(t, start, " template "))
        start = next(t, angle_partner(t, next(t, start), 1));
    return is(t, open, "{") && is_word(t, start, " struct class union ") ? next(t, start) : 0;
}

void append(struct token *t, int i, const char *format, ...)
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

void report(const struct token *at, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%ld: error: ", at->file, at->line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}
