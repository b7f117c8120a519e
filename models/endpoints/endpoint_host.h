/*
 * endpoint_host.h - the services that a run offers to the endpoint of an NPU
 *
 * The run calls an endpoint through EndpointOps; the endpoint reports
 * completion through its host.  The host is all that an endpoint sees of the
 * run.
 *
 * Units    bytes, ps
 * Owner    the run owns the host and everything that it points to; all outlive
 *          the endpoint
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_HOST_H
#define MODELS_ENDPOINTS_ENDPOINT_HOST_H

#include "models/collectives/collective_message.h"
#include "models/endpoints/admission_consensus.h"
#include "models/npu/hbm_bandwidth.h"
#include "models/npu/kernel_time.h"
#include "models/trace/listener_list.h"
#include "network/transport/network.h"

typedef struct EndpointHost EndpointHost;

typedef struct {
    void (*enter)(EndpointHost *host, Chunk *chunk);
    void (*transmit)(EndpointHost *host, uint32_t message, SimTime ready_ps);
    void (*handled)(EndpointHost *host, uint32_t message, gboolean added);
    void (*has_room)(EndpointHost *host);
} EndpointHostOps;

struct EndpointHost {
    const EndpointHostOps *ops; /* static */
    uint32_t id;                /* id of the NPU, as reported to listeners */
    uint32_t place;             /* index of the NPU among those simulated */
    const NpuConfig *config;
    SimEngine *engine;
    Network *network;
    Hbm *hbm;
    const Watch *watch;
    const GPtrArray *chunks;       /* of Chunk, by slot */
    AdmissionConsensus *consensus; /* borrowed: shared by all NPUs */
    uint64_t *n_entries; /* number of entries decided for all NPUs, by phase */
    /* Chunks enter every phase in the order in which this NPU took them in, and
     * .n_entries is not used: see models/run/admit/multi_program_scheduler.h,
     * and config_limits.c in models/run/prepare. */
    gboolean in_turn;
    /* Borrowed: the notes for EndpointInvariance; NULL: they are not needed. */
    gpointer notes;
};

/* Reports that @chunk enters the phase for which it waits, or has finished the
 * last phase. */
static inline void host_report_chunk_enters_phase(EndpointHost *host,
                                                  Chunk *chunk)
{
    host->ops->enter(host, chunk);
}

/* Reports that @message is ready to leave at @ready_ps. */
static inline void host_report_message_ready(EndpointHost *host,
                                             uint32_t message, SimTime ready_ps)
{
    host->ops->transmit(host, message, ready_ps);
}

/* Reports that @message has been taken in: reduced into local data (@added), or
 * stored. */
static inline void host_report_message_processed(EndpointHost *host,
                                                 uint32_t message,
                                                 gboolean added)
{
    host->ops->handled(host, message, added);
}

/* Reports that room may have become free for the intake of a chunk, see
 * EndpointOps.may_start(). */
static inline void host_report_room_changed(EndpointHost *host)
{
    host->ops->has_room(host);
}

static inline NetMessage *host_get_message(const EndpointHost *host,
                                           uint32_t message)
{
    return network_get_message(host->network, message);
}

static inline Chunk *host_get_chunk(const EndpointHost *host, uint32_t slot)
{
    return g_ptr_array_index(host->chunks, slot);
}

#endif
