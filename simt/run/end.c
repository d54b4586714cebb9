/* Ends programs, with one line that says why; and tells the observer why a kernel cannot go on.
 * Crashes and failed assertions of a kernel become a finding; of one of the host the observer is
 * told before the program dies. */
#include "run/end.h"
#include "run/block.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The thread that says why the program ends holds it for good, so that other threads say nothing.
 * Recursive, since memory may run out meanwhile. */
static pthread_mutex_t only_one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void end_begin(void)
{
    pthread_mutex_lock(&only_one);
    fflush(stdout);
}

void end_now(int status)
{
    int (*last)(int) = simt_observer.ends;

    simt_observer.ends = NULL; /* it may come here itself */
    if (last)
        status = last(status);
    fflush(NULL);
    _Exit(status);
}

/* Control characters, which the environment may contain, become ?, so that it is one line. */
void end_with(int status, const char *format, ...)
{
    static char text[8192]; /* there may be no memory left */
    va_list args;

    va_start(args, format);
    end_begin();
    vsnprintf(text, sizeof text, format, args);
    for (char *c = text; *c; c++)
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    fprintf(stderr, "simt: %s\n", text);
    end_now(status);
}

long end_setting(const char *variable, long otherwise, long most, const char *want)
{
    const char *text = getenv(variable);
    char *end;

    if (!text || !*text)
        return otherwise;
    long number = strtol(text, &end, 10);
    if (*end || number < 0 || number > most)
        end_usage("%s=%s: want %s", variable, text, want);
    return number;
}

/* Crashes so far. Telling one may cause another: then less is told. */
static volatile sig_atomic_t crashes;

static int host_dies; /* of this signal; 0: it is a kernel that crashes */

/* Telling crashes or hangs, as where the C library's own memory has been stored over: by a kernel,
 * which is a finding, or by the host, which is none and leaves the crash its status. */
static void give_up(int unused)
{
    static const char why[] = "simt: it crashed, and so did the report of it: has something stored "
                              "over the host's memory, past an array or by a wild pointer?\n";

    (void)unused, (void)!write(STDERR_FILENO, why, sizeof why - 1);
    bool found = simt_observer.found && simt_observer.found();
    _Exit(host_dies && !found ? 128 + host_dies : EXIT_BUG);
}

void end_by_signal(int signal_number)
{
    host_dies = signal_number;
    signal(signal_number, crashes > 0 ? give_up : SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    alarm(END_SECONDS_TO_TELL);
    OBSERVE(host_dies, signal_number);
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* not blocked: no handler blocks its own */
}

static char reason[640];

void end_not_judged(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!reason[0])
        vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
}

const char *end_why_not_judged(void)
{
    return reason[0] ? reason : NULL;
}

/* ---- the observer ---- */

struct observer simt_observer;
bool observer_sees;

void observer_complain(struct complaint complaint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(complaint.text, sizeof complaint.text, format, args);
    va_end(args);
    OBSERVE(complaint, &complaint);
}

void observer_fatal(const struct fatal *fatal)
{
    const struct simt_site *site = &fatal->block->launch->site;

    OBSERVE(fatal, fatal);
    end_with(EXIT_BUG, "kernel %s, launched at %s:%d, cannot go on", site->kernel, site->file,
             site->line);
}

/* ---- crashes ---- */

enum { MOST_CRASHES = 3 };

/* The handler cannot run on a stack that has just overflowed. */
enum { HANDLER_STACK = 256 * 1024 };

const void *end_pc(const void *context)
{
    const ucontext_t *c = context;
#ifdef __x86_64__
    return (const void *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#else
    return (const void *)(uintptr_t)c->uc_mcontext.pc;
#endif
}

/* x86's processors stop at a division by zero, and at one of the smallest integer by -1. Is the
 * dividend that integer? Then the divisor is not known. */
static bool divides_smallest(const ucontext_t *context)
{
#ifdef __x86_64__
    greg_t dividend = context->uc_mcontext.gregs[REG_RAX];
    return dividend == INT64_MIN || (int32_t)dividend == INT32_MIN;
#else
    (void)context;
    return false;
#endif
}

bool end_in_program(const void *pc)
{
    return (const char *)pc >= simt_text_before && (const char *)pc < simt_text_after;
}

/* The pc of a crash; if that is in a library's function, or where there is no code, the call in the
 * program that led there: the first return address into the program's code on the lane's stack. */
static const void *calling_pc(const ucontext_t *context, const struct lane *lane)
{
    const void *pc = end_pc(context);
    const char *high = fiber_stack_end(&lane->block->stacks, (int)lane->index);
#ifdef __x86_64__
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    uintptr_t at = context->uc_mcontext.sp;
    if (!end_in_program(pc) && end_in_program((void *)context->uc_mcontext.regs[30]))
        return (const char *)context->uc_mcontext.regs[30] - 1;
#endif
    bool on_stack = (uintptr_t)high - at < FIBER_STACK_BYTES;

    for (const void *const *word = (void *)at;
         on_stack && !end_in_program(pc) && (const char *)word < high; word++)
        if (end_in_program(*word))
            return (const char *)*word - 1;
    return pc;
}

static const char divisions[] =
    "divides the smallest integer by -1 or 0, where this processor stops";
static const char stacks[] =
    "needs more than the 512 KiB that a thread has for its local variables and calls: "
    "put large arrays into global memory, and replace deep recursion by a loop";

/* The host crashes in this room's code. It may run what only a thread can, as where a kernel is
 * called by a pointer, without a launch: then the thread is looked for at a null pointer. */
static void tell_null(const siginfo_t *info, const void *pc)
{
    static const char what[] =
        "simt: the host crashes at a null pointer in a function of CUDA's: was a kernel called "
        "without <<<...>>>, as by a pointer to it, or a null pointer passed?\n";

    if ((uintptr_t)info->si_addr < sizeof(struct lane) && !end_in_program(pc) &&
        (const char *)pc >= __executable_start && (const char *)pc < edata)
        (void)!write(STDERR_FILENO, what, sizeof what - 1);
}

static void on_crash(int signal_number, siginfo_t *info, void *context)
{
    struct lane *lane = simt_current_lane;
    bool somewhere = info->si_code == SI_KERNEL;

    /* any number of shadows may crash; a GPU does not stop at a division by zero */
    if (stray_is_shadow() && signal_number != SIGABRT)
        stray_fails(somewhere || signal_number == SIGFPE ? FATAL_SOMEWHERE : info->si_addr);
    if (crashes++ >= (lane ? MOST_CRASHES : 1))
        give_up(0);
    if (!lane && signal_number == SIGSEGV)
        tell_null(info, end_pc(context));
    if (!lane || signal_number == SIGABRT)
        end_by_signal(signal_number);
    signal(SIGALRM, give_up);
    alarm(END_SECONDS_TO_TELL);
    struct fatal fatal = {
        .block = lane->block, .lane = lane, .pc = calling_pc(context, lane), .again = crashes > 1};
    uintptr_t low =
        (uintptr_t)fiber_stack_end(&lane->block->stacks, (int)lane->index) - FIBER_STACK_BYTES;
    uintptr_t address = (uintptr_t)info->si_addr;
    const void *pc = end_pc(context);

    fatal.address = somewhere ? FATAL_SOMEWHERE : info->si_addr;
    fatal.called = pc == info->si_addr;
    if (signal_number == SIGFPE) {
        fatal.limit = divides_smallest(context) ? divisions : NULL;
        fatal.kind = fatal.limit ? FINDING_KINDS : FINDING_DIVISION;
    } else if (signal_number == SIGILL && end_in_program(pc)) { /* g++'s trap instruction */
        fatal.kind = FINDING_TRAP;
        fatal.pc = (const char *)fatal.pc + 1;
    } else {
        fatal.called |= signal_number == SIGILL;
        fatal.limit = address < low && low - address <= 1 << 20 ? stacks : NULL;
        fatal.kind = fatal.limit ? FINDING_KINDS : FINDING_NO_MEMORY;
    }
    observer_fatal(&fatal);
}

void end_handle_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static _Thread_local bool done;
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_size = HANDLER_STACK};

    if (done)
        return;
    done = true;
    stack.ss_sp =
        mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
        return; /* then crashes are told less well */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* ---- assert ---- */

/* assert calls this, instead of the C library's function. */
void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    struct lane *lane = simt_current_lane;

    if (stray_is_shadow())
        stray_fails(NULL);
    if (lane)
        observer_fatal(FATAL_OF(ASSERT, lane, __builtin_return_address(0), .condition = condition,
                                .file = file, .line = (int)line));
    fflush(stdout);
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
            line, function, condition);
    abort();
}
