// A library for LD_PRELOAD that makes one system call fail: of those on files below FAULT_BELOW the one with the number FAULT_AT,
// and those behind it when FAULT_LASTS is set. FAULT_KIND is the name of an error, or "short" for half of what was asked for.
// The number of calls is written to FAULT_COUNT at the end. Linux and glibc only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4096 };
static atomic_bool below_folder[FILES];
static atomic_long calls;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int is_below(const char *path) {
    const char *folder = setting("FAULT_BELOW");
    return *folder && path && !strncmp(path, folder, strlen(folder));
}

static int is_known(int file) { return file >= 0 && file < FILES && below_folder[file]; }

static int error_of_kind(void) {
    const char *kind = setting("FAULT_KIND");
    return !strcmp(kind, "ENOSPC") ? ENOSPC : !strcmp(kind, "EIO") ? EIO : !strcmp(kind, "EACCES") ? EACCES : !strcmp(kind, "EINTR") ? EINTR : 0;
}

// Counts a call; returns whether it is to fail.
static int is_due(void) {
    long at = atol(setting("FAULT_AT")), now = ++calls;
    return at && (now == at || (now > at && *setting("FAULT_LASTS")));
}

static int fails(void) {
    if (!is_due() || !error_of_kind()) return 0;
    errno = error_of_kind();
    return 1;
}

// Returns how many bytes a transfer may have; -1 when it fails.
static ssize_t allowed(int file, size_t bytes) {
    if (!is_known(file) || !is_due()) return bytes;
    if (error_of_kind()) {
        errno = error_of_kind();
        return -1;
    }
    return bytes > 1 ? bytes / 2 : bytes;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = setting("FAULT_COUNT");
    FILE *file = *path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", (long)calls);
        fclose(file);
    }
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int noted(int file, int known) {
    if (file >= 0 && file < FILES) below_folder[file] = known;
    return file;
}

static int open_at(const char *name, int folder, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX * 2] = "";
    if (path[0] != '/' && folder != AT_FDCWD) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, whole, PATH_MAX);
        if (length > 0) snprintf(whole + length, sizeof whole - length, "/%s", path);
    } else {
        snprintf(whole, sizeof whole, "%s", path);
    }
    int known = is_below(whole);
    if (known && fails()) return -1;
    return noted(REAL(int, name, int, const char *, int, mode_t)(folder, path, flags, mode), known);
}

#define MODE(flags) va_list rest; va_start(rest, flags); mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; va_end(rest)
int open(const char *path, int flags, ...) { MODE(flags); return open_at("openat", AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); return open_at("openat64", AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags); return open_at("openat", folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags); return open_at("openat64", folder, path, flags, mode); }
int close(int file) { noted(file, 0); return REAL(int, "close", int)(file); }

ssize_t read(int file, void *to, size_t bytes) {
    ssize_t most = allowed(file, bytes);
    return most < 0 ? -1 : REAL(ssize_t, "read", int, void *, size_t)(file, to, most);
}
ssize_t write(int file, const void *from, size_t bytes) {
    ssize_t most = allowed(file, bytes);
    return most < 0 ? -1 : REAL(ssize_t, "write", int, const void *, size_t)(file, from, most);
}
ssize_t pread64(int file, void *to, size_t bytes, off_t at) {
    ssize_t most = allowed(file, bytes);
    return most < 0 ? -1 : REAL(ssize_t, "pread64", int, void *, size_t, off_t)(file, to, most, at);
}
ssize_t pread(int file, void *to, size_t bytes, off_t at) { return pread64(file, to, bytes, at); }
ssize_t pwrite64(int file, const void *from, size_t bytes, off_t at) {
    ssize_t most = allowed(file, bytes);
    return most < 0 ? -1 : REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t)(file, from, most, at);
}
ssize_t pwrite(int file, const void *from, size_t bytes, off_t at) { return pwrite64(file, from, bytes, at); }

#define ON_FILE(name, parameters, arguments, ...) \
    int name parameters { return is_known(file) && fails() ? -1 : REAL(int, #name, __VA_ARGS__) arguments; }
ON_FILE(fsync, (int file), (file), int)
ON_FILE(fdatasync, (int file), (file), int)
ON_FILE(ftruncate, (int file, off_t size), (file, size), int, off_t)
ON_FILE(ftruncate64, (int file, off_t size), (file, size), int, off_t)
ON_FILE(fallocate, (int file, int mode, off_t at, off_t size), (file, mode, at, size), int, int, off_t, off_t)
ON_FILE(flock, (int file, int operation), (file, operation), int, int)
ON_FILE(fstat, (int file, struct stat *found), (file, found), int, struct stat *)
ON_FILE(fstat64, (int file, struct stat64 *found), (file, found), int, struct stat64 *)

#define ON_PATH(name, parameters, arguments, ...) \
    int name parameters { return is_below(path) && fails() ? -1 : REAL(int, #name, __VA_ARGS__) arguments; }
ON_PATH(rename, (const char *path, const char *to), (path, to), const char *, const char *)
ON_PATH(link, (const char *path, const char *to), (path, to), const char *, const char *)
ON_PATH(linkat, (int from, const char *path, int folder, const char *to, int flags), (from, path, folder, to, flags), int, const char *, int, const char *, int)
ON_PATH(unlink, (const char *path), (path), const char *)
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
ON_PATH(stat, (const char *path, struct stat *found), (path, found), const char *, struct stat *)
ON_PATH(stat64, (const char *path, struct stat64 *found), (path, found), const char *, struct stat64 *)
ON_PATH(statx, (int folder, const char *path, int flags, unsigned mask, struct statx *found), (folder, path, flags, mask, found), int, const char *, int, unsigned, struct statx *)
ON_PATH(access, (const char *path, int mode), (path, mode), const char *, int)

void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (is_known(file) && fails()) return MAP_FAILED;
    return REAL(void *, "mmap64", void *, size_t, int, int, int, off_t)(at, bytes, protection, flags, file, offset);
}
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) { return mmap64(at, bytes, protection, flags, file, offset); }

static int fcntl_any(const char *name, int file, int command, void *argument) {
    if (is_known(file) && (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) && fails()) return -1;
    int done = REAL(int, name, int, int, ...)(file, command, argument);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) noted(done, is_known(file));
    return done;
}
int fcntl(int file, int command, ...) { va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); return fcntl_any("fcntl", file, command, argument); }
int fcntl64(int file, int command, ...) { va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); return fcntl_any("fcntl64", file, command, argument); }
