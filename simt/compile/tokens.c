/* Cuts source into tokens and looks around among them; see rewrite.h. */
#include "compile/rewrite.h"

#include <ctype.h>
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

struct token *t;
int edge;
bool brackets_pair = true;

/* Makes them partners; close may be an EDGE. Returns the bracket around them. */
static int pair(int open, int close)
{
    int around = t[open].partner;

    brackets_pair &= is(close, is(open, "(") ? ")" : is(open, "[") ? "]" : "}");
    t[open].partner = close;
    t[close].partner = open;
    return around;
}

/* Finds each bracket's partner, of whatever kind that is. While a bracket is open, its `partner` is
 * the bracket around it. */
static void pair_brackets(void)
{
    int innermost = 0;

    for (int i = 1; i <= edge; i++) {
        t[i].around = innermost;
        if (is(i, "([{")) {
            t[i].partner = innermost;
            innermost = i;
        } else if (is(i, ")]}") && innermost != 0) {
            innermost = pair(innermost, i);
        } else if (is(i, ")]}")) {
            brackets_pair = false;
        }
    }
    while (innermost != 0)
        innermost = pair(innermost, edge);
}

static unsigned header_of(int i)
{
    return !t[i].system                       ? 0
           : strcmp(t[i].file, "cuda.h") == 0 ? HEADER_CUDA
           : strcmp(t[i].file, "libc") == 0   ? HEADER_LIBC
           : strcmp(t[i].file, "nvidia") == 0 ? HEADER_NVIDIA
                                              : HEADER_OTHER;
}

/* Chains the words that are the same, by a hash table of the last one so far of each. */
static void chain_words(void)
{
    size_t room = 2 * (size_t)edge;
    int *last = memset(resize(NULL, room * sizeof *last), 0, room * sizeof *last);

    for (int i = 1; i < edge; i++) {
        size_t hash = 0;
        if (t[i].kind != WORD)
            continue;
        for (size_t k = 0; k < t[i].length; k++)
            hash = hash * 31 + (unsigned char)t[i].text[k];
        while (last[hash %= room] != 0 && (t[last[hash]].length != t[i].length ||
                                           strncmp(t[last[hash]].text, t[i].text, t[i].length)))
            hash++;
        t[i].word = last[hash] ? t[last[hash]].word : i;
        if (last[hash])
            t[last[hash]].again = i;
        last[hash] = i;
        t[t[i].word].named |= header_of(i);
    }
    free(last);
}

void tokenize(const char *text, size_t length, const char *file)
{
    const char *end = text + length;
    struct token position = {.text = text, .file = file, .line = 1}, *own;
    bool line_start = true;
    for (int room = 0;; edge++) {
        if (edge == room)
            t = resize(t, (size_t)(room = 2 * room + 1024) * sizeof *t);
        own = &t[edge];
        *own = position;
        if (edge == 0)
            continue;
        if (own->text == end)
            break;
        bool directive = line_start && *own->text == '#';
        position.text = token_end(own->text, end, &own->kind);
        while (directive && position.text < end && *position.text != '\n')
            position.text++;
        if (directive)
            own->kind = BLANK;
        own->length = (size_t)(position.text - own->text);
        line_start = *own->text == '\n' || (line_start && own->kind == BLANK);
        for (const char *c = own->text; c < position.text; c++)
            position.line += *c == '\n';
        if (directive)
            follow_linemarker(own->text, position.text, &position);
    }
    pair_brackets();
    chain_words();
}

/* ---- looking around ---- */

bool is(int i, const char *set)
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

bool is_word(int i, const char *list)
{
    return t[i].kind == WORD && is_listed(t[i].text, t[i].length, list);
}

bool same_word(int i, int k)
{
    return t[i].kind == WORD && t[i].word == t[k].word;
}

bool is_named(int i, unsigned headers)
{
    return t[t[i].word].named & headers;
}

int next(int i)
{
    while (i < edge && t[++i].kind == BLANK)
        ;
    return i;
}

int previous(int i)
{
    while (i > 0 && t[--i].kind == BLANK)
        ;
    return i;
}

int partner(int i, int step)
{
    return is(i, step > 0 ? "([{" : ")]}") ? t[i].partner : i;
}

int find(int i, const char *set)
{
    while (t[i].kind != EDGE && !is(i, set))
        i = next(partner(i, 1));
    return i;
}

int angle_partner(int i, int step)
{
    bool ends = false;

    for (int depth = 0; t[i].kind != EDGE; i = step > 0 ? next(i) : ends ? 0 : previous(i)) {
        /* <= >= -> << enclose nothing, but >> closes twice. */
        bool operator_sign = is(i + 1, "=") || (is(i, ">") && is(i - 1, "-")) ||
                             (is(i, "<") && (is(i - 1, "<") || is(i + 1, "<")));
        if (is(i, step > 0 ? "([{" : ")]}"))
            i = partner(i, step);
        else if (is(i, "()[]{};?")) /* of what is around it: it has no partner */
            ends = true;
        else if (!operator_sign)
            depth += is(i, "<") - is(i, ">");
        if (depth == 0 && !ends)
            break;
    }
    return i;
}

const char words_with_arguments[] = " __attribute__ __align__ alignas __launch_bounds__ "
                                    "__cluster_dims__ __maxnreg__ decltype explicit ";

const char class_words[] = " struct class union enum ";

int declarator_end(int i)
{
    for (i = next(i); t[i].kind != EDGE && !is(i, "(=,;{)]}"); i = next(i)) {
        bool attribute = is(i, "[") && is(i + 1, "[");
        if (is_word(i, " operator ") || (is(i, "[") && !attribute))
            break;
        if (is_word(i, words_with_arguments) && is(next(i), "("))
            i = next(i);
        if (is(i, "(["))
            i = partner(i, 1);
        if (is(i, "<"))
            i = angle_partner(i, 1);
    }
    return i;
}

char qualifier(int i)
{
    int sign = previous(i);

    if (is(sign, ".") || (is(sign, ">") && is(sign - 1, "-")))
        return '.';
    return is(sign, ":") && is(sign - 1, ":") ? ':' : 0;
}

const char no_types[] = " return else do case goto throw new delete sizeof operator static extern "
                        "inline register typename if while for switch co_return co_await co_yield "
                        "and or not xor bitand bitor compl ";

bool is_declared(int i)
{
    int type = previous(i), then = next(i);
    bool pointer = is(type, "*&");

    int behind = next(partner(then, 1));
    if (!is(then, "=;,()[{:>") || (is(then, ":") && is(then + 1, ":")) ||
        (is(then, "(") && is(behind, "([") && !is(behind + 1, "["))) /* const T (*p)(int) */
        return false;
    while (is(type, "*&"))
        type = previous(type);
    if (pointer && is(type, "(")) /* T (*i)(int) */
        return is(then, ")") && is(next(then), "([");
    if (is(type, ">"))
        return is(angle_partner(type, -1), "<");
    int before = previous(type); /* a * i is no declaration, if another operator is in front */
    return t[type].kind == WORD && !is_word(type, no_types) &&
           (!pointer || t[before].kind != PUNCTUATION || is(before, ";{}(,:]>"));
}

/* The token in front of i; where braces end there and the declaration goes on behind them, the one
 * in front of these: int a[]{1}, b; or S() : a{1} { … }, struct S { … } *a; or requires(T t)
 * { t + 1; } void f() … */
static int previous_but_braces(int i)
{
    int close = previous(i), before = previous(partner(close, -1));
    int asks = previous(partner(before, -1));
    bool of_name = is(before, ">") || (t[before].kind == WORD && !is_word(before, " else do try "));
    bool listed = is(previous(t[i].around), "=]{,("); /* in a table of values */
    bool value = is(i, ",") ? !listed && (of_name || is(before, "=]")) : is(i, "{") && of_name;
    bool asked = is_word(asks, " requires ") && is_word(previous(asks), " requires ");
    bool type = (t[i].kind == WORD || is(i, "*")) &&
                (is_word(before, class_words) || is_word(previous(before), class_words));

    return is(close, "}") && (value || asked || type) ? before : close;
}

int statement_start(int i)
{
    int before = previous_but_braces(i);

    while (t[before].kind != EDGE && !is(before, ";{}"))
        before = previous_but_braces(i = before);
    return i;
}

bool has_word(int start, int end, const char *words)
{
    for (int i = start; i < end; i = next(is(i, "([") ? partner(i, 1) : i))
        if (is_word(i, words))
            return true;
    return false;
}

/* One of the words in the declaration of the braces that open there; 0: there is none. */
static int head_word(int open, const char *words)
{
    int head = is(open, "{") ? open : 0;

    while (head = previous_but_braces(head), t[head].kind != EDGE && !is(head, ";{}")) {
        if (is_word(head, words))
            return head;
        head = partner(head, -1);
    }
    return 0;
}

int enclosed_by(int i, const char *words)
{
    int open = t[i].around;

    if (open == 0)
        return 0;
    if (t[open].asked != words) { /* is asked for each token within */
        int word = head_word(open, words);
        t[open].answer = word ? word : enclosed_by(open, words);
        t[open].asked = words;
    }
    return t[open].answer;
}

int class_around(int i)
{
    int open = t[i].around, start = statement_start(open);

    while (is_word(start, " template "))
        start = next(angle_partner(next(start), 1));
    return is(open, "{") && is_word(start, " struct class union ") ? next(start) : 0;
}
