/* How a program ends that cannot go on. Of several OS threads that come here only the first gets
 * through. */
#ifndef SIMT_END_H
#define SIMT_END_H

enum { EXIT_USAGE = 2, EXIT_NO_DEVICE = 3, EXIT_BUG = 4, EXIT_NOT_JUDGED = 5 };

/* A setting (environment variable) is wrong: one line on stderr, exit status 2. printf's arguments.
 */
void end_usage(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The computer cannot run this: one line on stderr, exit status 3. */
void end_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Something could not be judged to the end: a table was full, a feature is not modelled. One line
 * with the first reason is printed at the program's end, whose status 0 becomes EXIT_NOT_JUDGED.
 * printf's arguments; thread-safe. */
void end_not_judged(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* That reason, NULL: none, all was judged. */
const char *end_why_not_judged(void);

/* From here on the calling OS thread alone may say why the program ends; all others that come to an
 * end wait for ever. Calling again does nothing. */
void end_begin(void);

/* Calls last(status) before any of these ends the program; it may choose another status. One at a
 * time; NULL: nothing. */
void end_set_last(int (*last)(int status));

/* Ends the program while its other threads still run: at once, but no output is lost. */
void end_now(int status) __attribute__((noreturn));

#endif
