/* How the CPU backend ends a program that cannot go on. Of several OS threads that come here only
 * the first gets through. */
#ifndef SIMT_REPORT_H
#define SIMT_REPORT_H

#include "run/block.h"

enum { EXIT_USAGE = 2, EXIT_NO_DEVICE = 3, EXIT_BUG = 4 };

/* A setting (environment variable) is wrong: one line on stderr, exit status 2. */
void report_usage(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The computer cannot run this: one line on stderr, exit status 3. printf's arguments. */
void report_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Bugs of the kernel that it cannot go on after. All findings so far, then a readable block on
 * stderr, exit status 4. */
void report_deadlock(const struct block *block) __attribute__((noreturn));
void report_crash(const struct lane *lane, bool stack_overflow, const void *address, const void *pc)
    __attribute__((noreturn));
/* A lane that has been waiting in a loop for `seconds`. */
void report_livelock(const struct lane *lane, long seconds) __attribute__((noreturn));
void report_not_in_mask(const struct lane *lane, unsigned mask, const void *pc)
    __attribute__((noreturn));

#endif
