/* Landlock for files, seccomp for the process group. Neither can be undone by the process. */
#define _GNU_SOURCE
#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
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

/* Rights by the version of Landlock that brought them; headers may be older than the kernel. */
#define READ                                                                                       \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define ALL_1    ((1ull << 13) - 1)
#define REFER    (1ull << 13) /* version 2 */
#define TRUNCATE (1ull << 14) /* version 3 */
#define OF_FILES                                                                                   \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |   \
     TRUNCATE)

static long version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool confine_can(void)
{
    return version() >= 1;
}

/* What cannot be opened needs no permission. */
static void allow(int rules, const char *path, uint64_t rights)
{
    struct stat info;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights};

    rule.parent_fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &info) == 0 && !S_ISLNK(info.st_mode)) {
        if (!S_ISDIR(info.st_mode))
            rule.allowed_access &= OF_FILES;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(rule.parent_fd);
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
    struct landlock_ruleset_attr attributes = {.handled_access_fs = all};
    int rules;

    if (have < 1)
        return false;
    rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0)
        return false;
    allow_but(rules, "", hidden);
    for (int i = 0; shown[i]; i++)
        allow(rules, shown[i], READ);
    allow(rules, writable, all);
    allow(rules, "/dev/null", all);
    bool done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done;
}

/* ---- processes ---- */

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(how) BPF_STMT(BPF_RET | BPF_K, how)
#define IS(value, then, otherwise)                                                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), then, otherwise)

/* A filter of at most that many instructions, made piece by piece. */
struct filter {
    struct sock_filter at[32];
    unsigned short length;
};

static void add(struct filter *f, struct sock_filter instruction)
{
    f->at[f->length++] = instruction;
}

/* The call of that number fails. */
static void refuse(struct filter *f, long number, int error)
{
    add(f, (struct sock_filter)IS(number, 0, 1));
    add(f, (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | (uint32_t)error));
}

void confine_processes(bool no_fork)
{
#ifdef ARCHITECTURE
    struct filter f = {.length = 0};

    /* A call of another architecture (32 bits) has other numbers: nobody here needs one. */
    add(&f, (struct sock_filter)LOAD(arch));
    add(&f, (struct sock_filter)IS(ARCHITECTURE, 1, 0));
    add(&f, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
    add(&f, (struct sock_filter)LOAD(nr));
    refuse(&f, SYS_setsid, EPERM);
    refuse(&f, SYS_setpgid, EPERM);
    if (no_fork) {
#ifdef SYS_fork /* aarch64 has clone alone */
        refuse(&f, SYS_fork, EPERM);
#endif
        refuse(&f, SYS_clone3,
               ENOSYS); /* its flags lie in memory; the C library goes on to clone */
        /* clone that shares no memory is a fork */
        add(&f, (struct sock_filter)IS(SYS_clone, 0, 3));
        add(&f, (struct sock_filter)LOAD(args[0]));
        add(&f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM, 1, 0));
        add(&f, (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM));
    }
    add(&f, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
    struct sock_fprog program = {f.length, f.at};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
    (void)no_fork;
#endif
}
