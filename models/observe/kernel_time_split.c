/* kernel_time_split.c - divides the time of a kernel by cause: compares its
 * time with the resources it had and with more resources */
#include "models/observe/kernel_time_split.h"

/* Divides the time @ps among the @n rows in proportion to @weights.  The parts
 * sum to @ps exactly. */
static void divide_time_by_weights(SimTime *rows_ps, SimTime ps,
                                   const uint32_t *rows, SimWide *weights,
                                   guint n)
{
    SimWide sum = 0, until = 0;
    SimTime done_ps = 0;
    guint shift = 0;

    for (guint i = 0; i < n; i++)
        sum += weights[i];
    while (sum >> shift >> 62) /* the product must not overflow */
        shift++;
    for (guint i = 0; i < n; i++) {
        SimTime upto_ps;

        until += weights[i];
        upto_ps = until == sum
                      ? ps
                      : (SimTime)(ps * (until >> shift) / (sum >> shift));
        rows_ps[rows[i]] += upto_ps - done_ps;
        done_ps = upto_ps;
    }
}

/* Returns the row of the resource that binds @work at @bytes_per_s. */
static PathRow binding_resource_of_kernel(const NpuConfig *npu,
                                          const OpWork *work,
                                          const TracePiece *piece,
                                          uint64_t bytes_per_s)
{
    OpWork arithmetic = *work, memory = *work;

    if (piece->scale.den == 0)
        return PATH_FIXED;
    arithmetic.cut = memory.cut = compute_tiles_of_work(npu, work);
    arithmetic.bytes = arithmetic.written_bytes = 0;
    memory.flop = 0;
    return kernel_roofline_time_ps(npu, &arithmetic, piece->n_sms,
                                   bytes_per_s) >=
                   kernel_roofline_time_ps(npu, &memory, piece->n_sms,
                                           bytes_per_s)
               ? PATH_FLOP
               : PATH_MEMORY;
}

/* Returns whether a kernel had all the bandwidth that it can use.  Under
 * `shared` it gets no more than that, so its bandwidth does not show how much
 * was available, and it has lost nothing. */
static gboolean kernel_has_all_usable_bandwidth(const NpuConfig *npu,
                                                const OpWork *work,
                                                const TracePiece *piece)
{
    return npu->hbm.policy == HBM_SHARED &&
           piece->bytes_per_s >=
               kernel_demand_bytes_per_s(npu, work, piece->n_sms);
}

void divide_kernel_time_among_rows(const NpuConfig *npu, const OpWork *work,
                                   const TracePiece *piece, SimTime ps,
                                   SimTime *rows_ps)
{
    uint64_t s0 = piece->most_sms, b0 = piece->most_bytes_per_s;
    gboolean satisfied = kernel_has_all_usable_bandwidth(npu, work, piece);
    uint64_t s = piece->n_sms, b = satisfied ? b0 : piece->bytes_per_s;
    SimTime all_ps = kernel_time_ps(npu, work, piece->scale, npu->n_sms,
                                    MAX(hbm_usable_bytes_per_s(&npu->hbm), b0));
    SimTime most_ps = kernel_time_ps(npu, work, piece->scale, s0, b0);
    SimTime no_sms_ps = kernel_time_ps(npu, work, piece->scale, s,
                                       satisfied ? piece->bytes_per_s : b0);
    SimTime no_hbm_ps = kernel_time_ps(npu, work, piece->scale, s0, b);
    SimTime had_ps =
        kernel_time_ps(npu, work, piece->scale, s, piece->bytes_per_s);
    SimTime launch_ps =
        MIN(kernel_launch_time_ps(npu, work, piece->scale), all_ps);
    const uint32_t rows[] = { binding_resource_of_kernel(npu, work, piece, b),
                              PATH_LAUNCH,
                              PATH_SIDE_SLOWDOWN,
                              PATH_LOST_SMS,
                              PATH_LOST_HBM,
                              PATH_PERTURBED };
    SimWide weights[] = {
        2 * (SimWide)(all_ps - launch_ps),
        2 * (SimWide)launch_ps,
        2 * (SimWide)(most_ps - all_ps),
        (SimWide)(no_sms_ps - most_ps) + (had_ps - no_hbm_ps),
        (SimWide)(no_hbm_ps - most_ps) + (had_ps - no_sms_ps),
        piece->total_ps > had_ps ? 2 * (SimWide)(piece->total_ps - had_ps) : 0,
    };

    divide_time_by_weights(rows_ps, ps, rows, weights, G_N_ELEMENTS(rows));
}
