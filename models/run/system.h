/*
 * system.h - simulates a workload on a platform from start to end
 *
 * Every NPU executes the operations of its role.  Only the first NPU of each
 * equivalence class is simulated (symmetry reduction, or folding).  The
 * messages that it sends to an NPU of some class arrive at the NPU that
 * represents this class, so the result is bit for bit that of simulating all
 * NPUs.  All classes have the same size, so averages are the same, too.
 *
 * At the end of a run conservation is asserted: all bytes that were sent were
 * received, nothing is queued or in flight, and every collective is complete.
 *
 * Units    ps, bytes, per NPU and, where the name says so, per iteration
 * Errors   CONFIG_ERROR for errors of the configuration; SYSTEM_ERROR for a run
 *          that stalls, with a message that names what each NPU waits for
 * Owner    the caller owns the System, which borrows the configuration
 */
#ifndef MODELS_RUN_SYSTEM_H
#define MODELS_RUN_SYSTEM_H

#include "models/collectives/chunking.h"
#include "models/collectives/role_placement.h"
#include "models/endpoints/endpoint.h"
#include "models/npu/kernel_time.h"
#include "models/run/perturbation.h"
#include "models/run/run_options.h"
#include "models/run/run_result.h"
#include "models/stacks/stack.h"
#include "models/trace/trace.h"
#include "network/transport/network.h"
#include "workloads/workload.h"

#define SYSTEM_ERROR system_error_quark()
GQuark system_error_quark(void);
typedef enum {
    SYSTEM_ERROR_STALLED,
    SYSTEM_ERROR_CANNOT_FOLD,
    /* The run passes the range of simulated time, 53 days. */
    SYSTEM_ERROR_TOO_LONG,
    /* The run is too large for the memory, or for the caller's limit. */
    SYSTEM_ERROR_TOO_LARGE,
    /* A collective delivered wrong data, which is a bug. */
    SYSTEM_ERROR_WRONG_DATA,
    /* A callback ended the run on request; see RunWatch in run.h. */
    SYSTEM_ERROR_ENDED,
} SystemErrorCode;

typedef enum {
    /* Fair between communicators; with one communicator the same as FIFO. */
    SCHEDULER_FAIR,
    SCHEDULER_LIFO,
    SCHEDULER_FIFO,
    SCHEDULER_PRIORITY,
} SchedulerKind;

typedef enum {
    FIDELITY_MESSAGE, /* messages as trains of packets, see network.h */
    FIDELITY_PACKET,  /* every packet separately, see packet_network.h */
} NetFidelity;

typedef struct {
    uint64_t chunk_bytes, message_bytes, packet_bytes, buffer_bytes;
    uint64_t window;         /* maximum number of chunks in flight on an NPU */
    int fidelity, scheduler; /* a NetFidelity, and a SchedulerKind */
    gboolean preempt;
    /* Index into coll_algorithm_names; and a CollOrder. */
    int algorithm, order;
    /* Algorithms by level, if .algorithm is hierarchical; the elements are
     * int. */
    ConfigList levels;
    /* Rows that precede .algorithm; the elements are CollChoice. */
    ConfigList choices;
    const ConfigNode *node; /* borrowed: the section, for error messages */
} CollectiveConfig;

typedef struct {
    const char *name;
    ConfigVariant topology;
    NpuConfig npu;
    const ConfigNode *npu_node; /* borrowed: the section, for error messages */
} PlatformConfig;

typedef struct { /* the contents of a run file */
    PlatformConfig platform;
    ConfigVariant endpoint;
    ConfigVariant stack;
    ConfigVariant workload;
    TrainingConfig training;
    CollectiveConfig collectives;
    PerturbConfig perturb;
    /* Borrowed from the document: notes on rounded values, as
     * config_doc_notes() returns them. */
    const GPtrArray *rounded;
} SystemConfig;

extern const ConfigField system_fields[];
extern const ConfigField platform_fields[];
extern const ConfigField collective_fields[];

typedef struct System System;

/* Creates a system.  Returns NULL and sets @error for a configuration that
 * cannot be simulated, or with SYSTEM_ERROR_TOO_LARGE for a run that exceeds
 * the limits of @options. */
G_GNUC_WARN_UNUSED_RESULT
System *system_new(const SystemConfig *config, RunOptions options,
                   GError **error);

/* Returns an estimate of the memory and the messages of the run. */
SystemSize system_estimate_size(const System *system);

/* Returns a sentence with the time and memory that a run of very many messages
 * needs, or NULL if the run is short.  The caller owns the text. */
char *system_size_warning(const System *system);

/* Returns whether system_new() would create a system, or sets @error.  Cuts of
 * collectives are those that the cost model estimates: they are not compared by
 * simulation, which takes much longer than all other checks.  Adds warnings
 * that need no run to @notes, as texts that @notes owns; NULL: none
 * are made. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_buildable(const SystemConfig *config, RunOptions options,
                                GPtrArray *notes, GError **error);
void system_free(System *system);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(System, system_free)

/* Adds a listener, any number of times before system_run().  The last one is
 * called first.  @self must outlive the run. */
void system_add_listener(System *system, const TraceOps *ops, gpointer self);

/* Runs to the end; only once per system.  Returns FALSE and sets @error if the
 * run stalls, or if a listener fails. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_run(System *system, GError **error);

/* Returns the cut of the collective with the largest payload, with the window
 * of all collectives, or NULL if there is no collective. */
const Cut *system_chunking_of_largest_collective(const System *system);
/* Returns by how much, in millionths, a cut that was too expensive to simulate
 * is estimated to be faster than the chosen one, the maximum over all
 * collectives.  Returns 0 if no cut is faster by more than the slack of a
 * choice, see chunking.h. */
uint64_t system_chunking_error_ppm(const System *system);
/* Returns whether `collectives.algorithm` number @algorithm
 * (coll_algorithm_names) can carry out all collectives that the stack leaves to
 * the configuration, and may be faster than the present algorithms by an
 * estimate of each collective alone. */
gboolean system_algorithm_may_be_faster(const System *system, int algorithm);

typedef struct {
    int algorithm; /* index of coll_algorithm_names */
    CollKind kind; /* the collective that was simulated alone */
    uint64_t payload_bytes;
    double time_ratio; /* its time with .algorithm by that with the present
                        * one; less than 1 */
} FasterAlgorithm;

/* Simulates the collective that takes most time, alone: as it is, and with each
 * algorithm that may be faster by system_algorithm_may_be_faster().  Sets *@ret
 * to the fastest.  Returns FALSE if none is at least 2 % faster, or if a
 * simulation would move more than 50,000 messages, or have more than 1,024
 * NPUs. */
gboolean system_find_faster_algorithm(const System *system,
                                      FasterAlgorithm *ret);

uint32_t system_n_simulated_npus(const System *system);
/* Returns why more than one NPU is simulated, or NULL if one represents all. */
const char *system_unfolded_reason(const System *system);
gboolean system_simulates_npu(const System *system, uint32_t npu);
/* Returns the index of the simulated NPU that represents @npu. */
uint32_t system_representative_npu(const System *system, uint32_t npu);

SystemResult system_result(const System *system);

const SystemConfig *system_config(const System *system);
const Topology *system_topology(const System *system);
const OpGraph *system_graph(const System *system);
const CollPlacement *system_placement(const System *system);
/* Returns the resources that only the system's endpoint has: the end of the
 * resource list, see resource_list.h. */
const ResourceKind *system_endpoint_resources(const System *system);
/* Returns the contents of a message in flight. */
const NetMessage *system_get_message_in_flight(const System *system,
                                               uint32_t message);
/* Returns the endpoint that carries out operation @op on the NPU that
 * represents @npu.  The system owns it. */
const Endpoint *system_endpoint(const System *system, uint32_t npu,
                                uint32_t op);
NetPortStats system_port_stats(const System *system, uint32_t port);
/* Returns the busy time of a bandwidth limit in the unit of the topology, such
 * as one machine, that contains NPU 0; see topology_get_limit(). */
SimTime system_limit_busy_ps(const System *system, uint32_t limit);
/* Returns the time that the main stream of NPU 0 spends on a layer, in all
 * iterations. */
SimTime system_layer_compute_ps(const System *system, uint32_t layer,
                                OpPass pass);
/* Returns the time that the main stream of NPU 0 waits before kernels of a
 * layer. */
SimTime system_layer_wait_ps(const System *system, uint32_t layer, OpPass pass);

#endif
