/*
 * blink_chunks.c - the size of chunks, and the share of the host
 *
 * Suppose that a chunk costs the time t in addition to its bytes, and that
 * chunks are sent one after the other at the rate r of a link.  The optimal
 * chunk size is then
 *
 *     c = sqrt(t r S_1)
 *
 * where S_1 is the number of bytes of the payload that one link carries.  At
 * this size the costs of all chunks equal the time of the chunk that fills the
 * pipeline.  The paper searches for the size during training, by multiplicative
 * increase and additive decrease; on such a curve that search ends at this
 * minimum.
 *
 * The host runs in parallel with near links such that both finish together.
 * With the rates B of near channels and H of the host, which can start T later,
 * the host gets
 *
 *     S H / (B + H) - T B H / (B + H)
 *
 * of the S bytes, or nothing if that is not positive.  T includes the
 * additional time that a single chunk takes through the host, which delays the
 * last chunk.  T itself is charged by making each step of the host slower,
 * because a pipeline pays the delay on its path once.
 *
 * Sources  the paper [BLINK], from memory; the square root is derived
 */
#include <math.h>

#include "models/stacks/blink_impl.h"

#define MOST_CHUNKS UINT64_C(4096)
#define PS          ((double)SIM_PS_PER_SEC)

/* Returns the square of the optimal chunk size, in square bytes: t r S_1 of the
 * head comment. */
static double squared_optimal_chunk_bytes(const BlinkDraft *draft)
{
    double share = (double)draft->payload_bytes *
                   (double)draft->link_bytes_per_s / (double)draft->bytes_per_s;
    double cost_s = (double)draft->params->chunk_cost_ps / PS;

    return cost_s * (double)draft->link_bytes_per_s * share;
}

static uint64_t sum_of_channel_shares(const BlinkDraft *draft)
{
    uint64_t n = 0;

    for (guint i = 0; i < draft->channels->len; i++)
        n += g_array_index(draft->channels, CollChannel, i).share;
    return n;
}

/* Returns the number of messages into which a chunk is divided: channels
 * without a schedule send one block for each rank. */
static uint64_t n_blocks_per_chunk(const BlinkDraft *draft)
{
    const CollChannel *channel =
        &g_array_index(draft->channels, CollChannel, 0);

    return channel->schedule ? 1 : draft->n;
}

void blink_set_chunk_size(BlinkDraft *draft)
{
    const BlinkParams *params = draft->params;
    uint64_t n_shares = sum_of_channel_shares(draft),
             n_blocks = n_blocks_per_chunk(draft);
    uint64_t bytes = params->chunk_bytes;

    if (bytes == CONFIG_AUTO)
        bytes =
            n_blocks * CLAMP((uint64_t)sqrt(squared_optimal_chunk_bytes(draft)),
                             1, params->max_chunk_bytes);
    draft->n_chunks = (draft->payload_bytes - 1) / bytes + 1;
    draft->n_chunks = ((draft->n_chunks - 1) / n_shares + 1) * n_shares;
    draft->n_chunks = MIN(draft->n_chunks, MOST_CHUNKS / n_shares * n_shares);
    draft->n_chunks = MIN(draft->n_chunks, draft->payload_bytes);
    if (params->chunk_bytes == CONFIG_AUTO)
        bytes = (draft->payload_bytes - 1) / draft->n_chunks + 1;
    draft->chunk_bytes = MIN(bytes, draft->payload_bytes);
    draft->n_chunks = (draft->payload_bytes - 1) / draft->chunk_bytes + 1;
}

/* Returns the additional time of a step over near links due to narrow channels:
 * each step is charged the mean over all hops. */
SimTime blink_narrow_channel_delay_ps(const BlinkDraft *draft)
{
    double wire_bytes = (double)draft->chunk_bytes * 1e6 / draft->ppm;
    double s = draft->mean_narrowing * wire_bytes /
               (double)MAX(draft->link_bytes_per_s, 1);

    return (SimTime)(s * PS);
}

/* Returns how much longer a chunk takes through the host, at @host bytes per
 * second, than over near links. */
static double host_detour_time_s(const BlinkDraft *draft, double host,
                                 const CollSchedule *schedule)
{
    const BlinkParams *params = draft->params;
    double bytes = (double)draft->chunk_bytes;
    double step_s = bytes / host + (double)params->host_step_ps / PS;
    double near_s = bytes / (double)draft->link_bytes_per_s +
                    (double)params->near_step_ps / PS;

    return MAX(0, schedule->n_steps * step_s - draft->n_steps * near_s);
}

void blink_add_host_channel(BlinkDraft *draft)
{
    const BlinkParams *params = draft->params;
    uint64_t n_shares = sum_of_channel_shares(draft), n_hosts, n_near;
    CollSchedule *schedule = blink_host_chain_schedule(draft);
    double near = (double)draft->bytes_per_s;
    double host = (double)blink_host_chain_rate(draft);
    double wait_s = (double)params->peer_access_ps / PS +
                    host_detour_time_s(draft, MAX(host, 1), schedule);
    double bytes =
        host / (near + host) * ((double)draft->payload_bytes - wait_s * near);

    if (bytes < (double)draft->chunk_bytes) {
        coll_schedule_free(schedule);
        return;
    }
    n_hosts = (uint64_t)(bytes / (double)draft->chunk_bytes);
    n_near = draft->n_chunks - n_hosts;
    /* All shares are scaled to a sum of n_shares x n_chunks, of which the host
     * gets n_shares x n_hosts.  Near channels keep their relative shares. */
    for (guint i = 0; i < draft->channels->len; i++)
        g_array_index(draft->channels, CollChannel, i).share *=
            (uint32_t)n_near;
    draft->host_delay_ps =
        (params->peer_access_ps + schedule->n_steps - 1) / schedule->n_steps;
    blink_add_channel(draft, schedule, TOPOLOGY_PLANE(TOPOLOGY_HOST),
                      (uint32_t)(n_hosts * n_shares));
}
