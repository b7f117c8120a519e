/* cost_model.c - terms of NCCL's cost model, and how NCCL cuts a payload */
#include "models/stacks/nccl/nccl_state_impl.h"

SimTime nccl_latency_ps(const NcclGroup *group, const NcclCostTerms *terms,
                        int protocol)
{
    SimTime sum_ps = sim_time_add(terms->latency_ps,
                                  group->params->protocols[protocol].launch_ps);

    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        sum_ps = sim_time_add(
            sum_ps, terms->n_hops[r] * group->protocols[protocol].step_ps[r]);
    return sum_ps;
}

static SimTime wire_time_of_bytes_ps(const CollProtocol *protocol,
                                     uint64_t bytes, uint64_t bytes_per_s)
{
    SimWide wire =
        (SimWide)bytes * protocol->wire_num / MAX(1, protocol->wire_den);

    return sim_time_from_bytes((uint64_t)wire, bytes_per_s);
}

SimTime nccl_transfer_time_ps(const NcclGroup *group, int protocol,
                              uint64_t bytes, uint64_t bytes_per_s)
{
    return wire_time_of_bytes_ps(&group->protocols[protocol], bytes,
                                 bytes_per_s);
}

uint64_t nccl_piece_bytes(const NcclGroup *group, int protocol,
                          uint64_t payload_bytes)
{
    uint64_t bytes =
        group->n_channels * group->params->protocols[protocol].slice_bytes;

    return MIN(bytes, payload_bytes);
}

/* Returns whether data that a NIC has written must be flushed.  GPUs of Hopper
 * or later need no flush; they are recognised by a switch that adds. */
static gboolean nic_data_needs_flush(const NcclGroup *group)
{
    return group->version < NCCL_NEEDS_NO_FLUSH || group->dims_mask == 0 ||
           !topology_in_switch_adder(group->topology,
                                     (uint32_t)__builtin_ctz(group->dims_mask));
}

/* Sets the time to post a message to a NIC.  A message needs one request for
 * each NIC that it is striped over, and the other requests of the protocol
 * once. */
void nccl_set_message_post_time(const NcclGroup *group, int protocol,
                                uint64_t slice_bytes, CollRecipe *ret)
{
    const NcclParams *params = group->params;
    uint64_t n = params->protocols[protocol].n_posts;
    SimWide wire = (SimWide)slice_bytes * group->protocols[protocol].wire_num /
                   group->protocols[protocol].wire_den;

    if (group->n_nodes < 2 || n == 0)
        return;
    if (protocol == NCCL_SIMPLE && n > 1 && !nic_data_needs_flush(group))
        n--;
    if (slice_bytes > params->stripe_bytes)
        n += params->n_stripes - 1;
    ret->post_ps = n * params->post_ps;
    ret->post_bytes = MAX(1, (uint64_t)wire);
}

#define N_STEPS 8 /* number of steps of a channel's buffer: NCCL_STEPS */

void nccl_set_chunks(uint64_t payload_bytes, uint64_t piece_bytes,
                     CollRecipe *ret)
{
    uint64_t n = (payload_bytes - 1) / MAX(1, piece_bytes) + 1;

    n *= ret->n_channels;
    ret->chunk_bytes = (payload_bytes - 1) / n + 1;
    ret->message_bytes = ret->chunk_bytes;
    ret->window = N_STEPS * (uint64_t)ret->n_channels;
}
