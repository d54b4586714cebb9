/* Landlock for files, seccomp for the process group. Neither can be undone by the process. */
#define _GNU_SOURCE
#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files ---- */

/* Landlock's interface is as Linux has it since 5.13; the headers of a system may be older than its
 * kernel. Rights of files, by their bits; those beyond the first 13 came with later versions. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, PATH_BENEATH = 1 };

#define EXECUTE    (1ull << 0)
#define WRITE_FILE (1ull << 1)
#define READ_FILE  (1ull << 2)
#define READ_DIR   (1ull << 3)
#define ALL_1      ((1ull << 13) - 1)
#define REFER      (1ull << 13) /* version 2 */
#define TRUNCATE   (1ull << 14) /* version 3 */

#define READ     (EXECUTE | READ_FILE | READ_DIR)
#define OF_FILES (EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE)

struct ruleset {
    uint64_t handled;
};

struct rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

/* 0 or less: this kernel has none. */
static long version(void)
{
    return syscall(CREATE_RULESET, NULL, 0, 1);
}

bool confine_can(void)
{
    return version() >= 1;
}

/* What cannot be opened needs no permission. */
static void allow(int rules, const char *path, uint64_t rights)
{
    struct stat info;
    struct rule rule = {rights, open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW)};

    if (rule.folder < 0)
        return;
    if (fstat(rule.folder, &info) == 0 && !S_ISLNK(info.st_mode)) {
        if (!S_ISDIR(info.st_mode))
            rule.allowed &= OF_FILES;
        syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0);
    }
    close(rule.folder);
}

/* Is path the folder itself, or below it? */
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Landlock can only allow: all that lies in the folder, but on the way to what is hidden each
 * neighbour on its own. */
static void allow_but(int rules, const char *folder, const char *const *hidden)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *entries;

    for (int i = 0; hidden[i]; i++)
        if (is_below(folder, hidden[i]))
            return;
    bool on_the_way = strcmp(folder, "") == 0;
    for (int i = 0; hidden[i]; i++)
        on_the_way = on_the_way || is_below(hidden[i], folder);
    if (!on_the_way) {
        allow(rules, folder, READ);
        return;
    }
    if ((entries = opendir(*folder ? folder : "/")) == NULL)
        return;
    while ((entry = readdir(entries)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            allow_but(rules, path, hidden);
    closedir(entries);
}

bool confine_files(const char *writable, const char *const *hidden, const char *const *shown)
{
    long have = version();
    uint64_t all = ALL_1 | (have >= 2 ? REFER : 0) | (have >= 3 ? TRUNCATE : 0);
    struct ruleset attributes = {all};
    int rules;

    if (have < 1)
        return false;
    rules = (int)syscall(CREATE_RULESET, &attributes, sizeof attributes, 0);
    if (rules < 0)
        return false;
    allow_but(rules, "", hidden);
    for (int i = 0; shown[i]; i++)
        allow(rules, shown[i], READ);
    allow(rules, writable, all);
    allow(rules, "/dev/null", all);
    bool done =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, rules, 0) == 0;
    close(rules);
    return done;
}

/* ---- processes ---- */

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#ifdef ARCHITECTURE

/* A filter of at most that many instructions, made piece by piece. */
struct filter {
    struct sock_filter at[80];
    unsigned short length;
};

/* Loads a field of seccomp_data, of which the offset is given. */
static void load(struct filter *f, size_t offset)
{
    f->at[f->length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

/* Skips so many instructions where what was loaded compares so with value, else the others. */
static void compare(struct filter *f, unsigned how, uint32_t value, unsigned then,
                    unsigned otherwise)
{
    f->at[f->length++] =
        (struct sock_filter)BPF_JUMP((unsigned short)(BPF_JMP | BPF_K | how), value,
                                     (unsigned char)then, (unsigned char)otherwise);
}

static void answer(struct filter *f, uint32_t how)
{
    f->at[f->length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, how);
}

/* The call of that number fails with that error. */
static void refuse(struct filter *f, long number, int error)
{
    compare(f, BPF_JEQ, (uint32_t)number, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* The call of that number fails, unless its first argument is this process, or as 0 stands for it.
 */
static void refuse_others(struct filter *f, long number, bool zero)
{
    compare(f, BPF_JEQ, (uint32_t)number, 0, 5);
    load(f, offsetof(struct seccomp_data, args[0]));
    compare(f, BPF_JEQ, (uint32_t)getpid(), 2, 0);
    compare(f, BPF_JEQ, 0, zero, 0);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load(f, offsetof(struct seccomp_data, nr));
}

/* It reaches no other process, neither by signals nor by what debuggers use, and leaves no memory
 * behind that is nobody's. */
static void refuse_reaching_out(struct filter *f)
{
    static const long numbers[] = {SYS_tkill,
                                   SYS_rt_sigqueueinfo,
                                   SYS_pidfd_send_signal,
                                   SYS_pidfd_getfd,
                                   SYS_ptrace,
                                   SYS_process_vm_readv,
                                   SYS_process_vm_writev,
                                   SYS_setpriority,
                                   SYS_sched_setscheduler,
                                   SYS_sched_setattr,
                                   SYS_shmget,
                                   SYS_msgget,
                                   SYS_semget};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        refuse(f, numbers[i], EPERM);
    refuse_others(f, SYS_kill, false);
    refuse_others(f, SYS_tgkill, false);
    refuse_others(f, SYS_rt_tgsigqueueinfo, false);
    refuse_others(f, SYS_prlimit64, true);
}

void confine_processes(bool alone)
{
    struct filter f = {.length = 0};

    /* Calls of another architecture (32 bits) have other numbers, and those of x32 are above 2^30:
     * nobody here needs them. */
    load(&f, offsetof(struct seccomp_data, arch));
    compare(&f, BPF_JEQ, ARCHITECTURE, 1, 0);
    answer(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
    compare(&f, BPF_JGE, 1u << 30, 0, 1);
    answer(&f, SECCOMP_RET_KILL_PROCESS);
    refuse(&f, SYS_setsid, EPERM);
    refuse(&f, SYS_setpgid, EPERM);
    if (alone) {
        refuse_reaching_out(&f);
#ifdef SYS_fork /* aarch64 has clone alone */
        refuse(&f, SYS_fork, EPERM);
#endif
        /* The flags of clone3 lie in memory; without it the C library takes clone. That is a fork
         * when it shares no memory. */
        refuse(&f, SYS_clone3, ENOSYS);
        compare(&f, BPF_JEQ, SYS_clone, 0, 3);
        load(&f, offsetof(struct seccomp_data, args[0]));
        compare(&f, BPF_JSET, CLONE_VM, 1, 0);
        answer(&f, SECCOMP_RET_ERRNO | EPERM);
    }
    answer(&f, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {f.length, f.at};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

void confine_processes(bool alone)
{
    (void)alone;
}

#endif
