/* library_calls.c - the time that threads of a host take to call a library */
#include "sim/study/collectives/library_calls.h"

#include "models/stacks/rank_locality.h"

#define MAX_ISSUE_PS   UINT64_C(1000000000000)
#define MAX_PER_THREAD 1024

/* The largest machine with one host: HGX-2 with 16 GPUs.  Larger domains of
 * near links, such as racks, have several hosts. */
#define MAX_OF_HOST 16

const ConfigField library_calls_fields[] = {
    { .key = "gpus_per_thread",
      .help = "NPUs for which a thread calls the library one after the other, "
              "`-g` of nccl-tests; auto: all of a platform that is one "
              "machine of at most 16, otherwise 1",
      .type = CONFIG_COUNT,
      .offset = offsetof(LibraryCalls, n_per_thread),
      .min = 1,
      .max = MAX_PER_THREAD,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "NCCLTESTS" },
    { .key = "issue_time",
      .help = "of the call for one NPU",
      .type = CONFIG_TIME,
      .offset = offsetof(LibraryCalls, issue_ps),
      .max = MAX_ISSUE_PS,
      .fallback = "4.35 us",
      .source = "fitted: a quarter of the 17.4 us that a thread of nccl-tests "
                "needs for 4 x L40S [NCCLSMALL]" },
    { .key = "wait",
      .help = "the thread waits for each collective before it calls again",
      .type = CONFIG_BOOL,
      .offset = offsetof(LibraryCalls, waits),
      .fallback = "false",
      .source = "NCCLTESTS: calls are queued" },
    CONFIG_END,
};

static gboolean is_one_machine(const Topology *topology)
{
    uint32_t npus[MAX_OF_HOST], servers[MAX_OF_HOST];
    uint32_t n = topology_n_npus(topology);

    if (n > MAX_OF_HOST)
        return FALSE;
    for (uint32_t i = 0; i < n; i++)
        npus[i] = i;
    return rank_locality_find_servers(topology, npus, n, servers) == 1;
}

SimTime library_calls_time_ps(const LibraryCalls *calls, const System *system)
{
    const Topology *topology = system_topology(system);
    uint64_t n = calls->n_per_thread;

    if (!stack_chooses_recipes(&system_config(system)->stack))
        return 0;
    if (n == CONFIG_AUTO)
        n = is_one_machine(topology) ? topology_n_npus(topology) : 1;
    return MIN(n, topology_n_npus(topology)) * calls->issue_ps;
}

SimTime library_calls_add(const LibraryCalls *calls, SimTime calls_ps,
                          SimTime npu_ps)
{
    return calls->waits ? sim_time_add(calls_ps, npu_ps)
                        : MAX(calls_ps, npu_ps);
}
