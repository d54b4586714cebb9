/* How programs end that cannot go on. If several threads of the host come to an end at once, the
 * first one says why; the others wait. */
#pragma once

#include <stdbool.h>

enum { EXIT_USAGE = 2, EXIT_NO_DEVICE = 3, EXIT_BUG = 4, EXIT_NOT_JUDGED = 5 };

/* Prints one line on stderr (printf's arguments), and ends the program with this status. */
void end_with(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* The same where a setting (environment variable) is wrong; where this computer cannot run it. */
#define end_usage(...) end_with(EXIT_USAGE, __VA_ARGS__)
#define end_fatal(...) end_with(EXIT_NO_DEVICE, __VA_ARGS__)

/* The number in an environment variable; `otherwise` if it is not set. Ends the program if it is
 * not a number from 0 to `most`; the line then says that `want` is wanted. */
long end_setting(const char *variable, long otherwise, long most, const char *want);

/* The program could not be judged to the end: a table was full, or a feature is not modelled. When
 * the program ends, one line tells the first reason (printf's arguments), and status 0 becomes
 * EXIT_NOT_JUDGED. */
void end_not_judged(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first reason; NULL: all was judged. */
const char *end_why_not_judged(void);

/* From here on only the calling thread of the host may say why the program ends. Other threads that
 * come to an end wait for ever. */
void end_begin(void);

/* Ends the program at once, while its other threads may still run. Its output is flushed. */
void end_now(int status) __attribute__((noreturn));

/* Tells the observer, and dies of the signal as if there were no handler. A crash may have left a
 * lock, or the heap, in a state in which nothing can be told: then an alarm ends the program. */
enum { END_SECONDS_TO_TELL = 30 };
void end_by_signal(int signal_number);

/* ---- crashes and failed assertions, of kernels and of the host ---- */

/* From here on a segmentation fault or an integer division by zero in a kernel on this OS thread
 * ends the program with a report and status 4. When the host dies of such a signal, or by abort,
 * the observer is told first. The program's first thread calls this, and each OS thread that runs
 * blocks; a second call does nothing. */
void end_handle_crashes(void);

/* The instruction at which a signal came. context: the third argument of the signal's handler. */
const void *end_pc(const void *context);

/* The program's own code lies between these (simt.mk). */
extern char simt_text_before[] __attribute__((weak)), simt_text_after[] __attribute__((weak));

/* All that is linked, and the end of its data that has a value; the linker defines them. */
extern char __executable_start[], edata[];

/* Does the address lie in code that simtcc compiled, not in a library's code or ours? */
bool end_in_program(const void *pc);
