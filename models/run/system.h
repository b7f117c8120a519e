/*
 * system.h - a platform with a workload on it, run from start to end
 *
 * Every NPU runs the operations of its role.  NPUs that cannot be told apart
 * are folded: the first of each class stands for all of it, what it sends comes
 * back to its class as what a neighbour sent, and the result is bit for bit
 * that of running them all.  Classes are equally large, so means are, too.
 *
 * At the end of a run conservation is asserted: all that was sent was
 * received, nothing is queued or in flight, every collective is complete.
 *
 * Units    ps, bytes, per NPU and, where the name says so, per iteration
 * Errors   CONFIG_ERROR for what the configuration gets wrong, SYSTEM_ERROR
 *          for a run that stalls; the message names who waits for what
 * Owner    the caller owns the System; it borrows the configuration
 */
#ifndef MODELS_RUN_SYSTEM_H
#define MODELS_RUN_SYSTEM_H

#include "models/collectives/cast.h"
#include "models/collectives/cut.h"
#include "models/endpoints/endpoint.h"
#include "models/npu/compute.h"
#include "models/run/perturb.h"
#include "models/run/result.h"
#include "models/stacks/stack.h"
#include "models/trace/trace.h"
#include "network/transport/network.h"
#include "workloads/workload.h"

#define SYSTEM_ERROR system_error_quark()
GQuark system_error_quark(void);
typedef enum {
    SYSTEM_ERROR_STALLED,
    SYSTEM_ERROR_CANNOT_FOLD,
    SYSTEM_ERROR_TOO_LONG,   /* past the range of time, 53 days */
    SYSTEM_ERROR_TOO_LARGE,  /* for memory, or for what the caller allows */
    SYSTEM_ERROR_WRONG_DATA, /* a collective broke its promise: a bug */
} SystemErrorCode;

typedef enum {
    SCHEDULER_FAIR, /* FIFO, where there is one communicator */
    SCHEDULER_LIFO,
    SCHEDULER_FIFO,
    SCHEDULER_PRIORITY,
} SchedulerKind;

typedef enum {
    FIDELITY_MESSAGE, /* trains of packets, see network.h */
    FIDELITY_PACKET,  /* every packet, see packet.h */
} NetFidelity;

typedef struct {
    uint64_t chunk_bytes, message_bytes, packet_bytes, buffer_bytes;
    uint64_t window;         /* chunks in flight on an NPU */
    int fidelity, scheduler; /* NetFidelity, SchedulerKind */
    gboolean preempt;
    int algorithm, order;   /* index into coll_algorithm_names; CollOrder */
    ConfigList levels;      /* of int: with .algorithm */
    ConfigList choices;     /* of CollChoice: before .algorithm */
    const ConfigNode *node; /* borrowed: the section, for complaints */
} CollectiveConfig;

typedef struct {
    const char *name;
    ConfigVariant topology;
    NpuConfig npu;
    const ConfigNode *npu_node; /* borrowed: the section, for complaints */
} PlatformConfig;

typedef struct { /* a whole run file */
    PlatformConfig platform;
    ConfigVariant endpoint;
    ConfigVariant stack;
    ConfigVariant workload;
    TrainingConfig training;
    CollectiveConfig collectives;
    PerturbConfig perturb;
    /* Borrowed from the document, of text: config_doc_notes(). */
    const GPtrArray *rounded;
} SystemConfig;

extern const ConfigField system_fields[];
extern const ConfigField platform_fields[];
extern const ConfigField collective_fields[];

typedef enum {
    FOLD_AUTO,
    FOLD_OFF,
    FOLD_REQUIRE,
} FoldMode;

typedef struct System System;

G_GNUC_WARN_UNUSED_RESULT
System *system_new(const SystemConfig *config, FoldMode fold, GError **error);
/* What a run will take: at most that much memory, mostly half (an endpoint
 * that admits fewer chunks than the window takes less); and messages, as if
 * each took one link, or packets where those are moved.  Saturated. */
typedef struct {
    uint64_t memory_bytes, n_hops;
} SystemSize;

SystemSize system_size(const System *system);

/* Returns a sentence with the time and memory that a run of very many messages
 * will take, or NULL if the run is short.  Owner: the caller. */
char *system_size_warning(const System *system);

/* system_new() that refuses more than @most, in which 0 means: as much memory
 * as the machine has, which is the most anyway; any number of hops. */
G_GNUC_WARN_UNUSED_RESULT
System *system_new_within(const SystemConfig *config, FoldMode fold,
                          SystemSize most, GError **error);
void system_free(System *system);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(System, system_free)

/* Between that and system_run(), as often as wanted: the last one is told
 * first.  @self has to outlive the run. */
void system_listen(System *system, const TraceOps *ops, gpointer self);

/* Runs to the end.  Once. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_run(System *system, GError **error);

/* How the largest collective is cut, and the window of all; NULL: none is. */
const Cut *system_main_cut(const System *system);
/* Where a finer cut of some collective would take too many messages to
 * simulate: by how much it is estimated to be faster than the cut that was
 * chosen, the most of all collectives.  0: by no more than a choice may cost
 * anyway, see cut.h. */
uint64_t system_cut_error_ppm(const System *system);

uint32_t system_n_simulated(const System *system);
/* Why not fewer are, or NULL: one stands for all. */
const char *system_unfolded_reason(const System *system);
gboolean system_simulates(const System *system, uint32_t npu);
/* The place of @npu, or of who stands for it, among those that are. */
uint32_t system_place(const System *system, uint32_t npu);

SystemResult system_result(const System *system);

const SystemConfig *system_config(const System *system);
const Topology *system_topology(const System *system);
const OpGraph *system_graph(const System *system);
const CollCast *system_cast(const System *system);
/* What is its endpoint's own: the end of its list, see resource.h. */
const ResourceKind *system_own_resources(const System *system);
/* While it is under way. */
const NetMessage *system_message(const System *system, uint32_t message);
/* Borrowed; its host is that of @npu, which is simulated. */
const Endpoint *system_endpoint(const System *system, uint32_t npu);
NetPortStats system_port_stats(const System *system, uint32_t port);
/* Of the unit that NPU 0 is in, see topology_limit(). */
SimTime system_limit_busy_ps(const System *system, uint32_t limit);
/* Of NPU 0, over all iterations. */
SimTime system_layer_compute_ps(const System *system, uint32_t layer,
                                OpPass pass);
SimTime system_layer_wait_ps(const System *system, uint32_t layer, OpPass pass);

#endif
