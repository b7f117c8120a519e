/*
 * memory_limits.c - limits the memory of this process; see memory_limits.h
 *
 * GLib ends the process when an allocation fails.  After a large allocation
 * enough memory is left to log an error, which the log handler receives.  After
 * many small allocations GLib cannot even log the error and recurses until the
 * stack overflows.  So the handler of SIGSEGV, on a separate stack, tests
 * whether memory is left.
 */
#include "sim/host/memory_limits.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/host/signal_stack.h"

/* The allocator requests at least an eighth of this from the system at a time,
 * so after a failed allocation less than this is free. */
#define PROBE_BYTES (1024 * 1024)

static void exit_if_out_of_memory(int number)
{
    void *probe = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (probe == MAP_FAILED)
        _exit(MEMORY_STATUS);
    signal(number, SIG_DFL);
    raise(number); /* the signal takes effect when this handler returns */
}

static void exit_on_allocation_error(const char *domain, GLogLevelFlags level,
                                     const char *message, gpointer self)
{
    (void)self;
    if (!message || strstr(message, "failed to allocate"))
        _exit(MEMORY_STATUS);
    g_log_default_handler(domain, level, message, NULL);
}

static void report_out_of_memory_and_exit(void)
{
    static const char text[] = "out of memory\n";

    output_discard_temporaries();
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(MEMORY_REPORTED_STATUS);
}

static void report_crash_out_of_memory(int number)
{
    void *probe = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (probe == MAP_FAILED)
        report_out_of_memory_and_exit();
    signal(number, SIG_DFL);
    raise(number);
}

static void report_allocation_error(const char *domain, GLogLevelFlags level,
                                    const char *message, gpointer self)
{
    (void)self;
    if (!message || strstr(message, "failed to allocate"))
        report_out_of_memory_and_exit();
    g_log_default_handler(domain, level, message, NULL);
}

static void install_out_of_memory_handler(void (*on_signal)(int number))
{
    struct sigaction old,
        action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
    const stack_t stack = { .ss_sp = g_malloc(SIGNAL_STACK_BYTES),
                            .ss_size = SIGNAL_STACK_BYTES };

    /* A sanitizer's handler reports more than this one, so it stays. */
    if (sigaction(SIGSEGV, NULL, &old) != 0 ||
        (old.sa_handler != SIG_DFL &&
         old.sa_handler != report_crash_out_of_memory) ||
        sigaltstack(&stack, NULL) != 0) {
        g_free(stack.ss_sp);
        return;
    }
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
}

/* Sets @n_pages to the first @n numbers of /proc/self/statm: the total and the
 * resident pages of this process. 0 if unknown. */
static void read_memory_page_counts(guint64 *n_pages, guint n)
{
    char text[128];
    char *p = text;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n_bytes = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    text[MAX(n_bytes, 0)] = '\0';
    for (guint i = 0; i < n; i++)
        n_pages[i] = g_ascii_strtoull(p, &p, 10);
    if (fd >= 0)
        close(fd);
}

static guint64 used_address_space_bytes(void)
{
    guint64 n_pages[1];

    read_memory_page_counts(n_pages, G_N_ELEMENTS(n_pages));
    return n_pages[0] * (guint64)sysconf(_SC_PAGESIZE);
}

guint64 memory_resident_bytes(void)
{
    guint64 n_pages[2];

    read_memory_page_counts(n_pages, G_N_ELEMENTS(n_pages));
    return n_pages[1] * (guint64)sysconf(_SC_PAGESIZE);
}

/* Also catches allocations that are not made by GLib; see
 * sim/core/cache_lines.h. */
static void install_allocation_failure_handler(GLogFunc on_message)
{
    static const char *const domains[] = { "GLib", G_LOG_DOMAIN };

    for (guint i = 0; i < G_N_ELEMENTS(domains); i++)
        g_log_set_handler(domains[i],
                          (GLogLevelFlags)((guint)G_LOG_LEVEL_ERROR |
                                           (guint)G_LOG_FLAG_FATAL |
                                           (guint)G_LOG_FLAG_RECURSION),
                          on_message, NULL);
}

/* glibc does not merge freed blocks of up to 128 bytes at once but in passes,
 * after which it searches for each small block.  Reading YAML frees millions of
 * such blocks between others that stay: a program of 160,000 operations is read
 * in 1.24 s without these passes and in 2.6 s with them.  Blocks that are
 * requested and freed in turn are cached apart and cost the same. */
void memory_tune_allocator(void)
{
    mallopt(M_MXFAST, 0);
}

void memory_report_exhaustion(void)
{
    install_out_of_memory_handler(report_crash_out_of_memory);
    install_allocation_failure_handler(report_allocation_error);
}

void memory_limit_address_space(guint64 n_bytes)
{
    guint64 used = used_address_space_bytes();
    struct rlimit limit;

    install_out_of_memory_handler(exit_if_out_of_memory);
    install_allocation_failure_handler(exit_on_allocation_error);
    if (getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    limit.rlim_cur = MIN(limit.rlim_max, used + MIN(n_bytes, G_MAXINT64));
    (void)setrlimit(RLIMIT_AS, &limit);
}
