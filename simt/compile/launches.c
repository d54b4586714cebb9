/* Rewrites launches: kernel<<<GRID, BLOCK>>>(ARGUMENTS), calls that launch, and kernels. */
#include "compile/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* The kernel as a pointer, if its name says which function it is, and its call, in which nothing
 * may be counted: it is no code of the kernel's. The first %s is what it captures, the others are
 * the kernel's name. */
#define POINTER   "[%s](auto simt_how) -> decltype(::simt::pointer_to(simt_how, %s)) { return %s; }, "
#define CALL      "[%s](auto &&...simt_args) __attribute__((no_sanitize_thread, no_sanitize_coverage)) "
#define RESULT    "-> decltype(%s(static_cast<decltype(simt_args)>(simt_args)...)) { "
#define CALL_TAIL "(static_cast<decltype(simt_args)>(simt_args)...); }"

bool rewrite_for_newer;

char *escaped(const char *text)
{
    char *spelled = resize(NULL, 2 * strlen(text) + 1), *s = spelled;
    for (; *text; *s++ = *text++)
        if (*text == '"' || (*text == '\\' && text[1] != 'U')) /* but for a letter beyond ASCII */
            *s++ = '\\';
    *s = '\0';
    return spelled;
}

static bool is_name(const struct token *t, int i)
{
    return t[i].kind == WORD && !is_word(t, i, no_types);
}

/* First token of the name in front of the <<< at i, such as ::a::b<int>::kernel<256>, kernels[i],
 * this->kernel, choose(i) or (*kernel); the first EDGE if there is none. */
static int name_start(const struct token *t, int i)
{
    i = previous(t, i);
    for (;;) {
        while (is(t, i, ")]")) {
            int open = partner(t, i, -1), callee = previous(t, open);
            if (is(t, i, ")") && !is_name(t, callee) && !is(t, callee, ">"))
                return open;
            i = callee;
        }
        if (is(t, i, ">"))
            i = previous(t, angle_partner(t, i, -1));
        if (!is_name(t, i))
            return 0;
        if (is_word(t, previous(t, i), " template "))
            i = previous(t, i);
        char link = qualifier(t, i);
        if (!link)
            return i;
        int sign = previous(t, i), left = previous(t, is(t, sign, ".") ? sign : sign - 1);
        if (link == ':' && !is(t, left, ">") && !is_name(t, left))
            return sign - 1;
        i = left;
    }
}

/* The tokens from start to before end on one line, on the heap. */
static char *name_of(const struct token *t, int start, int end)
{
    char *name = resize(NULL, (size_t)(t[end].text - t[start].text) + 1), *s = name;

    for (int i = start; i <= previous(t, end); i++) {
        if (t[i].kind == BLANK && t[i - 1].kind != BLANK)
            *s++ = ' ';
        if (t[i].kind == BLANK)
            continue;
        memcpy(s, t[i].text, t[i].length);
        s += t[i].length;
    }
    *s = '\0';
    return name;
}

static void erase(struct token *t, int from, int to)
{
    for (int i = from; i <= to; i++)
        if (t[i].kind != BLANK)
            t[i].instead = "";
}

/* Does the same character stand three times at i? Some formatters put blanks between. */
static bool is_triple(const struct token *t, int i, const char *c)
{
    int second = next(t, i);
    return is(t, i, c) && is(t, second, c) && is(t, next(t, second), c);
}

/* Replaces the three characters at i by the text. Returns the last of them. */
static int replace_triple(struct token *t, int i, const char *text)
{
    t[i].instead = text;
    for (int k = 0; k < 2; k++)
        t[i = next(t, i)].instead = "";
    return i;
}

/* Does the launch's >>> begin here? Of more than three > it is the last three. */
static bool closes(const struct token *t, int i)
{
    return is_triple(t, i, ">") && is(t, next(t, next(t, next(t, i))), "(");
}

/* Is token i within braces? Outside there are no variables that a lambda could capture. */
static bool in_braces(const struct token *t, int i)
{
    while (t[i].around != 0 && !is(t, t[i].around, "{"))
        i = t[i].around;
    return t[i].around != 0;
}

static bool in_lambda(const struct token *t, int i)
{
    for (int open = t[i].around; open != 0; open = t[open].around) {
        int head = previous(t, open);
        head = is_word(t, head, " mutable ") ? previous(t, head) : head;
        head = is(t, head, ")") ? previous(t, partner(t, head, -1)) : head;
        if (is(t, open, "{") && is(t, head, "]"))
            return true;
    }
    return false;
}

/* Is a constant of the function around among the arguments k<N> from start to the <<< at i? */
static bool has_constant(const struct token *t, int start, int i)
{
    for (int k = start; k < i; k = next(t, k))
        for (int j = previous(t, start); t[k].kind == WORD && t[j].around != 0; j = previous(t, j))
            if (same_word(&t[j], &t[k]) && is(t, next(t, j), "={"))
                return true;
    return false;
}

/* The [ of the host's lambda that is the launch's argument at i, or its variable's; 0: none. */
static int lambda_of_host(const struct token *t, int i)
{
    int open = i;

    if (t[i].kind == WORD && is(t, next(t, i), ",)"))
        for (int k = previous(t, i); open == i && k > t[t[i].around].around; k = previous(t, k))
            if (same_word(&t[k], &t[i]) && is_word(t, previous(t, k), " auto "))
                open = is(t, next(t, k), "=") ? next(t, next(t, k)) : 0;
    int then = next(t, partner(t, open, 1));
    return is(t, open, "[") && !has_word(t, then, find(t, then, "({"), device_words) ? open : 0;
}

/* Rewrites the launch whose <<< is at i; returns its last token. The name keeps its place, in the
 * call, and with it its line breaks. */
static int rewrite_arrows(struct token *t, int i)
{
    int start = name_start(t, i), first = next(t, next(t, next(t, i))), close = first;
    while (t[close].kind != EDGE && !is(t, close, ";)]}") && !closes(t, close))
        close = next(t, partner(t, close, 1));
    if (brackets_pair && enclosed_by(t, i, kernel_words))
        refuse(t, i, 2, "the CPU backend has no kernels launched by kernels" LOOK);
    if (start != 0 && first != close && find(t, first, ",") > close && closes(t, close))
        refuse(t, i, 2,
               "a launch wants a BLOCK; expected NAME<<<GRID, BLOCK>>>(ARGUMENTS) (without "
               "it nvcc 13 takes 1 thread)");
    if (start == 0 || first == close || !closes(t, close))
        refuse(t, i, 1, "'<<<' begins no launch; expected NAME<<<GRID, BLOCK>>>(ARGUMENTS)");
    int end = replace_triple(t, close, ")");
    for (int k = next(t, end); is(t, k, "(,"); k = find(t, next(t, k), ",)"))
        if (lambda_of_host(t, next(t, k)))
            refuse(t, next(t, k), 1,
                   "a kernel cannot call a lambda of the host's: want __device__ behind [ ]");
    char *name = name_of(t, start, i), *spelled = escaped(name);
    /* The constants of k<N> are none of the lambda's variables; but of one that an outer lambda
     * has, g++ 12 breaks over a reference, and newer ones do not find it in a result type: there
     * the kernel has no pointer, only its call. */
    bool constants = strchr(name, '<') && !strpbrk(name, "[(.-");
    const char *taken = !in_braces(t, i) ? "" : constants ? "=" : "&";
    append(t, start, "%s::simt::launch({\"%s\", \"%s\", %ld%s}, ",
           is(t, start - 1, ":") ? " " : "" /* keeps the colon of a label off ours */, spelled,
           t[start].file, t[start].line,
           enclosed_by(t, start, " template ") ? ", nullptr, __PRETTY_FUNCTION__" : "");
    if (rewrite_for_newer && constants && in_lambda(t, i) && has_constant(t, start, i))
        append(t, start, "nullptr, " CALL "{ ", taken);
    else
        append(t, start, POINTER CALL RESULT, taken, name, name, taken, name);
    free(name);
    free(spelled);
    replace_triple(t, i, CALL_TAIL ", ");
    return end;
}

/* Has the kernel whose __global__ is at i begin with a record of its __launch_bounds__(ARGUMENTS);
 * 0: it has none. A declaration without a body leaves no record. */
static void rewrite_kernel(struct token *t, int i)
{
    int parameters = declarator_end(t, i), body = find(t, parameters, "{;");
    char *arguments = NULL;

    if (!is(t, parameters, "(") || !is(t, body, "{") || t[body].instead)
        return;
    for (int bounds = statement_start(t, i); bounds < parameters; bounds = next(t, bounds))
        if (is_word(t, bounds, " __launch_bounds__ ") && is(t, next(t, bounds), "("))
            arguments = name_of(t, next(t, next(t, bounds)), partner(t, next(t, bounds), 1));
    append(t, body, "{ ::simt::kernel_begins<::simt::first(%s)>();",
           arguments && *arguments ? arguments : "0");
    free(arguments);
    t[body].instead = "";
}

/* Removes a cast to void * in front of the kernel that the call at i launches: the call must see
 * the kernel's parameters. */
static void rewrite_kernel_cast(struct token *t, int i)
{
    int cast = next(t, next(t, i)), close = partner(t, cast, 1), star = previous(t, close);

    if (is(t, next(t, i), "(") && is(t, cast, "(") && is(t, star, "*") &&
        is_word(t, previous(t, star), " void "))
        erase(t, cast, close);
}

int rewrite_launch(struct token *t, int i)
{
    if (is_word(t, i, " cudaLaunchKernel cudaLaunchCooperativeKernel "))
        rewrite_kernel_cast(t, i);
    if (is_word(t, i, kernel_words))
        rewrite_kernel(t, i);
    if (is_word(t, i, " __launch_bounds__ ") && is(t, next(t, i), "("))
        erase(t, i, partner(t, next(t, i), 1));
    if (!is_triple(t, i, "<"))
        return i;
    return is_word(t, previous(t, i), " operator ") ? next(t, next(t, i)) : rewrite_arrows(t, i);
}
