/* Reads g++'s table of symbols. An entry of it looks so, its long lines cut short:
 *
 *     _Z1kPi/1145 (void k(int*)) @0x7f562eb47ee0
 *       Type: function definition analyzed
 *       Visibility: semantic_interposition public
 *       References: n/1128 (read) _ZN12_GLOBAL__N_11mE/1135 (addr)
 *       Function flags: body
 *       Calls: _Z4stepi/1138 printf/1140 (can throw external)
 *
 * The table ends with an empty line. What is not as expected is passed over. */
#include "compile/references.h"
#include "compile/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names as g++ writes them for people, "static T S<T>::get(int) const [with T = int]" ---- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* Behind the parenthesis at s and all that it encloses. */
static const char *behind_parentheses(const char *s)
{
    int depth = 0;

    do {
        depth += (*s == '(') - (*s == ')');
        s++;
    } while (depth > 0 && *s);
    return s;
}

/* Behind the < at s and all that it encloses. */
static const char *behind_arguments(const char *s)
{
    int depth = 0;

    do {
        if (*s == '(') {
            s = behind_parentheses(s);
            continue;
        }
        depth += (*s == '<') - (*s == '>');
        s++;
    } while (depth > 0 && *s);
    return s;
}

/* The qualified name in it, without template arguments, on the heap, and in *end what stands behind
 * it; NULL: it has none that would be looked for, as an operator. */
static char *name_in(const char *text, const char **end)
{
    char *name = resize(NULL, strlen(text) + 1);
    size_t length = 0;
    bool is_operator = false;

    for (*end = text; **end && **end != '(' && strncmp(*end, " [", 2) != 0;) {
        if (**end == '<') {
            *end = behind_arguments(*end);
            continue;
        }
        name[length++] = **end;
        name[length] = '\0';
        is_operator |= length >= 8 && strcmp(name + length - 8, "operator") == 0;
        if (*(*end)++ == ' ')
            length = 0;
    }
    if (length > 0 && is_name_char(name[length - 1]) && !is_operator)
        return name;
    free(name);
    return NULL;
}

/* ---- entries ---- */

static void add_use(struct node *node, struct use use)
{
    size_t count = node->use_count;

    if ((count & (count - 1)) == 0) /* full: none, or a power of two */
        node->uses = resize(node->uses, (count ? 2 * count : 1) * sizeof *node->uses);
    node->uses[node->use_count++] = use;
}

/* Where "/NUMBER" followed by a blank or nothing is next in s, or NULL; sets *number and *end. */
static char *next_number(char *s, long *number, char **end)
{
    while ((s = strchr(s, '/')) != NULL) {
        if (isdigit((unsigned char)s[1])) {
            *number = strtol(s + 1, end, 10);
            if (**end == ' ' || **end == '\0')
                return s;
        }
        s++;
    }
    return NULL;
}

static void add_uses(struct node *node, char *list, bool calls)
{
    long number;

    for (char *end; next_number(list, &number, &end); list = end)
        add_use(node, (struct use){number, calls});
}

/* Does the list of words that a blank separates hold one that begins so? */
static bool has_word(const char *list, const char *word)
{
    for (const char *s = list; (s = strstr(s, word)) != NULL; s++)
        if (s == list || s[-1] == ' ')
            return true;
    return false;
}

/* The line "  WHAT: list" of an entry. */
static void take_line(struct node *node, char *what)
{
    char *list = strchr(what, ':');

    if (!list)
        return;
    *list++ = '\0';
    if (strcmp(what, "Type") == 0) {
        node->function = has_word(list, "function");
        node->foreign &= node->function && !has_word(list, "definition");
    } else if (strcmp(what, "Visibility") == 0) {
        node->placed |= has_word(list, "section:") || has_word(list, "artificial");
    } else if (strcmp(what, "Varpool flags") == 0) {
        node->placed |= has_word(list, "tls-");
        node->constant = has_word(list, "read-only");
    } else if (strcmp(what, "References") == 0) {
        add_uses(node, list, false);
    } else if (strcmp(what, "Calls") == 0) {
        add_uses(node, list, true);
    }
}

/* The line begins an entry, whose node is returned; or it belongs to that of the node before,
 * as the rest of a section's name. */
static struct node *begin_node(struct references *all, char *line, struct node *before)
{
    long number;
    char *end, *at = next_number(line, &number, &end), *close = strrchr(line, ')');
    const char *behind;

    if (!at || strncmp(end, " (", 2) != 0 || !close || close < end)
        return before;
    *close = '\0';
    if (all->count == all->room)
        all->node = resize(all->node, (all->room = 2 * all->room + 256) * sizeof *all->node);
    struct node *node = &all->node[all->count++];
    *node = (struct node){.number = number, .name = name_in(end + 2, &behind)};
    node->heap = has_word(line, "_Znwm/") || has_word(line, "_Znam/")     ? "new"
                 : has_word(line, "_ZdlPv") || has_word(line, "_ZdaPv")   ? "delete"
                 : has_word(line, "malloc/") || has_word(line, "calloc/") ? "malloc"
                 : has_word(line, "free/")                                ? "free"
                                                                          : NULL;
    node->is_constexpr = has_word(end + 2, "constexpr ") || has_word(end + 2, "consteval ");
    node->foreign = strncmp(line, "_Z", 2) != 0;
    node->array = strncmp(behind, " [", 2) == 0 && isdigit((unsigned char)behind[2]);
    node->placed = strncmp(line, "_ZZ", 3) == 0; /* a function's */
    node->within = *behind == '(' && strncmp(behind_parentheses(behind), "::", 2) == 0;
    return node;
}

static int by_number(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

struct references references_read(char *text)
{
    static const char title[] = "\nSymbol table:\n\n";
    struct references all = {0};
    struct node *node = NULL;

    text = strstr(text, title);
    char *line = text ? text + strlen(title) : "";
    for (size_t length; (length = strcspn(line, "\n")) > 0; line += length) {
        if (line[length] == '\n')
            line[length++] = '\0';
        if (line[0] == ' ' && line[1] == ' ' && node)
            take_line(node, line + 2);
        else if (line[0] != ' ')
            node = begin_node(&all, line, node);
    }
    if (all.count > 0)
        qsort(all.node, all.count, sizeof *all.node, by_number);
    return all;
}

void references_free(struct references *references)
{
    for (size_t i = 0; i < references->count; i++) {
        free(references->node[i].name);
        free(references->node[i].uses);
    }
    free(references->node);
}

const struct node *references_node(const struct references *references, long number)
{
    struct node wanted = {.number = number};

    return references->count == 0
               ? NULL
               : bsearch(&wanted, references->node, references->count, sizeof wanted, by_number);
}
