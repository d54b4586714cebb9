/* bubblewrap for files, processes and network; a seccomp filter against fork, and against leaving
 * the process group, by which limits.c reaches all of it. */
#define _GNU_SOURCE
#include "limits.h"
#include "text.h"

#include <errno.h>
#include <libgen.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELD(name)        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define JUMP(how, k, t, f) BPF_JUMP(BPF_JMP | how | BPF_K, k, t, f)
#define END(how)           BPF_STMT(BPF_RET | BPF_K, how)
#define REFUSE(nr, error)  JUMP(BPF_JEQ, nr, 0, 1), END(SECCOMP_RET_ERRNO | (error))

/* Calls of 32-bit code have other numbers, and those of x32 are above 2^30: no program here needs
 * them. clone3 hides its flags in memory; without it the C library uses clone, which is a fork if
 * it shares no memory. */
static struct sock_filter filter[] = {
    FIELD(arch),
    JUMP(BPF_JSET, __AUDIT_ARCH_64BIT, 1, 0),
    END(SECCOMP_RET_KILL_PROCESS),
    FIELD(nr),
    JUMP(BPF_JGE, 1u << 30, 0, 1),
    END(SECCOMP_RET_KILL_PROCESS),
    REFUSE(SYS_setsid, EPERM),
    REFUSE(SYS_setpgid, EPERM),
#ifdef SYS_fork /* aarch64 has clone alone */
    REFUSE(SYS_fork, EPERM),
    REFUSE(SYS_vfork, EPERM),
#endif
    REFUSE(435 /* clone3 */, ENOSYS),
    JUMP(BPF_JEQ, SYS_clone, 0, 3),
    FIELD(args[0]),
    JUMP(BPF_JSET, CLONE_VM, 1, 0),
    END(SECCOMP_RET_ERRNO | EPERM),
    END(SECCOMP_RET_ALLOW),
};

/* Where nothing hides other processes, the program may signal, trace and limit only itself (0: its
 * group). */
static void leave_others_alone(void)
{
    struct sock_filter own[] = {
        FIELD(nr),
        REFUSE(SYS_tkill, EPERM),
        REFUSE(SYS_rt_sigqueueinfo, EPERM),
        REFUSE(SYS_rt_tgsigqueueinfo, EPERM),
        REFUSE(424 /* pidfd_send_signal */, EPERM),
        REFUSE(SYS_ptrace, EPERM),
        REFUSE(SYS_process_vm_writev, EPERM),
        JUMP(BPF_JEQ, SYS_kill, 3, 0),
        JUMP(BPF_JEQ, SYS_tgkill, 2, 0),
        JUMP(BPF_JEQ, SYS_prlimit64, 1, 0),
        END(SECCOMP_RET_ALLOW),
        FIELD(args[0]),
        JUMP(BPF_JEQ, 0, 2, 0),
        JUMP(BPF_JEQ, (unsigned)getpid(), 1, 0),
        END(SECCOMP_RET_ERRNO | EPERM),
        END(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof own / sizeof *own, own};

    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static const char system_files[] = "/usr /bin /sbin /lib /lib32 /lib64 /opt /nix /etc/alternatives "
                                   "/etc/ld.so.cache";

/* The compiler's folder, if it has one of its own: it lies in bin/ there; NULL: it has none. */
static const char *folder_of_compiler(void)
{
    const char *cxx = getenv("CXX");

    return cxx && *cxx == '/' ? dirname(dirname(realpath(cxx, NULL))) : NULL;
}

static bool lies_in(const char *path, const char *folder)
{
    size_t length = path && folder ? strlen(folder) : 0;

    return length > 0 && strncmp(path, folder, length) == 0 && strchr("/", path[length]);
}

bool confine_shows(const char *path, const char *const *shown)
{
    const char *real = realpath(path, NULL), *here = getcwd(NULL, 0);
    char *seen = text_of("%s", system_files);
    bool gone = !real && *path != '/' && !strstr(path, ".."); /* the compiler's own */
    bool shows = gone || lies_in(real, here) || lies_in(real, folder_of_compiler());

    while (!shows && seen)
        shows = lies_in(real, strsep(&seen, " "));
    for (; !shows && *shown; shown++)
        shows = lies_in(real, *shown);
    return shows;
}

bool confine_can(void)
{
    static int can = -1;

    if (can < 0)
        can = system("bwrap --unshare-all --ro-bind / / true 2>/dev/null") == 0;
    return can;
}

static const char **add(const char **to, const char *option, const char *path)
{
    *to++ = option, *to++ = path, *to++ = path;
    return to;
}

void confine_exec(const char *const *argv, const char *const *shown, bool alone)
{
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    const char *all[100], **to = all, *compiler = folder_of_compiler(), *here = getcwd(NULL, 0);
    char *options = text_of("bwrap --unshare-all --die-with-parent --cap-drop ALL --proc /proc "
                            "--dev /dev --tmpfs /tmp");
    char *seen = text_of("%s", system_files);
    int file = memfd_create("filter", 0);

    if (write(file, filter, sizeof filter) < 0 || lseek(file, 0, SEEK_SET) < 0)
        return;
    if (!confine_can()) {
        if (alone && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
            leave_others_alone();
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        }
        execvp(argv[0], (char *const *)argv);
        return;
    }
    while (options)
        *to++ = strsep(&options, " ");
    while (seen)
        to = add(to, "--ro-bind-try", strsep(&seen, " "));
    if (compiler)
        to = add(to, "--ro-bind", compiler);
    to = add(to, "--bind", here);
    for (; *shown; shown++)
        to = add(to, "--ro-bind", *shown);
    if (alone)
        *to++ = "--seccomp", *to++ = text_of("%d", file);
    while ((*to++ = *argv++) != NULL)
        continue;
    execvp("bwrap", (char *const *)all);
}
