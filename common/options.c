/* Parses the command line of a step with getopt_long. */
#define _GNU_SOURCE
#include "options.h"
#include "check.h"
#include "op.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace has about 15 rows an element: a hundred megabytes of them are enough. */
enum { TRACE_MOST = 64 * 1024 };

static const char help[] =
    "usage: %s [options]\n"
    "  -n, --n N          elements: 1000, 2^24, 64K, 16M, 1G (default %s)\n"
    "  -s, --seed S       seed of the input (default 1)\n"
    "      --uniform      values in [0, 1), where rounding shows (float, double)\n"
    "      --signed       values in [-1, 1), whose errors are large beside the sum\n"
    "      --nan          one value is NaN, so the result must be NaN (float, double)\n"
    "      --small        values 1 to 4, to follow the sum by hand (int)\n"
    "      --csv          a header line and a row instead of text\n"
    "  -h, --help         this text\n"
    "  -r, --reps R       repetitions (default: 1; on a GPU, where each is timed, 100\n"
    "                     or 1 s, at least 5)\n"
    "on a GPU:\n"
    "  -d, --device D     which GPU (default 0)\n"
    "      --hot          leave the input in the cache between repetitions\n"
    "      --empty        time an empty launch instead: the limit for small n\n"
    "      --gate         time it as programs for several GPUs are timed\n"
    "on the CPU backend:\n"
    "      --counters     counters of each launch (the default)\n"
    "      --counters=csv the same by source line, as CSV, instead of text\n"
    "      --annotate     the kernel's source with the counters beside each line\n"
    "      --order SEED   runs blocks and lanes in a shuffled order; 0: as numbered\n"
    "      --trace FILE   each request, lane by lane, as CSV (-n up to 64K)\n"
    "      SIMT_DEVICE=h200 in front of the command: a program that asks how many\n"
    "                     blocks run at once gets an H200's number; also h100, a100,\n"
    "                     rtx4090, l4, t4, small\n"
    "exit status: 0 verified, 1 wrong result, no launch or input changed, 2 bad\n"
    "usage, 3 CUDA error or no device, 4 the CPU backend found a bug in the kernel,\n"
    "5 it found none, but could not judge to the end\n";

void options_fail(const char *program, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        exit(STATUS_USAGE);
    va_end(args);
    for (char *c = text; *c; c++) /* one line, whatever was typed */
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    fprintf(stderr, "%s: %s\n", program, text);
    exit(STATUS_USAGE);
}

/* The digits at *text as a number up to limit; moves *text behind them. */
static bool parse_digits(const char **text, unsigned long long limit, unsigned long long *value)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && *value <= limit;
}

bool options_parse_count(const char *text, size_t *value)
{
    const unsigned long long limit = 1ull << 40;
    unsigned long long number;
    unsigned shift = 0;

    if (strncmp(text, "2^", 2) == 0) {
        text += 2;
        if (!parse_digits(&text, 40, &number) || *text)
            return false;
        *value = (size_t)1 << number;
        return true;
    }
    if (!parse_digits(&text, limit, &number))
        return false;
    if (*text == 'K' || *text == 'M' || *text == 'G')
        shift = *text == 'K' ? 10 : *text == 'M' ? 20 : 30, text++;
    if (*text || number > limit >> shift)
        return false;
    *value = (size_t)(number << shift);
    return true;
}

static int parse_int(const char *program, const char *option, const char *text, int low, int high)
{
    const char *end = text;
    unsigned long long value;

    if (!parse_digits(&end, (unsigned long long)high, &value) || *end ||
        value < (unsigned long long)low)
        options_fail(program, "%s %s: want a whole number from %d to %d", option, text, low, high);
    return (int)value;
}

/* ---- the options, by the letters that getopt_long returns: small ones can be typed ---- */

static const struct option longs[] = {
    {"n", required_argument, NULL, 'n'},     {"reps", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},  {"device", required_argument, NULL, 'd'},
    {"hot", no_argument, NULL, 'H'},         {"uniform", no_argument, NULL, 'U'},
    {"signed", no_argument, NULL, 'S'},      {"nan", no_argument, NULL, 'N'},
    {"small", no_argument, NULL, 'M'},       {"csv", no_argument, NULL, 'V'},
    {"empty", no_argument, NULL, 'E'},       {"gate", no_argument, NULL, 'G'},
    {"order", required_argument, NULL, 'O'}, {"counters", optional_argument, NULL, 'C'},
    {"annotate", no_argument, NULL, 'A'},    {"trace", required_argument, NULL, 'T'},
    {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
};

static const char FOR_GPU[] = "HEG", FOR_CPU[] = "OCAT";
static const char FOR_REALS[] = "USN", FOR_INTS[] = "M", FOR_SUMS[] = "USM";
static const char ABOUT_INPUT[] = "nsUSNM", ABOUT_FORM[] = "CA";

/* An option as messages have it: -n, --hot, --counters=csv. */
struct name {
    char text[24];
};

static struct name name_of(int letter)
{
    const struct option *option = longs;
    struct name name = {{'-', (char)letter}};

    while (option->name && option->val != letter)
        option++;
    if (isupper(letter))
        snprintf(name.text, sizeof name.text, "--%s", option->name);
    return name;
}

/* The option that getopt_long stopped at, as the user wrote it: a long one, or one letter of
 * several behind a dash. */
static const char *culprit(char **argv, char *letter)
{
    if (strncmp(argv[optind - 1], "--", 2) == 0 || optopt == 0 || !isalpha(optopt))
        return argv[optind - 1];
    letter[1] = (char)optopt;
    return letter;
}

/* An option that the program, as it was built, would ignore. */
static void reject_unsuitable(const char *program, int letter, const char *name)
{
    if (strchr(backend->simulated ? FOR_GPU : FOR_CPU, letter))
        options_fail(program,
                     "%s is for the %s, this program was built for the %s: "
                     "make BACKEND=%s %s builds the other",
                     name, other_backend->title, backend->title, other_backend->name, program);
    if (ELEM_IS_INT && strchr(FOR_REALS, letter))
        options_fail(program,
                     "%s is for TYPE=float and TYPE=double; this program was built for int", name);
    if (!ELEM_IS_INT && strchr(FOR_INTS, letter))
        options_fail(program, "%s is for TYPE=int; values of the others are small", name);
    if (OP != OP_sum && strchr(FOR_SUMS, letter))
        options_fail(program, "%s is for sums; this program was built for OP=%s", name, OP_NAME);
}

/* Two options of which one would be ignored; first may be empty. */
static void reject_both(const char *program, const char *first, const char *second, const char *why)
{
    if (first[0] && strcmp(first, second) != 0)
        options_fail(program, "%s and %s: %s; want one of them", first, second, why);
}

static void print_help(const char *program, const char *title, const char *command)
{
    printf("%s: %s\n", program, title);
    printf(help, command, backend->default_n);
    if (fflush(stdout) == 0)
        exit(STATUS_OK);
    fprintf(stderr, "%s: cannot write the result to standard output\n", program);
    exit(STATUS_CUDA);
}

struct options options_parse(int argc, char **argv, const char *program, const char *title)
{
    static const char one_form[] = "output has one form";
    struct options opt = {.seed = 1, .order = -1};
    struct name input = {""}, form = {""}; /* the last option that is about them */
    char letter[] = "-?";
    int c;

    options_parse_count(backend->default_n, &opt.n);
    opterr = 0, optind = 1; /* a program may run several reductions */
    while ((c = getopt_long(argc, argv, ":n:r:s:d:h", longs, NULL)) != -1) {
        switch (c) {
        case 'n':
            if (!options_parse_count(optarg, &opt.n))
                options_fail(program,
                             "-n %s: want a count such as 1000, 2^24, 64K, 16M or 1G, "
                             "at most 2^40",
                             optarg);
            break;
        case 'r': opt.reps = parse_int(program, "-r", optarg, 1, 1000000); break;
        case 's': opt.seed = (unsigned)parse_int(program, "-s", optarg, 0, INT_MAX); break;
        case 'd': opt.device = parse_int(program, "-d", optarg, 0, 1023); break;
        case 'H': opt.hot = true; break;
        case 'E': opt.empty = true; break;
        case 'G': opt.gate = true; break;
        case 'U':
        case 'S':
            opt.uniform = true;
            opt.is_signed = c == 'S';
            break;
        case 'N': opt.nan = true; break;
        case 'M': opt.small = true; break;
        case 'V': opt.csv = true; break;
        case 'O': opt.order = parse_int(program, "--order", optarg, 0, INT_MAX); break;
        case 'C':
            if (optarg && strcmp(optarg, "csv") != 0)
                options_fail(program, "--counters=%s: want --counters or --counters=csv", optarg);
            opt.counters = optarg ? COUNTERS_CSV : COUNTERS_TABLE;
            break;
        case 'A': opt.counters = COUNTERS_ANNOTATE; break;
        case 'T': opt.trace = optarg; break;
        case 'h': print_help(program, title, argv[0]); break;
        case ':':
            options_fail(program, "%s needs a value; --help lists the options",
                         culprit(argv, letter));
        default:
            options_fail(program, "%s: no such option, or not in this form; --help lists them",
                         culprit(argv, letter));
        }
        struct name name = name_of(c);
        reject_unsuitable(program, c, name.text);
        if (c == 'C' && optarg)
            strcat(name.text, "=csv");
        if (strchr(ABOUT_INPUT, c))
            input = name;
        if (strchr(ABOUT_FORM, c)) {
            reject_both(program, form.text, name.text, one_form);
            form = name;
        }
    }
    if (optind < argc)
        options_fail(program, "%s: unexpected argument; --help lists the options", argv[optind]);
    if (opt.csv)
        reject_both(program, form.text, "--csv", one_form);
    if (opt.empty) {
        reject_both(program, input.text, "--empty", "an empty launch has no input");
        opt.n = 0;
    }
    if (opt.nan && opt.n == 0)
        options_fail(program, "--nan: -n 0 has no value to be NaN; want -n 1 or more");
    if (opt.trace && (opt.n < 1 || opt.n > TRACE_MOST))
        options_fail(program, "--trace: -n %zu would make %s trace; want -n 1 to %d", opt.n,
                     opt.n ? "a huge" : "no", TRACE_MOST);
    return opt;
}
