/* What a process can no longer do, from here on and in all that it starts. */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>

/* Of the file system: writes only below the folder `writable` and to /dev/null; reads nothing below
 * the hidden folders but what is shown (both lists end with NULL; all are absolute paths without
 * links). Needs Landlock (Linux 5.13); false: the kernel has it not, and nothing was done. */
bool confine_files(const char *writable, const char *const *hidden, const char *const *shown);

/* Does this kernel have it? */
bool confine_can(void);

/* It stays in its process group, so that a signal to the group reaches all of it. With `alone` it
 * starts no process that runs on as a copy of itself: threads, and other programs (posix_spawn), it
 * may start. It also reaches no other process then, by signals (kill(-1)), as a debugger or by
 * changing its limits, and has no shared memory that stays behind. All this is a seccomp filter;
 * without seccomp nothing happens. */
void confine_processes(bool alone);

#endif
