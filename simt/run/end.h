/* How a program ends that cannot go on. Of several threads of the host only the first gets
 * through. */
#pragma once

#include <stdbool.h>

enum { EXIT_USAGE = 2, EXIT_NO_DEVICE = 3, EXIT_BUG = 4, EXIT_NOT_JUDGED = 5 };

/* One line on stderr that says why (printf's arguments), and the program ends with this status. */
void end_with(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* A setting (environment variable) is wrong; the computer cannot run this. */
#define end_usage(...) end_with(EXIT_USAGE, __VA_ARGS__)
#define end_fatal(...) end_with(EXIT_NO_DEVICE, __VA_ARGS__)

/* The number in an environment variable, or `otherwise`; ends the program where it is none of up to
 * `most`, with `want` as what is right. */
long end_setting(const char *variable, long otherwise, long most, const char *want);

/* Something could not be judged to the end: a table was full, a feature is not modelled. One line
 * with the first reason is printed at the program's end, whose status 0 becomes EXIT_NOT_JUDGED.
 * printf's arguments. */
void end_not_judged(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* That reason, NULL: none, all was judged. */
const char *end_why_not_judged(void);

/* From here on the calling thread of the host alone may say why the program ends; all others that
 * come to an end wait for ever. Calling again does nothing. */
void end_begin(void);

/* Calls last(status) before any of these ends the program; it may choose another status. One at a
 * time; NULL: nothing. */
void end_set_last(int (*last)(int status));

/* Ends the program while its other threads still run: at once, but no output is lost. */
void end_now(int status) __attribute__((noreturn));

/* Dies of the signal, as without a handler of ours. The second tells the observer before. */
void end_die(int signal_number);
void end_by_signal(int signal_number);

/* From here on a segmentation fault in a kernel on this OS thread ends the program with a report,
 * status 4, and so does an integer division by zero. Of the host the observer is told before it
 * dies, of these signals or by abort. Called by the first of all threads and every OS thread that
 * runs blocks; calling again does nothing. */
void crash_handle(void);

/* While a copy of a lane runs that must not end the program (stray.h): goes on after its crash, or
 * failed assertion, and does not return. NULL: none runs. */
extern void (*crash_of_shadow)(int signal_number);

/* The instruction at which a signal came: of its handler's third argument. */
const void *crash_pc(const void *context);

/* Does it lie in code that simtcc compiled, rather than in a library's or ours? */
bool crash_in_program(const void *pc);
