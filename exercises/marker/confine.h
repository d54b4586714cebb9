/* What a command that nobody has looked at may not do. */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>

/* Can bubblewrap (bwrap) confine a command here? It must be installed, and may make namespaces. */
bool confine_can(void);

/* Executes a command in place of this process, in its folder. Where bubblewrap can confine it, it
 * writes only into that folder and sees of other files the system's, the compiler's ($CXX), its
 * folder and those shown, all as they are; no other processes; no network. `alone`: it starts no
 * copy of itself (threads, and other programs by posix_spawn, it may start). argv, shown: end with
 * NULL; paths are absolute. Returns only if that fails, with errno set. */
void confine_exec(const char *const *argv, const char *folder, const char *const *shown,
                  bool alone);

#endif
