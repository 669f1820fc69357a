/* SPDX-License-Identifier: MIT
 *
 * One address has many names in a C library: strong and weak, internal and public, with and without
 * the 64 of large files. Each tool shows another one. The hard thing is not to go too far: `__f` is
 * `f` only for functions that are known to be one.
 */
#include "image/name_alias.h"

/* Names whose variants with leading underscores, and with 64 behind, are the same function; so is
 * all that starts with `pthread_`. */
static const char *const public_names[] = {
    "accept",
    "accept4",
    "bind",
    "brk",
    "calloc",
    "clock_gettime",
    "clock_nanosleep",
    "clone",
    "clone3",
    "close",
    "connect",
    "creat",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "dup2",
    "epoll_wait",
    "fallocate",
    "fcntl",
    "fopen",
    "fork",
    "free",
    "fstat",
    "fsync",
    "ftruncate",
    "getdents",
    "getpid",
    "getrlimit",
    "gettid",
    "gettimeofday",
    "ioctl",
    "lseek",
    "lstat",
    "madvise",
    "malloc",
    "memalign",
    "mmap",
    "mprotect",
    "munmap",
    "nanosleep",
    "open",
    "openat",
    "poll",
    "ppoll",
    "pread",
    "preadv",
    "pselect",
    "pwrite",
    "pwritev",
    "read",
    "readv",
    "realloc",
    "recv",
    "recvfrom",
    "recvmsg",
    "sbrk",
    "sched_yield",
    "select",
    "sem_post",
    "sem_timedwait",
    "sem_trywait",
    "sem_wait",
    "send",
    "sendfile",
    "sendmsg",
    "sendto",
    "setrlimit",
    "sigaction",
    "sigprocmask",
    "socket",
    "stat",
    "syscall",
    "truncate",
    "usleep",
    "vfork",
    "wait4",
    "waitpid",
    "write",
    "writev",
};

/* Prefixes of internal names; what follows must be a public name, except where any is. */
static const struct {
    const char *prefix;
    bool any;
} internal_prefixes[] = {
    {"__GI_", true}, {"__libc_", false}, {"__new_", false}, {"_IO_new_", false}, {"_", false},
};

static bool cut_end(struct ff_text *text, const char *end)
{
    if (!ff_text_ends(*text, ff_text(end)) || text->size == strlen(end))
        return false;
    text->size -= strlen(end);
    return true;
}

static bool is_public(struct ff_text text)
{
    if (ff_text_starts(text, FF_TEXT("pthread_")))
        return true;
    for (size_t i = 0; i < sizeof public_names / sizeof *public_names; i++) {
        if (ff_text_equal(text, ff_text(public_names[i])))
            return true;
    }
    return false;
}

static struct ff_text cut_prefixes(struct ff_text text)
{
    for (size_t i = 0; i < sizeof internal_prefixes / sizeof *internal_prefixes; i++) {
        struct ff_text prefix = ff_text(internal_prefixes[i].prefix);
        if (!ff_text_starts(text, prefix) || text.size == prefix.size)
            continue;
        struct ff_text rest = cut_prefixes(ff_text_from(text, prefix.size)), plain = rest;
        cut_end(&plain, "64");
        if (internal_prefixes[i].any || is_public(plain))
            return rest;
    }
    return text;
}

struct ff_text ff_name_public(struct ff_text text)
{
    if (ff_text_equal(text, FF_TEXT("cfree"))) /* glibc's old second name of free */
        return FF_TEXT("free");
    if (ff_text_starts(text, FF_TEXT("cu")) || ff_text_starts(text, FF_TEXT("__cu"))) {
        if (!cut_end(&text, "_ptsz"))
            cut_end(&text, "_ptds");
    }
    if (text.size && text.at[0] == '_')
        text = cut_prefixes(text);
    struct ff_text narrow = text;
    return cut_end(&narrow, "64") && is_public(narrow) ? narrow : text;
}
