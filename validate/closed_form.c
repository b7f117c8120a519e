/* closed_form.c - expected results of simple runs in closed form */
#include "validate/closed_form.h"

#define PS_PER_S 1e12

double closed_transfer_ps(double bytes, double bytes_per_s)
{
    return bytes * PS_PER_S / bytes_per_s;
}

/* ---- closed forms of network times --------------------------------------- */

/* There are n - 1 steps of reduce-scatter and n - 1 of all-gather.  In each
 * step, every rank sends one block of S / n, and first needs the block of the
 * step before:
 *
 *     2 (n - 1) (S / n / B + L) */
double closed_ring_all_reduce_ps(uint32_t n, uint64_t payload_bytes,
                                 double bytes_per_s, double latency_ps)
{
    double step_ps =
        closed_transfer_ps((double)payload_bytes / n, bytes_per_s) + latency_ps;

    return 2.0 * (n - 1) * step_ps;
}

double closed_steps_ps(uint32_t n_steps, double message_bytes,
                       double bytes_per_s, double latency_ps)
{
    return n_steps *
           (closed_transfer_ps(message_bytes, bytes_per_s) + latency_ps);
}

/* The first chunk passes 2 (n - 1) links.  The other chunks follow it and are
 * limited by the rate of one link. */
double closed_chain_all_reduce_ps(uint32_t n, uint64_t payload_bytes,
                                  uint64_t chunk_bytes, double bytes_per_s,
                                  double latency_ps)
{
    double first_ps = closed_steps_ps(2 * (n - 1), (double)chunk_bytes,
                                      bytes_per_s, latency_ps);

    return first_ps + closed_transfer_ps((double)(payload_bytes - chunk_bytes),
                                         bytes_per_s);
}

/* The path is a pipeline of h stages through which m / p packets pass. Each
 * stage delays the first packet once, and the slowest stage limits all the
 * others: sum_i (p / B_i + L_i) + (m - p) / min_i B_i. */
double closed_message_ps(const ClosedHop *hops, guint n_hops,
                         uint64_t message_bytes, uint64_t packet_bytes)
{
    double head_ps = 0, slowest = hops[0].bytes_per_s;

    for (guint i = 0; i < n_hops; i++) {
        head_ps +=
            closed_transfer_ps((double)packet_bytes, hops[i].bytes_per_s) +
            hops[i].latency_ps;
        slowest = MIN(slowest, hops[i].bytes_per_s);
    }
    return head_ps +
           closed_transfer_ps((double)(message_bytes - packet_bytes), slowest);
}

/* Every link carries one block, which takes S / n / B + L. */
double closed_all_to_all_pairs_ps(uint32_t n, uint64_t payload_bytes,
                                  double bytes_per_s, double latency_ps)
{
    return closed_transfer_ps((double)payload_bytes / n, bytes_per_s) +
           latency_ps;
}

/* A block to the rank that is d further on passes d links, so every link
 * carries 1 + 2 + ... + (n - 1) blocks of S / n.  The last one arrives L later:
 *
 *     n (n - 1) / 2 x S / n / B + L */
double closed_all_to_all_ring_ps(uint32_t n, uint64_t payload_bytes,
                                 double bytes_per_s, double latency_ps)
{
    double n_blocks = 0.5 * n * (n - 1);

    return n_blocks *
               closed_transfer_ps((double)payload_bytes / n, bytes_per_s) +
           latency_ps;
}

/* Returns the mean of the shorter distance to all ranks of a ring, including
 * the rank itself: k / 4 for even k, (k^2 - 1) / (4 k) for odd k. */
static double mean_hops_between_ring_ranks(uint32_t size)
{
    double k = size;

    return size % 2 == 0 ? k / 4 : (k * k - 1) / (4 * k);
}

/* On average, a byte crosses mean_hops_between_ring_ranks(k_d) links of
 * dimension d:
 *
 *     max_d S x mean_hops_between_ring_ranks(k_d) / B_d */
double closed_all_to_all_torus_ps(const ClosedDim *dims, guint n_dims,
                                  uint64_t payload_bytes)
{
    double longest_ps = 0;

    for (guint d = 0; d < n_dims; d++) {
        double bytes =
            (double)payload_bytes * mean_hops_between_ring_ranks(dims[d].size);

        longest_ps =
            MAX(longest_ps, closed_transfer_ps(bytes, dims[d].bytes_per_s));
    }
    return longest_ps;
}

/* Returns the bytes sent in dimension d per payload byte.  Local reduce-scatter
 * and all-gather send (L - 1) / L each; the all-reduces between packages work
 * on 1 / L of the payload. */
static double sent_bytes_per_payload_byte_in_dim(const ClosedDim dims[3],
                                                 guint d)
{
    double k = dims[d].size;

    return 2 * (k - 1) / k / (d == 0 ? 1.0 : dims[0].size);
}

double closed_sent_bytes_per_payload_byte(const ClosedDim dims[3])
{
    return sent_bytes_per_payload_byte_in_dim(dims, 0) +
           sent_bytes_per_payload_byte_in_dim(dims, 1) +
           sent_bytes_per_payload_byte_in_dim(dims, 2);
}

/* Returns the sent bytes divided by the time of the busiest dimension: sent /
 * max_d (sent in d / B_d). */
double closed_network_cap_bytes_per_s(const ClosedDim dims[3])
{
    double slowest = 0;

    for (guint d = 0; d < 3; d++)
        slowest = MAX(slowest, sent_bytes_per_payload_byte_in_dim(dims, d) /
                                   dims[d].bytes_per_s);
    return closed_sent_bytes_per_payload_byte(dims) / slowest;
}

/* ---- closed forms of kernels and endpoint rates -------------------------- */

/* Returns the roofline time: max(flop / (peak x SMs / all SMs), bytes /
 * min(HBM, SMs x SM bandwidth)). */
double closed_kernel_ps(const ClosedShare *share, double flop, double bytes)
{
    double flop_per_s = share->flop_per_s * share->n_sms / share->n_sms_all;
    double bytes_per_s =
        MIN(share->bytes_per_s, share->n_sms * share->sm_bytes_per_s);

    return MAX(flop * PS_PER_S / flop_per_s,
               closed_transfer_ps(bytes, bytes_per_s));
}

/* A reduce-scatter step reads two bytes per byte sent, and an all-gather step
 * reads one.  There are equally many of both, so the mean is 1.5. */
double closed_baseline_bytes_per_s(double share_bytes_per_s, uint32_t n_sms,
                                   double sm_bytes_per_s)
{
    return MIN(share_bytes_per_s, n_sms * sm_bytes_per_s) / 1.5;
}

double closed_ace_bytes_per_s(double share_bytes_per_s, double sent_per_payload)
{
    return share_bytes_per_s * sent_per_payload;
}
