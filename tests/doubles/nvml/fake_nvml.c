/* A stand-in for the NVIDIA management library, driven by a shared file.
 *
 * The real `pynvml` loads this as libnvidia-ml.so.1. Everything that it answers is a pure function of the
 * script in the file named by JOULEMARK_FAKE_NVML and of CLOCK_MONOTONIC (or of the script's own virtual
 * time), so the true energy between two instants is known exactly; driver.py mirrors the integral.
 * The structures below are mirrored in layout.py, field by field.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    OK = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7,
    LIBRARY_NOT_FOUND = 12, FUNCTION_NOT_FOUND = 13, GPU_IS_LOST = 15,
    /* no codes of the library: the field answers well, but with "not available" or with zero */
    ANSWER_NOT_AVAILABLE = 10001, ANSWER_ZERO = 10002,
};

#define EXPORT __attribute__((visibility("default")))
#define MAGIC 0x4a4d4e56u
#define VERSION 3u
#define MAX_PROCESSES 32
#define MAX_FAULTS 64
#define MAX_THROTTLES 64
#define MAX_FUNCTIONS 64
#define MAX_MIG 8

/* The order is contract: layout.py has the same list. */
#define FUNCTIONS(X) \
    X(FieldValues) X(TotalEnergyConsumption) X(PowerUsage) X(ViolationStatus) X(EventReasons) X(ThrottleReasons) \
    X(Temperature) X(ClockInfo) X(UtilizationRates) X(MemoryInfo) X(FanSpeed) X(PerformanceState) \
    X(EnforcedPowerLimit) X(PowerLimitConstraints) X(Architecture) X(PciInfo) X(Name) X(UUID) X(MigMode) \
    X(ComputeProcesses) X(GraphicsProcesses) X(Index) X(ComputeProcesses2) X(VirtualizationMode) \
    X(PowerManagementLimit) X(DefaultPowerLimit) X(SetPowerLimit)
#define ENUMERATE(name) FN_##name,
enum { FUNCTIONS(ENUMERATE) FN_COUNT };

typedef struct {
    int64_t t_ns;    /* start, relative to the script's start */
    double w0, w1;   /* power at the start and at the start of the next segment */
    double e0_j;     /* energy from the script's start to here */
} segment_t;

typedef struct {
    uint32_t kind;   /* 0 none, 1 function, 2 field */
    uint32_t id;
    int32_t scope;   /* of a field; -1 any */
    uint32_t code;
    int64_t from_ns, to_ns;
} fault_t;

typedef struct {
    uint32_t reason; /* the driver's event-reason bit */
    uint32_t pad;
    int64_t from_ns, to_ns;
} throttle_t;

typedef struct {
    char uuid[96];
    char name[96];
    uint32_t architecture, pci_device_id;
    uint64_t memory_total_b, memory_used_b;
    uint32_t limit_mw, limit_min_mw, limit_max_mw;
    uint32_t temperature_c, sm_clock_mhz, memory_clock_mhz, gpu_util_pct, fan_pct, pstate, extra_reasons;
    int32_t mig_mode;             /* -1 not supported */
    uint32_t n_mig;
    int64_t counter_period_ns, counter_phase_ns, counter_jitter_ns;
    int64_t gauge_period_ns, average_window_ns, usage_window_ns;
    uint64_t seed;
    uint64_t quantum_mj, modulus_mj;
    double base_j, gain;
    int64_t reset_at_ns, freeze_from_ns, freeze_to_ns, backwards_at_ns, lost_at_ns;
    double backwards_j;
    double module_extra_w;
    double gauge_gain;
    int32_t virtualization_mode;  /* -1: the library lacks the call */
    uint32_t freeze_gauge;        /* the gauges stand still with the counter */
    uint32_t gpu_scope, module_scope;
    uint32_t n_compute, n_graphics;
    uint32_t compute[MAX_PROCESSES], graphics[MAX_PROCESSES];
    fault_t faults[MAX_FAULTS];
    throttle_t throttles[MAX_THROTTLES];
    int64_t call_latency_ns;
    int64_t loop_ns;
    uint64_t n_segments, segments_offset;
    uint64_t calls[MAX_FUNCTIONS];
    uint32_t limit_default_mw;
    uint32_t n_limits_set;        /* how often the limit was set, by anybody */
} board_t;

typedef struct {
    uint32_t magic, version, n_boards, init_error;
    uint32_t virtual_time, board_size;
    int64_t virtual_now_ns, start_ns;
    char driver[96];
    uint64_t inits, shutdowns;
    uint64_t boards_offset;
} header_t;

static volatile char *base;
static size_t mapped;
static char mapped_path[4096];

#define HEADER ((volatile header_t *)base)

static int map_script(void)
{
    const char *path = getenv("JOULEMARK_FAKE_NVML");
    if (!path || strlen(path) >= sizeof mapped_path)
        return LIBRARY_NOT_FOUND;
    if (base && strcmp(path, mapped_path) == 0)
        return OK;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || (size_t)status.st_size < sizeof(header_t)) {
        if (fd >= 0)
            close(fd);
        return LIBRARY_NOT_FOUND;
    }
    void *at = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return LIBRARY_NOT_FOUND;
    header_t *header = at;
    if (header->magic != MAGIC || header->version != VERSION || header->board_size != sizeof(board_t)) {
        fprintf(stderr, "fake_nvml: %s is not a script of this version\n", path);
        munmap(at, (size_t)status.st_size);
        return LIBRARY_NOT_FOUND;
    }
    if (base)
        munmap((void *)base, mapped);
    base = at;
    mapped = (size_t)status.st_size;
    strcpy(mapped_path, path);
    return OK;
}

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t (*clock_ns)(void);

EXPORT void fake_nvml_set_clock(int64_t (*now_ns)(void)) { clock_ns = now_ns; }

static int64_t script_ns(void)
{
    if (clock_ns)
        return clock_ns() - HEADER->start_ns;
    return (HEADER->virtual_time ? HEADER->virtual_now_ns : monotonic_ns()) - HEADER->start_ns;
}

static volatile board_t *board_at(uint32_t index)
{
    return (volatile board_t *)(base + HEADER->boards_offset) + index;
}

/* ------------------------------------------------------------------ the power curve */

static const volatile segment_t *segment_of(const volatile board_t *b, int64_t t)
{
    const volatile segment_t *segments = (const volatile segment_t *)(base + b->segments_offset);
    uint64_t low = 0, high = b->n_segments;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (segments[middle].t_ns <= t)
            low = middle;
        else
            high = middle;
    }
    return segments + low;
}

static void power_and_energy(const volatile board_t *b, int64_t t, double *power_w, double *energy_j)
{
    const volatile segment_t *segments = (const volatile segment_t *)(base + b->segments_offset);
    double cycles_j = 0;
    if (b->loop_ns > 0 && t >= 0) {
        /* the last segment ends the cycle and holds its energy */
        cycles_j = (double)(t / b->loop_ns) * segments[b->n_segments - 1].e0_j;
        t %= b->loop_ns;
    }
    const volatile segment_t *s = segment_of(b, t);
    int last = (uint64_t)(s - segments) + 1 == b->n_segments;
    double dt_s = (double)(t - s->t_ns) * 1e-9;
    double slope = last || t < s->t_ns ? 0 : (s->w1 - s->w0) / ((double)(s[1].t_ns - s->t_ns) * 1e-9);
    *power_w = s->w0 + slope * dt_s;
    *energy_j = cycles_j + s->e0_j + (s->w0 + 0.5 * slope * dt_s) * dt_s;
}

static double energy_j(const volatile board_t *b, int64_t t)
{
    double power, energy;
    power_and_energy(b, t, &power, &energy);
    return energy;
}

static double mean_power_w(const volatile board_t *b, int64_t t, int64_t window)
{
    double power, energy;
    power_and_energy(b, t, &power, &energy);
    return window <= 0 ? power : (energy - energy_j(b, t - window)) / ((double)window * 1e-9);
}

/* ------------------------------------------------------------------ what the driver publishes of it */

static double unit_random(uint64_t seed, int64_t k)
{
    uint64_t z = seed + (uint64_t)k * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

static int64_t update_k(const volatile board_t *b, int64_t k)
{
    int64_t jitter = (int64_t)((2 * unit_random(b->seed, k) - 1) * (double)b->counter_jitter_ns);
    return b->counter_phase_ns + k * b->counter_period_ns + jitter;
}

static int64_t last_update(const volatile board_t *b, int64_t t)
{
    if (b->counter_period_ns <= 0)
        return t;
    int64_t k = (t - b->counter_phase_ns) / b->counter_period_ns + 1;
    while (update_k(b, k) > t)
        k--;
    return update_k(b, k);
}

static uint64_t counter_mj(const volatile board_t *b, int64_t t, double extra_w)
{
    int64_t u = last_update(b, t);
    if (u >= b->freeze_from_ns && u < b->freeze_to_ns)
        u = last_update(b, b->freeze_from_ns);
    double joules = b->base_j + b->gain * (energy_j(b, u) + extra_w * (double)u * 1e-9);
    if (u >= b->reset_at_ns)
        joules = b->gain * (energy_j(b, u) - energy_j(b, b->reset_at_ns)
                            + extra_w * (double)(u - b->reset_at_ns) * 1e-9);
    if (u >= b->backwards_at_ns)
        joules -= b->backwards_j;
    uint64_t mj = joules <= 0 ? 0 : (uint64_t)(joules * 1000);
    if (b->quantum_mj > 1)
        mj -= mj % b->quantum_mj;
    return b->modulus_mj ? mj % b->modulus_mj : mj;
}

static int64_t gauge_time(const volatile board_t *b, int64_t t)
{
    if (b->freeze_gauge && t >= b->freeze_from_ns && t < b->freeze_to_ns)
        t = b->freeze_from_ns;
    if (b->gauge_period_ns <= 0)
        return t;
    int64_t k = t / b->gauge_period_ns - (t % b->gauge_period_ns < 0);
    return k * b->gauge_period_ns;
}

static uint64_t power_mw(const volatile board_t *b, int64_t t, int64_t window, double extra_w)
{
    return (uint64_t)(b->gauge_gain * (mean_power_w(b, gauge_time(b, t), window) + extra_w) * 1000 + 0.5);
}

static uint64_t throttled_ns(const volatile board_t *b, int64_t t, uint32_t reason)
{
    int64_t sum = 0;
    for (int i = 0; i < MAX_THROTTLES; i++) {
        const volatile throttle_t *w = &b->throttles[i];
        int64_t end = w->to_ns < t ? w->to_ns : t;
        if (w->reason & reason && end > w->from_ns)
            sum += end - w->from_ns;
    }
    return (uint64_t)sum;
}

static uint64_t reasons_now(const volatile board_t *b, int64_t t)
{
    uint64_t mask = b->extra_reasons;
    for (int i = 0; i < MAX_THROTTLES; i++)
        if (b->throttles[i].reason && t >= b->throttles[i].from_ns && t < b->throttles[i].to_ns)
            mask |= b->throttles[i].reason;
    return mask;
}

/* ------------------------------------------------------------------ faults, handles, counting */

static int fault_code(const volatile board_t *b, uint32_t kind, uint32_t id, int32_t scope, int64_t t)
{
    for (int i = 0; i < MAX_FAULTS; i++) {
        const volatile fault_t *f = &b->faults[i];
        if (f->kind == kind && f->id == id && (f->scope < 0 || f->scope == scope) && t >= f->from_ns
            && t < f->to_ns)
            return (int)f->code;
    }
    return OK;
}

static int is_mig(void *device)
{
    return (uintptr_t)device >= 0x2000 && (uintptr_t)device < 0x2000 + 16 * MAX_MIG * 16;
}

static int enter(void *device, int function, volatile board_t **board, int64_t *t)
{
    if (!base)
        return UNINITIALIZED;
    uintptr_t index = (uintptr_t)device - 0x1000;
    if (is_mig(device))
        index = ((uintptr_t)device - 0x2000) / MAX_MIG;
    if (index >= HEADER->n_boards)
        return INVALID_ARGUMENT;
    volatile board_t *b = board_at((uint32_t)index);
    __atomic_fetch_add((uint64_t *)&b->calls[function], 1, __ATOMIC_RELAXED);
    if (b->call_latency_ns > 0)
        for (int64_t until = monotonic_ns() + b->call_latency_ns; monotonic_ns() < until;)
            ;
    *board = b;
    *t = script_ns();
    if (*t >= b->lost_at_ns)
        return GPU_IS_LOST;
    /* a MIG instance has neither a power meter nor clocks of its own */
    if (is_mig(device) && function != FN_UUID && function != FN_Name && function != FN_MemoryInfo)
        return NOT_SUPPORTED;
    return fault_code(b, 1, (uint32_t)function, -1, *t);
}

#define ENTER(function)                                        \
    volatile board_t *b;                                       \
    int64_t t;                                                 \
    int code = enter(device, FN_##function, &b, &t);           \
    if (code != OK)                                            \
        return code

/* ------------------------------------------------------------------ library and system */

EXPORT int nvmlInitWithFlags(unsigned int flags)
{
    (void)flags;
    int code = map_script();
    if (code != OK)
        return code;
    if (HEADER->init_error)
        return (int)HEADER->init_error;
    __atomic_fetch_add((uint64_t *)&HEADER->inits, 1, __ATOMIC_RELAXED);
    return OK;
}

EXPORT int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }

EXPORT int nvmlShutdown(void)
{
    if (!base)
        return UNINITIALIZED;
    __atomic_fetch_add((uint64_t *)&HEADER->shutdowns, 1, __ATOMIC_RELAXED);
    return OK;
}

EXPORT const char *nvmlErrorString(int code)
{
    static char text[32];
    snprintf(text, sizeof text, "fake error %d", code);
    return text;
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    if (!base)
        return UNINITIALIZED;
    snprintf(version, length, "%s", (const char *)HEADER->driver);
    return OK;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned int *count)
{
    if (!base)
        return UNINITIALIZED;
    *count = HEADER->n_boards;
    return OK;
}

/* ------------------------------------------------------------------ handles */

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device)
{
    if (!base)
        return UNINITIALIZED;
    if (index >= HEADER->n_boards)
        return INVALID_ARGUMENT;
    *device = (void *)(uintptr_t)(0x1000 + index);
    return script_ns() >= board_at(index)->lost_at_ns ? GPU_IS_LOST : OK;
}

static void mig_uuid(uint32_t board, uint32_t instance, char *uuid, size_t length)
{
    snprintf(uuid, length, "MIG-%08x-0000-4000-8000-%012x", board, instance);
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    if (!base)
        return UNINITIALIZED;
    for (uint32_t i = 0; i < HEADER->n_boards; i++) {
        if (strcmp(uuid, (const char *)board_at(i)->uuid) == 0)
            return nvmlDeviceGetHandleByIndex_v2(i, device);
        for (uint32_t j = 0; j < board_at(i)->n_mig && j < MAX_MIG; j++) {
            char name[96];
            mig_uuid(i, j, name, sizeof name);
            if (strcmp(uuid, name) == 0) {
                *device = (void *)(uintptr_t)(0x2000 + i * MAX_MIG + j);
                return OK;
            }
        }
    }
    return NOT_FOUND;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned int *count)
{
    ENTER(MigMode);
    *count = b->mig_mode < 0 ? 0 : MAX_MIG;
    return OK;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned int index, void **mig)
{
    ENTER(MigMode);
    if (index >= b->n_mig)
        return NOT_FOUND;
    *mig = (void *)(uintptr_t)(0x2000 + ((uintptr_t)device - 0x1000) * MAX_MIG + index);
    return OK;
}

EXPORT int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *mig, void **device)
{
    if (!is_mig(mig))
        return INVALID_ARGUMENT;
    *device = (void *)(0x1000 + ((uintptr_t)mig - 0x2000) / MAX_MIG);
    return OK;
}

EXPORT int nvmlDeviceGetMigMode(void *device, unsigned int *current, unsigned int *pending)
{
    ENTER(MigMode);
    if (b->mig_mode < 0)
        return NOT_SUPPORTED;
    *current = *pending = (unsigned int)b->mig_mode;
    return OK;
}

/* ------------------------------------------------------------------ facts */

EXPORT int nvmlDeviceGetUUID(void *device, char *uuid, unsigned int length)
{
    ENTER(UUID);
    if (is_mig(device))
        mig_uuid((uint32_t)(((uintptr_t)device - 0x2000) / MAX_MIG),
                 (uint32_t)(((uintptr_t)device - 0x2000) % MAX_MIG), uuid, length);
    else
        snprintf(uuid, length, "%s", (const char *)b->uuid);
    return OK;
}

EXPORT int nvmlDeviceGetName(void *device, char *name, unsigned int length)
{
    ENTER(Name);
    snprintf(name, length, "%s", (const char *)b->name);
    return OK;
}

EXPORT int nvmlDeviceGetIndex(void *device, unsigned int *index)
{
    ENTER(Index);
    *index = (unsigned int)((uintptr_t)device - 0x1000);
    return OK;
}

EXPORT int nvmlDeviceGetArchitecture(void *device, unsigned int *architecture)
{
    ENTER(Architecture);
    *architecture = b->architecture;
    return OK;
}

typedef struct {
    char bus_id_legacy[16];
    unsigned int domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} pci_t;

EXPORT int nvmlDeviceGetPciInfo_v3(void *device, pci_t *pci)
{
    ENTER(PciInfo);
    memset(pci, 0, sizeof *pci);
    pci->bus = (unsigned int)((uintptr_t)device - 0x1000) + 1;
    pci->device_id = b->pci_device_id << 16 | 0x10de;
    snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    return OK;
}

EXPORT int nvmlDeviceGetVirtualizationMode(void *device, unsigned int *mode)
{
    ENTER(VirtualizationMode);
    if (b->virtualization_mode < 0)
        return FUNCTION_NOT_FOUND;
    *mode = (unsigned int)b->virtualization_mode;
    return OK;
}

EXPORT int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned int *limit)
{
    ENTER(EnforcedPowerLimit);
    *limit = b->limit_mw;
    return OK;
}

EXPORT int nvmlDeviceGetPowerManagementLimitConstraints(void *device, unsigned int *low, unsigned int *high)
{
    ENTER(PowerLimitConstraints);
    *low = b->limit_min_mw;
    *high = b->limit_max_mw;
    return OK;
}

EXPORT int nvmlDeviceGetPowerManagementLimit(void *device, unsigned int *limit)
{
    ENTER(PowerManagementLimit);
    *limit = b->limit_mw;
    return OK;
}

EXPORT int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned int *limit)
{
    ENTER(DefaultPowerLimit);
    *limit = b->limit_default_mw;
    return OK;
}

EXPORT int nvmlDeviceSetPowerManagementLimit(void *device, unsigned int limit)
{
    ENTER(SetPowerLimit);
    if (limit < b->limit_min_mw || limit > b->limit_max_mw)
        return INVALID_ARGUMENT;
    b->limit_mw = limit;
    b->n_limits_set++;
    return OK;
}

typedef struct { unsigned long long total, free, used; } memory_t;

EXPORT int nvmlDeviceGetMemoryInfo(void *device, memory_t *memory)
{
    ENTER(MemoryInfo);
    memory->total = b->memory_total_b;
    memory->used = b->memory_used_b;
    memory->free = b->memory_total_b - b->memory_used_b;
    return OK;
}

/* ------------------------------------------------------------------ gauges */

EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
    ENTER(TotalEnergyConsumption);
    if (!b->gpu_scope)
        return NOT_SUPPORTED;
    *mj = counter_mj(b, t, 0);
    return OK;
}

EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned int *mw)
{
    ENTER(PowerUsage);
    if (!b->gpu_scope)
        return NOT_SUPPORTED;
    *mw = (unsigned int)power_mw(b, t, b->usage_window_ns, 0);
    return OK;
}

EXPORT int nvmlDeviceGetTemperature(void *device, int sensor, unsigned int *celsius)
{
    ENTER(Temperature);
    if (sensor != 0)
        return INVALID_ARGUMENT;
    *celsius = b->temperature_c;
    return OK;
}

EXPORT int nvmlDeviceGetClockInfo(void *device, int type, unsigned int *mhz)
{
    ENTER(ClockInfo);
    *mhz = type == 2 ? b->memory_clock_mhz : b->sm_clock_mhz;
    return OK;
}

EXPORT int nvmlDeviceGetUtilizationRates(void *device, unsigned int *rates)
{
    ENTER(UtilizationRates);
    rates[0] = b->gpu_util_pct;
    rates[1] = b->gpu_util_pct / 2;
    return OK;
}

EXPORT int nvmlDeviceGetFanSpeed(void *device, unsigned int *pct)
{
    ENTER(FanSpeed);
    *pct = b->fan_pct;
    return OK;
}

EXPORT int nvmlDeviceGetPerformanceState(void *device, int *state)
{
    ENTER(PerformanceState);
    *state = (int)b->pstate;
    return OK;
}

EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *mask)
{
    ENTER(EventReasons);
    *mask = reasons_now(b, t);
    return OK;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *mask)
{
    ENTER(ThrottleReasons);
    *mask = reasons_now(b, t);
    return OK;
}

typedef struct { unsigned long long reference_us, violation_ns; } violation_t;

EXPORT int nvmlDeviceGetViolationStatus(void *device, int policy, violation_t *violation)
{
    ENTER(ViolationStatus);
    if (policy != 0 && policy != 1)
        return NOT_SUPPORTED;
    violation->reference_us = (unsigned long long)(t / 1000);
    violation->violation_ns = throttled_ns(b, t, policy == 0 ? 0x4 : 0x60);
    return OK;
}

/* ------------------------------------------------------------------ processes */

typedef struct {
    unsigned int pid;
    unsigned long long used_memory;
    unsigned int gpu_instance, compute_instance;
} process_t;

static int list_processes(const volatile uint32_t *pids, uint32_t n, unsigned int *count, process_t *out)
{
    unsigned int room = *count;
    *count = n;
    if (n == 0)
        return OK;
    if (!out || room < n)
        return INSUFFICIENT_SIZE;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (process_t){pids[i], 1u << 30, 0xffffffff, 0xffffffff};
    return OK;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, process_t *out)
{
    ENTER(ComputeProcesses);
    return list_processes(b->compute, b->n_compute, count, out);
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned int *count, process_t *out)
{
    ENTER(ComputeProcesses2);
    return list_processes(b->compute, b->n_compute, count, out);
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned int *count, process_t *out)
{
    ENTER(GraphicsProcesses);
    return list_processes(b->graphics, b->n_graphics, count, out);
}

/* ------------------------------------------------------------------ field values */

typedef union { double d; unsigned int ui; unsigned long ul; unsigned long long ull; long long ll; } value_t;

typedef struct {
    uint32_t field, scope;
    int64_t timestamp_us, latency_us;
    uint32_t type;
    int32_t code;
    value_t value;
} field_t;

/* The throttle counters moved from 251..253 to 269..271 with the drivers of the 580 branch. */
static uint32_t throttle_reason(uint32_t field)
{
    uint32_t first = atoi((const char *)HEADER->driver) >= 580 ? 269 : 251;
    if (field == 74)
        return 0x4;
    if (field == first)
        return 0x20;
    if (field == first + 1)
        return 0x40;
    return field == first + 2 ? 0x80 : 0;
}

static int field_value(const volatile board_t *b, int64_t t, field_t *f)
{
    int module = f->scope == 1;
    int scoped = f->field == 185 || f->field == 186 || f->field == 191;
    double extra = module ? b->module_extra_w : 0;
    int supported = module && scoped ? (int)b->module_scope : f->scope == 0 && (int)b->gpu_scope;
    int code = fault_code(b, 2, f->field, (int32_t)f->scope, t);
    f->type = 3;
    if (code == ANSWER_NOT_AVAILABLE) {
        f->type = f->field == 185 || f->field == 186 ? 1 : 3;
        f->value.ull = f->type == 1 ? 0xffffffffull : 0xffffffffffffffffull;
        return OK;
    }
    if (code == ANSWER_ZERO)
        return OK;
    if (code != OK)
        return code;
    uint32_t reason = throttle_reason(f->field);
    if (reason) {
        f->value.ull = throttled_ns(b, t, reason);
        return OK;
    }
    if (!supported)
        return NOT_SUPPORTED;
    switch (f->field) {
    case 83:
    case 191:
        f->value.ull = counter_mj(b, t, extra);
        return OK;
    case 185:
    case 186:
        f->type = 1;
        f->value.ui = (unsigned int)power_mw(b, t, f->field == 185 ? b->average_window_ns : 0, extra);
        return OK;
    default:
        return NOT_SUPPORTED;
    }
}

EXPORT int nvmlDeviceGetFieldValues(void *device, int count, field_t *fields)
{
    ENTER(FieldValues);
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    for (int i = 0; i < count; i++) {
        fields[i].timestamp_us = (int64_t)wall.tv_sec * 1000000 + wall.tv_nsec / 1000;
        fields[i].latency_us = 1;
        fields[i].value.ull = 0;
        fields[i].code = field_value(b, t, &fields[i]);
    }
    return OK;
}
