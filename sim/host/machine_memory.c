/* machine_memory.c - the resources of the machine; see machine_memory.h */
#include "sim/host/machine_memory.h"

#include <glib.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t machine_memory_bytes(void)
{
    long n_pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t n_bytes = INT64_MAX;
    struct rlimit limit;

    if (n_pages > 0 && page_bytes > 0)
        n_bytes = (uint64_t)n_pages * (uint64_t)page_bytes;
    if (getrlimit(RLIMIT_AS, &limit) == 0)
        n_bytes = MIN(n_bytes, limit.rlim_cur);
    return MAX(n_bytes, 1);
}
