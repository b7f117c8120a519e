/*
 * host.h - what a run does for the endpoint of an NPU, and what it knows of it
 *
 * The run tells an endpoint what is to be done (EndpointOps); the endpoint
 * tells its host when it is.  It sees of the run no more than this.
 *
 * Units    bytes, ps
 * Owner    the run owns the host and all that it names; it outlives the
 *          endpoint
 */
#ifndef MODELS_ENDPOINTS_HOST_H
#define MODELS_ENDPOINTS_HOST_H

#include "models/collectives/message.h"
#include "models/endpoints/accord.h"
#include "models/npu/compute.h"
#include "models/npu/hbm.h"
#include "models/trace/watch.h"
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
    uint32_t id;                /* of the NPU: as it is told to who listens */
    uint32_t place;             /* of the NPU among those simulated */
    const NpuConfig *config;
    SimEngine *engine;
    Network *network;
    Hbm *hbm;
    const Watch *watch;
    const GPtrArray *chunks; /* of Chunk, by slot */
    Accord *accord;          /* borrowed: of all NPUs */
    uint64_t *n_entries;     /* by phase: given out at all NPUs: Chunk.entry */
    /* Chunks enter every phase in the order in which this NPU took them in, and
     * no entries are given out: see models/run/admit/turns.h, and limits.c in
     * models/run/prepare. */
    gboolean in_turn;
    gpointer notes; /* of EndpointSlack, borrowed; NULL: nobody will ask */
};

/* The chunk enters the phase it waits for, or is done with the last. */
static inline void host_enter(EndpointHost *host, Chunk *chunk)
{
    host->ops->enter(host, chunk);
}

/* @message is ready to go at @ready_ps. */
static inline void host_transmit(EndpointHost *host, uint32_t message,
                                 SimTime ready_ps)
{
    host->ops->transmit(host, message, ready_ps);
}

/* The endpoint has taken @message in: @added to what was there, or stored. */
static inline void host_handled(EndpointHost *host, uint32_t message,
                                gboolean added)
{
    host->ops->handled(host, message, added);
}

/* EndpointOps.may_start may say another thing from now on. */
static inline void host_has_room(EndpointHost *host)
{
    host->ops->has_room(host);
}

static inline NetMessage *host_message(const EndpointHost *host,
                                       uint32_t message)
{
    return network_message(host->network, message);
}

static inline Chunk *host_chunk(const EndpointHost *host, uint32_t slot)
{
    return g_ptr_array_index(host->chunks, slot);
}

#endif
