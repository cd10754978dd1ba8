/* A stand-in for the kernel's `power` PMU, at the C library's door to it.
 *
 * Preloaded, or named as the library that `syscall` and `read` are taken from, it answers perf_event_open for the
 * PMU type of the script in the file named by JOULEMARK_FAKE_PERF, and reads of the events opened so; every
 * other call passes through to the real library. What a counter shows is a pure function of the script and of
 * CLOCK_MONOTONIC, or of a clock that the process sets; an event on no processor (cpu -1) is one of a process, and
 * counts power_w instructions for each ns of that process's CPU time. The structures are mirrored in layout.py.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MAGIC 0x4a4d5046u
#define MAX_EVENTS 32
#define MAX_OPEN 256
#define PROCESS_BITS (1 << 1 | 1 << 5 | 1 << 6) /* inherit, exclude_kernel, exclude_hv */

typedef struct {
    uint64_t config;
    int32_t cpu;
    int32_t open_errno;       /* 0: it opens */
    double power_w, running_share, gain;
    int64_t update_ns;        /* how often the counter moves */
    int64_t freeze_at_ns, reset_at_ns, backwards_at_ns, gap_from_ns, gap_to_ns, lost_at_ns;
    double backwards_j;
    uint64_t opened;
} event_t;

typedef struct {
    uint32_t magic, pmu_type, n_events, pad;
    int64_t start_ns;
    event_t events[MAX_EVENTS];
} script_t;

/* The first version of struct perf_event_attr. */
typedef struct {
    uint32_t type, size;
    uint64_t config, sample_period, sample_type, read_format, bits;
    uint32_t wakeup, bp_type;
    uint64_t config1;
} attr_t;

typedef struct {
    ino_t inode;
    int fd;
    uint64_t read_format;
    volatile event_t *event;
    int64_t opened_ns;
    int pid;
    int64_t cpu_ns;
} open_t;

static volatile script_t *script;
static open_t table[MAX_OPEN];
static int n_open;
static int64_t (*clock_ns)(void);

EXPORT void fake_perf_set_clock(int64_t (*now_ns)(void)) { clock_ns = now_ns; }

EXPORT void fake_perf_forget(void)
{
    script = NULL;
    n_open = 0;
}

static ssize_t real_read(int fd, void *buffer, size_t size)
{
    static ssize_t (*next)(int, void *, size_t);
    if (!next)
        next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    return next(fd, buffer, size);
}

static volatile script_t *mapped(void)
{
    const char *path = getenv("JOULEMARK_FAKE_PERF");
    if (script || !path)
        return script;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *at = mmap(NULL, sizeof(script_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at != MAP_FAILED && ((script_t *)at)->magic == MAGIC)
        script = at;
    return script;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t t = clock_ns ? clock_ns() : (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return t - script->start_ns;
}

static int64_t last_update(const volatile event_t *e, int64_t t)
{
    if (t > e->freeze_at_ns)
        t = e->freeze_at_ns;
    return e->update_ns > 0 ? t - t % e->update_ns : t;
}

static int64_t cpu_of(int pid)
{
    clockid_t clock;
    struct timespec taken;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &taken) != 0)
        return 0;
    return (int64_t)taken.tv_sec * 1000000000 + taken.tv_nsec;
}

static uint64_t count(const open_t *o, int64_t t)
{
    const volatile event_t *e = o->event;
    if (e->cpu == -1)
        return (uint64_t)(e->power_w * (double)(cpu_of(o->pid) - o->cpu_ns));
    int64_t since = o->opened_ns, u = last_update(e, t);
    if (t >= e->reset_at_ns && since < e->reset_at_ns)
        since = e->reset_at_ns;
    double joules = e->gain * e->power_w * (double)(u - since) * 1e-9;
    if (t >= e->backwards_at_ns)
        joules -= e->backwards_j;
    return joules <= 0 ? 0 : (uint64_t)(joules * 0x1p32 + 0.5);
}

static long open_event(const attr_t *attr, int pid, int cpu, int group)
{
    volatile event_t *event = NULL;
    for (uint32_t i = 0; i < script->n_events; i++)
        if (script->events[i].config == attr->config && script->events[i].cpu == cpu)
            event = &script->events[i];
    /* a power PMU counts a whole machine's processor and can leave nothing out */
    int fits = event && (cpu == -1 ? pid > 0 && attr->bits == PROCESS_BITS : pid == -1 && !attr->bits);
    if (!fits || group != -1 || attr->sample_period || n_open == MAX_OPEN)
        errno = EINVAL;
    else if (event->open_errno)
        errno = event->open_errno;
    else if (now_ns() >= event->lost_at_ns)
        errno = ENODEV;
    else {
        int fd = memfd_create("fake-perf-event", MFD_CLOEXEC);
        struct stat status;
        if (fd < 0 || fstat(fd, &status) != 0)
            return -1;
        event->opened++;
        int64_t opened_ns = last_update(event, now_ns());
        table[n_open++] = (open_t){status.st_ino, fd, attr->read_format, event, opened_ns, pid, cpu_of(pid)};
        return fd;
    }
    return -1;
}

EXPORT long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    const attr_t *attr = (const attr_t *)a[0];
    if (number == SYS_perf_event_open && mapped() && attr->type == script->pmu_type)
        return open_event(attr, (int)a[1], (int)a[2], (int)a[3]);
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A closed descriptor's number may be given to another file: the inode tells. */
static const open_t *event_of(int fd)
{
    struct stat status;
    for (int i = n_open - 1; i >= 0; i--)
        if (table[i].fd == fd)
            return fstat(fd, &status) == 0 && status.st_ino == table[i].inode ? &table[i] : NULL;
    return NULL;
}

EXPORT ssize_t read(int fd, void *buffer, size_t size)
{
    const open_t *o = n_open ? event_of(fd) : NULL;
    if (!o)
        return real_read(fd, buffer, size);
    int64_t t = now_ns();
    if (t >= o->event->lost_at_ns)
        return 0;
    if (t >= o->event->gap_from_ns && t < o->event->gap_to_ns) {
        errno = EIO;
        return -1;
    }
    uint64_t enabled = (uint64_t)(t - o->opened_ns) + 1;
    uint64_t answer[3] = {count(o, t), enabled, (uint64_t)(o->event->running_share * (double)enabled)};
    size_t length = o->read_format == 3 ? sizeof answer : sizeof answer[0];
    if (size < length) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(buffer, answer, length);
    return (ssize_t)length;
}
