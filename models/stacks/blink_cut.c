/*
 * blink_cut.c - chunks, and what the host takes of them
 *
 * A chunk that costs the time t beside its bytes, sent one after the other at
 * the rate r of a link, is best of
 *
 *     c = sqrt(t r S_1),   S_1 what one link carries of the payload
 *
 * bytes: then all chunks cost together as much as one takes that fills the
 * pipeline.  The paper looks for it while it trains, by multiplicative increase
 * and additive decrease; what it finds on such a curve is that minimum.
 *
 * The host goes on beside near links so that both end together.  With rates B
 * of near channels and H of the host, which can begin T later, that is when the
 * host has
 *
 *     S H / (B + H) - T B H / (B + H)
 *
 * of S; nothing, if that is less.  To T counts how much longer a chunk alone
 * takes through the host, which is when the last of them comes.  T itself
 * passes by what the host's steps are later: a delay on the way of a pipeline
 * is waited for once.
 *
 * Sources  both as in the paper [BLINK], recalled; the square root derived
 */
#include <math.h>

#include "models/stacks/blink_impl.h"

#define MOST_CHUNKS UINT64_C(4096)
#define PS          ((double)SIM_PS_PER_SEC)

static double square(const BlinkDraft *draft)
{
    double share = (double)draft->payload_bytes *
                   (double)draft->link_bytes_per_s / (double)draft->bytes_per_s;
    double cost_s = (double)draft->params->chunk_cost_ps / PS;

    return cost_s * (double)draft->link_bytes_per_s * share;
}

static uint64_t sum_of_shares(const BlinkDraft *draft)
{
    uint64_t n = 0;

    for (guint i = 0; i < draft->channels->len; i++)
        n += g_array_index(draft->channels, CollChannel, i).share;
    return n;
}

/* Where a channel's messages are blocks of a chunk, the chunk is as many. */
static uint64_t n_blocks_of(const BlinkDraft *draft)
{
    const CollChannel *channel =
        &g_array_index(draft->channels, CollChannel, 0);

    return channel->schedule ? 1 : draft->n;
}

void blink_cut(BlinkDraft *draft)
{
    const BlinkParams *params = draft->params;
    uint64_t n_shares = sum_of_shares(draft), n_blocks = n_blocks_of(draft);
    uint64_t bytes = params->chunk_bytes;

    if (bytes == CONFIG_AUTO)
        bytes = n_blocks * CLAMP((uint64_t)sqrt(square(draft)), 1,
                                 params->most_chunk_bytes);
    draft->n_chunks = (draft->payload_bytes - 1) / bytes + 1;
    draft->n_chunks = ((draft->n_chunks - 1) / n_shares + 1) * n_shares;
    draft->n_chunks = MIN(draft->n_chunks, MOST_CHUNKS / n_shares * n_shares);
    draft->n_chunks = MIN(draft->n_chunks, draft->payload_bytes);
    if (params->chunk_bytes == CONFIG_AUTO)
        bytes = (draft->payload_bytes - 1) / draft->n_chunks + 1;
    draft->chunk_bytes = MIN(bytes, draft->payload_bytes);
    draft->n_chunks = (draft->payload_bytes - 1) / draft->chunk_bytes + 1;
}

SimTime blink_narrow_ps(const BlinkDraft *draft)
{
    double wire_bytes = (double)draft->chunk_bytes * 1e6 / draft->ppm;
    double s =
        draft->narrow * wire_bytes / (double)MAX(draft->link_bytes_per_s, 1);

    return (SimTime)(s * PS);
}

/* How much longer than over near links a chunk takes through the host, at
 * @host bytes a second. */
static double detour_s(const BlinkDraft *draft, double host,
                       const CollSchedule *schedule)
{
    const BlinkParams *params = draft->params;
    double bytes = (double)draft->chunk_bytes;
    double step_s = bytes / host + (double)params->host_step_ps / PS;
    double near_s = bytes / (double)draft->link_bytes_per_s +
                    (double)params->near_step_ps / PS;

    return MAX(0, schedule->n_steps * step_s - draft->n_steps * near_s);
}

void blink_add_host(BlinkDraft *draft)
{
    const BlinkParams *params = draft->params;
    uint64_t n_shares = sum_of_shares(draft), n_hosts, n_near;
    CollSchedule *schedule = blink_host_schedule(draft);
    double near = (double)draft->bytes_per_s;
    double host = (double)blink_host_rate(draft);
    double wait_s = (double)params->peer_access_ps / PS +
                    detour_s(draft, MAX(host, 1), schedule);
    double bytes =
        host / (near + host) * ((double)draft->payload_bytes - wait_s * near);

    if (bytes < (double)draft->chunk_bytes) {
        coll_schedule_free(schedule);
        return;
    }
    n_hosts = (uint64_t)(bytes / (double)draft->chunk_bytes);
    n_near = draft->n_chunks - n_hosts;
    /* Near channels keep theirs among each other: of n_shares x n_chunks the
     * host has n_shares x n_hosts. */
    for (guint i = 0; i < draft->channels->len; i++)
        g_array_index(draft->channels, CollChannel, i).share *=
            (uint32_t)n_near;
    draft->late_ps =
        (params->peer_access_ps + schedule->n_steps - 1) / schedule->n_steps;
    blink_add(draft, schedule, TOPOLOGY_PLANE(TOPOLOGY_HOST),
              (uint32_t)(n_hosts * n_shares));
}
