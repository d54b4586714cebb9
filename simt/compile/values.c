/* Rewrites casts of numbers to integers, and shifts, in the device's code: where C++ leaves the
 * result open, functions of include/cuda_runtime.h compute what a GPU computes. */
#include "compile/rewrite.h"

#include <string.h>

static const char integers[] = " const char short int long signed unsigned size_t ssize_t "
                               "ptrdiff_t int8_t int16_t int32_t int64_t "
                               "uint8_t uint16_t uint32_t uint64_t uint ushort ulong uchar ";
static const char reals[] = " float double ";

/* Are there tokens between these two, and is each a word of the list? */
static bool all_words(int open, int close, const char *list)
{
    int i = next(open);

    if (i >= close)
        return false;
    while (i < close && is_word(i, list))
        i = next(i);
    return i == close;
}

bool names_type(int i)
{
    int before = previous(i);

    return t[i].kind == WORD && !t[i].system &&
           (is_word(before, " enum ") ||
            (is_word(before, " typename class ") && is(previous(before), "<,")) ||
            (is_word(before, " using ") && is(next(i), "=")) ||
            (is(next(i), ";") && is_word(statement_start(i), " typedef ")));
}

/* Does the name of a type still hold at i? A template's parameter ends with the declaration. */
static bool holds(int name, int i)
{
    int end = next(name);

    if (!is_word(previous(name), " typename class "))
        return true;
    while (end < i && !is(end, ";{"))
        end = next(is(end, "(") ? partner(end, 1) : end);
    return end >= i || (is(end, "{") && partner(end, 1) > i);
}

/* Is the word at i the name that the source may have given to a type of numbers? */
static bool may_be_integer(int i)
{
    for (int name = t[t[i].word].types.first; name; name = t[name].types.next)
        if (name < i && holds(name, i))
            return !is_word(i, no_types);
    return false;
}

/* Do the tokens between these two name a type to which a GPU may convert numbers differently? */
static bool is_integer(int open, int close)
{
    int name = next(open);

    return all_words(open, close, integers) || (next(name) == close && may_be_integer(name));
}

/* Do two equal characters of the set begin at i? */
static bool is_double(int i, const char *set)
{
    return is(i, set) && is(i + 1, set) && *t[i].text == *t[i + 1].text;
}

/* Is the parenthesis at i a cast to one of the language's number types? */
static bool is_cast(int i)
{
    int close = partner(i, 1), then = next(close), before = previous(i);
    bool type = is_integer(i, close) || all_words(i, close, reals);
    bool operand = t[then].kind == LITERAL || is(then, "(-+!~*&:") ||
                   (t[then].kind == WORD && !is_word(then, " const noexcept override "));

    if (!is(i, "(") || !type || !operand)
        return false;
    if (is(before, ")")) /* (float)(int)x */
        return is_cast(partner(before, -1));
    if (is(before, ">") && is(angle_partner(before, -1), "<"))
        return false;
    return !is(before, "]}") &&
           (t[before].kind != WORD || is_word(before, " return case else do "));
}

/* Does the word at i name a type, as far as the source shows? */
static bool is_type(int i)
{
    size_t length = t[i].length;

    if (is_word(i, integers) || is_word(i, reals) ||
        (length > 2 && strncmp(t[i].text + length - 2, "_t", 2) == 0))
        return true;
    for (int k = t[i].word; k && k < i; k = t[k].again)
        if (!t[k].system && (is_word(previous(k), " struct class union enum typename using ") ||
                             is_word(statement_start(k), " typedef ")))
            return true;
    return false;
}

/* The last token of the operand at i, with prefix and postfix operators; 0: that is not certain. */
static int operand_end(int i)
{
    while (is(i, "+-*&!~") || (is(i, ":") && is(i + 1, ":")))
        i = next(is(i, ":") ? i + 1 : i);
    int end = partner(i, 1), then = next(end), inside = next(i);

    if (is(i, "(") && (is_cast(i) || (next(inside) == end && is_type(inside))))
        return operand_end(then);
    bool sign = is_word(i, no_types) && !is(then = next(i), "("); /* sizeof x */
    if (sign || (t[i].kind != WORD && t[i].kind != LITERAL && !is(i, "(")))
        return 0;
    for (end = is(i, "(") ? end : i;; end = is(then, "([") ? partner(then, 1) : then) {
        then = next(end);
        bool arrow = is(then, "-") && is(then + 1, ">");
        if (t[then].kind == WORD || t[then].kind == LITERAL || is(then, "{"))
            return 0; /* T{} */
        if (is(then, "."))
            then = next(then);
        else if (arrow || (is(then, ":") && is(then + 1, ":")))
            then = next(then + 1);
        else if (is_double(then, "+-"))
            then++;
        else if (is(then, "<") && is(next(angle_partner(then, 1)), "({:;),]")) {
            int close = angle_partner(then, 1);
            for (; then < close; then = next(partner(then, 1)))
                if (is(next(close), "{") || is(then, "?") || is_double(then, "&|"))
                    return 0; /* A<T>{}, or x < y && z > (0) */
        } else if (!is(then, "(["))
            return end;
    }
}

/* Adds a ) behind token i; false: there is no room for it. */
static bool close_behind(int i)
{
    static const char many[] = "))))))))";
    size_t there = t[i].after ? strlen(t[i].after) : 0;

    if (there == sizeof many - 1 || (there > 0 && *t[i].after != ')'))
        return false;
    t[i].after = many + sizeof many - 2 - there;
    return true;
}

/* static_cast<int>(x), int(x), (int)x */
static void rewrite_cast(int i)
{
    int then = next(i), before = previous(i), close = partner(i, 1), end;

    if (is_word(i, " static_cast ") && is(then, "<") && is_integer(then, angle_partner(then, 1))) {
        t[i].instead = "::simt::cast";
    } else if (is(then, "(") && (is_word(i, integers) || may_be_integer(i)) &&
               (is(before, "=+-*/%|^&?,([") || is_word(before, " return ")) &&
               !is(next(then), "*&)") /* int (*p)[4] */ && is(find(next(then), ",)"), ")") &&
               !all_words(then, partner(then, 1), integers)) {
        append(i, "::simt::cast<");
        t[i].after = ">";
    } else if (is(i, "(") && is_integer(i, close) && is_cast(i) &&
               (end = operand_end(next(close))) && close_behind(end)) {
        t[i].instead = "::simt::cast<";
        t[close].instead = ">(";
    }
}

/* Do two operands stand beside the operator at i? */
static bool is_binary(int i)
{
    int before = previous(i);

    return t[before].kind == LITERAL || is(before, ")]") ||
           (t[before].kind == WORD && !is_word(before, no_types));
}

/* Is it a << or >> of two numbers, as far as the source shows? A literal count needs no help. */
static bool is_shift(int i)
{
    int count = next(i + 1);
    bool literal = t[count].kind == LITERAL && !is(next(count), "+-*/%");

    return is_double(i, "<>") && !is(i + 2, "<>=") && !is(i - 1, "<>") && is_binary(i) &&
           !literal && (is(i, "<") || !is(angle_partner(i + 1, -1), "<"));
}

/* The token in front of the product whose last * is at i. */
static int product_start(int i)
{
    for (i = previous(i);; i = previous(i)) {
        if (is(i, ")]"))
            i = partner(i, -1);
        else if (is(i, ">") && is(i - 1, "-"))
            i--; /* p->x */
        else if (is(i, ">") && is(angle_partner(i, -1), "<"))
            i = angle_partner(i, -1);
        else if (is(i, "+-=,;?:<>&|^!~%([{") || t[i].kind == EDGE || is_word(i, no_types))
            return i;
    }
}

/* Is the product behind token `before`, up to `then`, added to something, or subtracted? */
static bool is_summed(int before, int then)
{
    static const char sums[] = " __hadd __hadd2 __hsub __hsub2 ";

    while (is(then, ")") && partner(then, -1) == before && !is_binary(before)) {
        then = next(then); /* -(a * b) */
        before = previous(before);
        if (is(before, "-") && !is_binary(before))
            before = previous(before);
    }
    if (is(then, ",)") && is(before, "(,") &&
        is_word(previous(is(then, ")") ? partner(then, -1) : t[then].around), sums))
        return true;
    if (is(then, "*/%+-"))
        return is(then, "+-") && !is(then + 1, "=");
    return is(before, "=") ? is(before - 1, "+-") : is(before, "+-") && is_binary(before);
}

void rewrite_product(int i)
{
    int before = previous(i), end = 0;
    bool cast = is(before, ")") && is_cast(partner(before, -1));
    bool call = is_word(i, " __hmul __hmul2 ") && is(next(i), "(");

    if (call)
        end = partner(next(i), 1);
    else if (is(i, "*") && is_binary(i) && !cast)
        end = operand_end(next(i));
    if (end && is_summed(call ? before : product_start(i), next(end)) &&
        enclosed_by(i, device_words))
        t[i].instead = call ? "::simt::product_of" : "*::simt::fuse->*";
}

void rewrite_values(int i, bool bit_fields)
{
    int first, end;

    if (!is(i, "(<>") && t[i].kind != WORD)
        return;
    if (!enclosed_by(i, device_words))
        return;
    rewrite_cast(i);
    if (!bit_fields && is_double(i, "<>") && is(i + 2, "=") && !is(i - 1, "<>")) {
        first = next(i + 2);
        end = previous(find(first, ",;)]}<"));
        if (is(next(end), "<") || (end == first && t[first].kind == LITERAL) ||
            is_word(previous(i), " operator ") || !close_behind(end))
            return;
        append(first, "::simt::by(");
    } else if (is_shift(i)) {
        t[i].instead = is(i, "<") ? "<<::simt::shift<" : ">>::simt::shift>";
        t[i + 1].instead = is(i, "<") ? "<" : ">";
    }
}
