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

static bool is_name(int i)
{
    return t[i].kind == WORD && !is_word(i, no_types);
}

/* First token of the name in front of the <<< at i, such as ::a::b<int>::kernel<256>, kernels[i],
 * this->kernel, choose(i) or (*kernel); the first EDGE if there is none. */
static int name_start(int i)
{
    i = previous(i);
    for (;;) {
        while (is(i, ")]")) {
            int open = partner(i, -1), callee = previous(open);
            if (is(i, ")") && !is_name(callee) && !is(callee, ">"))
                return open;
            i = callee;
        }
        if (is(i, ">"))
            i = previous(angle_partner(i, -1));
        if (!is_name(i))
            return 0;
        if (is_word(previous(i), " template "))
            i = previous(i);
        char link = qualifier(i);
        if (!link)
            return i;
        int sign = previous(i), left = previous(is(sign, ".") ? sign : sign - 1);
        if (link == ':' && !is(left, ">") && !is_name(left))
            return sign - 1;
        i = left;
    }
}

/* The tokens from start to before end on one line, on the heap. */
static char *name_of(int start, int end)
{
    char *name = resize(NULL, (size_t)(t[end].text - t[start].text) + 1), *s = name;

    for (int i = start; i <= previous(end); i++) {
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

static void erase(int from, int to)
{
    for (int i = from; i <= to; i++)
        if (t[i].kind != BLANK)
            t[i].instead = "";
}

/* Does the same character stand three times at i? Some formatters put blanks between. */
static bool is_triple(int i, const char *c)
{
    int second = next(i);
    return is(i, c) && is(second, c) && is(next(second), c);
}

/* Replaces the three characters at i by the text. Returns the last of them. */
static int replace_triple(int i, const char *text)
{
    t[i].instead = text;
    for (int k = 0; k < 2; k++)
        t[i = next(i)].instead = "";
    return i;
}

/* Does the launch's >>> begin here? Of more than three > it is the last three. */
static bool closes(int i)
{
    return is_triple(i, ">") && is(next(next(next(i))), "(");
}

/* Is token i within braces? Outside there are no variables that a lambda could capture. */
static bool in_braces(int i)
{
    while (t[i].around != 0 && !is(t[i].around, "{"))
        i = t[i].around;
    return t[i].around != 0;
}

/* Is token i within a lambda? */
static bool in_lambda(int i)
{
    for (int open = t[i].around; open != 0; open = t[open].around) {
        int head = previous(open);
        head = is_word(head, " mutable ") ? previous(head) : head;
        head = is(head, ")") ? previous(partner(head, -1)) : head;
        if (is(open, "{") && is(head, "]"))
            return true;
    }
    return false;
}

/* Is a constant of the function around among the arguments k<N> from start to the <<< at i? */
static bool has_constant(int start, int i)
{
    for (int k = start; k < i; k = next(k))
        for (int j = previous(start); t[k].kind == WORD && t[j].around != 0; j = previous(j))
            if (same_word(j, k) && is(next(j), "={"))
                return true;
    return false;
}

/* The [ of the host's lambda that is the launch's argument at i, or its variable's; 0: none. */
static int lambda_of_host(int i)
{
    int open = i;

    if (t[i].kind == WORD && is(next(i), ",)"))
        for (int k = previous(i); open == i && k > t[t[i].around].around; k = previous(k))
            if (same_word(k, i) && is_word(previous(k), " auto "))
                open = is(next(k), "=") ? next(next(k)) : 0;
    int then = next(partner(open, 1));
    return is(open, "[") && !has_word(then, find(then, "({"), device_words) ? open : 0;
}

/* Rewrites the launch whose <<< is at i; returns its last token. The name keeps its place, in the
 * call, and with it its line breaks. */
static int rewrite_arrows(int i)
{
    int start = name_start(i), first = next(next(next(i))), close = first;
    while (t[close].kind != EDGE && !is(close, ";)]}") && !closes(close))
        close = next(partner(close, 1));
    if (brackets_pair && enclosed_by(i, kernel_words))
        refuse(i, 2, "the CPU backend has no kernels launched by kernels" LOOK);
    if (start != 0 && first != close && find(first, ",") > close && closes(close))
        refuse(i, 2,
               "a launch wants a BLOCK; expected NAME<<<GRID, BLOCK>>>(ARGUMENTS) (without "
               "it nvcc 13 takes 1 thread)");
    if (start == 0 || first == close || !closes(close))
        refuse(i, 1, "'<<<' begins no launch; expected NAME<<<GRID, BLOCK>>>(ARGUMENTS)");
    int end = replace_triple(close, ")");
    for (int k = next(end); is(k, "(,"); k = find(next(k), ",)"))
        if (lambda_of_host(next(k)))
            refuse(next(k), 1,
                   "a kernel cannot call a lambda of the host's: want __device__ behind [ ]");
    char *name = name_of(start, i), *spelled = escaped(name);
    /* The constants of k<N> are none of the lambda's variables; but of one that an outer lambda
     * has, g++ 12 breaks over a reference, and newer ones do not find it in a result type: there
     * the kernel has no pointer, only its call. */
    bool constants = strchr(name, '<') && !strpbrk(name, "[(.-");
    const char *taken = !in_braces(i) ? "" : constants ? "=" : "&";
    append(start, "%s::simt::launch({\"%s\", \"%s\", %ld%s}, ",
           is(start - 1, ":") ? " " : "" /* keeps the colon of a label off ours */, spelled,
           t[start].file, t[start].line,
           enclosed_by(start, " template ") ? ", nullptr, __PRETTY_FUNCTION__" : "");
    if (rewrite_for_newer && constants && in_lambda(i) && has_constant(start, i))
        append(start, "nullptr, " CALL "{ ", taken);
    else
        append(start, POINTER CALL RESULT, taken, name, name, taken, name);
    free(name);
    free(spelled);
    replace_triple(i, CALL_TAIL ", ");
    return end;
}

/* Has the kernel whose __global__ is at i begin with a record of its __launch_bounds__(ARGUMENTS);
 * 0: it has none. A declaration without a body leaves no record. */
static void rewrite_kernel(int i)
{
    int parameters = declarator_end(i), body = find(parameters, "{;");
    char *arguments = NULL;

    if (!is(parameters, "(") || !is(body, "{") || t[body].instead)
        return;
    for (int bounds = statement_start(i); bounds < parameters; bounds = next(bounds))
        if (is_word(bounds, " __launch_bounds__ ") && is(next(bounds), "("))
            arguments = name_of(next(next(bounds)), partner(next(bounds), 1));
    append(body, "{ ::simt::kernel_begins<::simt::first(%s)>();",
           arguments && *arguments ? arguments : "0");
    free(arguments);
    t[body].instead = "";
}

/* Removes a cast to void * in front of the kernel that the call at i launches: the call must see
 * the kernel's parameters. */
static void rewrite_kernel_cast(int i)
{
    int cast = next(next(i)), close = partner(cast, 1), star = previous(close);

    if (is(next(i), "(") && is(cast, "(") && is(star, "*") && is_word(previous(star), " void "))
        erase(cast, close);
}

int rewrite_launch(int i)
{
    if (is_word(i, " cudaLaunchKernel cudaLaunchCooperativeKernel "))
        rewrite_kernel_cast(i);
    if (is_word(i, kernel_words))
        rewrite_kernel(i);
    if (is_word(i, " __launch_bounds__ ") && is(next(i), "("))
        erase(i, partner(next(i), 1));
    if (!is_triple(i, "<"))
        return i;
    return is_word(previous(i), " operator ") ? next(next(i)) : rewrite_arrows(i);
}
