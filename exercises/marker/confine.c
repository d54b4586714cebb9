/* bubblewrap for files, processes and network; a seccomp filter against fork, and against leaving
 * the process group, by which limits.c reaches all of it. */
#define _GNU_SOURCE
#include "confine.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 120 };

#define FIELD(name)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define IS(value)         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)
#define END(how)          BPF_STMT(BPF_RET | BPF_K, how)
#define REFUSE(nr, error) IS(nr), END(SECCOMP_RET_ERRNO | (error))

#ifdef __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

/* Calls of 32-bit code have other numbers, and those of x32 are above 2^30: nobody here needs them.
 * clone3 hides its flags in memory; without it the C library takes clone, which is a fork where it
 * shares no memory. */
static struct sock_filter filter[] = {
    FIELD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    END(SECCOMP_RET_KILL_PROCESS),
    FIELD(nr),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1u << 30, 0, 1),
    END(SECCOMP_RET_KILL_PROCESS),
    REFUSE(SYS_setsid, EPERM),
    REFUSE(SYS_setpgid, EPERM),
#ifdef SYS_fork /* aarch64 has clone alone */
    REFUSE(SYS_fork, EPERM),
    REFUSE(SYS_vfork, EPERM),
#endif
    REFUSE(435 /* clone3 */, ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
    FIELD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM, 1, 0),
    END(SECCOMP_RET_ERRNO | EPERM),
    END(SECCOMP_RET_ALLOW),
};

bool confine_can(void)
{
    static int can = -1;
    pid_t child;

    if (can < 0 && (child = fork()) == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        execlp("bwrap", "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true", NULL);
        _exit(1);
    } else if (can < 0) {
        can = waitpid(child, &can, 0) == child && can == 0;
    }
    return can;
}

/* The folder above bin/ in which $CXX lies; "": the system's. */
static const char *compiler(void)
{
    static char path[PATH_MAX];
    const char *cxx = getenv("CXX");

    if (!cxx || !strchr(cxx, '/') || !realpath(cxx, path))
        return "";
    for (int i = 0; i < 2; i++)
        *strrchr(path, '/') = '\0';
    return path;
}

void confine_exec(const char *const *argv, const char *folder, const char *const *shown, bool alone)
{
    char *read_only = text_of("%s /usr /bin /sbin /lib /lib32 /lib64 /opt /nix /etc/alternatives "
                              "/etc/ld.so.cache",
                              compiler());
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    const char *all[MOST_ARGUMENTS] = {
        "bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL",     "--proc", "/proc",
        "--dev", "/dev",          "--tmpfs",           "/tmp",       "--chdir", folder};
    const char **to = all + 13;
    int file = memfd_create("filter", 0);

    if (chdir(folder) != 0 || write(file, filter, sizeof filter) < 0 ||
        lseek(file, 0, SEEK_SET) < 0)
        return;
    if (!confine_can()) {
        if (alone && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        execvp(argv[0], (char *const *)argv);
        return;
    }
    for (char *each = strtok(read_only, " "); each; each = strtok(NULL, " "))
        *to++ = "--ro-bind-try", *to++ = each, *to++ = each;
    *to++ = "--bind", *to++ = folder, *to++ = folder;
    for (; *shown; shown++)
        *to++ = "--ro-bind", *to++ = *shown, *to++ = *shown;
    if (alone)
        *to++ = "--seccomp", *to++ = text_of("%d", file);
    *to++ = "--";
    while (*argv && to < all + MOST_ARGUMENTS - 1)
        *to++ = *argv++;
    execvp("bwrap", (char *const *)all);
}
