/* closed_form_cases.c - the table of closed-form cases; closed_form_run.c runs
 * them */
#include "validate/closed_form_cases.h"

#include "validate/closed_form.h"

#define PS_US    1e-6
#define GB_PER_S 1e9

#define PAYLOAD_BYTES (UINT64_C(64) << 20)
#define A2A_BYTES     (UINT64_C(1) << 20)

/* ---- YAML parts of the run files of closed-form cases -------------------- */

#define IDEAL "{kind: ideal, name: ideal, message_cycles: 0}"
#define ROOMY_ACE                                                                         \
    "{kind: ace, name: ace, launch_time: 0 ns, memory_bandwidth: 64 GB/s, sram: 64 MiB, " \
    "fsms: 64, chunks_per_fsm: 64}"

#define COLLECTIVE(kind, expect_payload_bytes)                                 \
    "{kind: collective, name: " kind ", collective: " kind                     \
    ", payload: " expect_payload_bytes "}"
#define ALL_REDUCE COLLECTIVE("all-reduce", "64 MiB")
#define ALL_TO_ALL COLLECTIVE("all-to-all", "1 MiB")
/* One linear layer has two compute passes: forward, and its weight gradient. */
#define LAYER(batch)                                                           \
    "{kind: data-parallel, name: layer, batch: " batch                         \
    ", layers: [{kind: linear, name: l, in: 4096, out: 4096}]}"

/* The setting WHOLE makes each chunk one message. The setting CUT makes many
 * chunks, messages and packets. */
#define WHOLE "{chunk: 64 MiB, message: 64 MiB, packet: 256 B}"
#define CUT   "{chunk: 64 KiB, message: 8 KiB, packet: 256 B}"

#define RING(n, rest)                                                          \
    "{kind: torus, dims: [{size: " #n ", direction: one, " rest "}]}"
#define SLOW_LINK "bandwidth: 25 GB/s, latency: 500 ns"
#define PAIRS(n)  "{kind: fully-connected, npus: " #n ", " SLOW_LINK "}"
/* A message is one packet.  Each hop has 64 parallel links, so no message waits
 * for another. */
#define ONE_PACKET "{chunk: 64 MiB, message: 64 MiB, packet: 64 MiB}"
#define WIDE_HOP(bandwidth, latency)                                           \
    "{size: 2, direction: one, links: 64, bandwidth: " bandwidth               \
    ", latency: " latency "}"
#define TORUS(l, v, h)                                                         \
    "{kind: torus, dims: [{size: " #l                                          \
    ", links: 2, bandwidth: 200 GB/s, latency: 100 ns}, {size: " #v            \
    ", links: 2, bandwidth: 25 GB/s, latency: 400 ns}, {size: " #h             \
    ", links: 2, bandwidth: 25 GB/s, latency: 400 ns}]}"

/* ---- functions that return the expected result of a case ----------------- */

static double expect_ring_all_reduce_ps(const ClosedCase *self)
{
    return PS_US * closed_ring_all_reduce_ps(self->n, PAYLOAD_BYTES,
                                             25 * GB_PER_S, 500e3);
}

static double expect_uneven_ring_ps(const ClosedCase *self)
{
    return PS_US *
           closed_ring_all_reduce_ps(self->n, 7000021, 3 * GB_PER_S, 500e3);
}

static double expect_equal_hops_ps(const ClosedCase *self)
{
    ClosedHop hops[7];

    for (guint i = 0; i < G_N_ELEMENTS(hops); i++)
        hops[i] = (ClosedHop){ 25 * GB_PER_S, 500e3 };
    return PS_US * closed_message_ps(hops, self->n, A2A_BYTES / (self->n + 1),
                                     A2A_BYTES / (self->n + 1));
}

static double expect_unequal_hops_ps(const ClosedCase *self)
{
    const ClosedHop hops[] = { { 100 * GB_PER_S, 100e3 },
                               { 20 * GB_PER_S, 300e3 },
                               { 50 * GB_PER_S, 200e3 } };

    return PS_US *
           closed_message_ps(hops, self->n, A2A_BYTES / 8, A2A_BYTES / 8);
}

static double expect_switch_hops_ps(const ClosedCase *self)
{
    const ClosedHop hop = { 25 * GB_PER_S, 500e3 };
    const ClosedHop hops[] = { hop, hop };

    return PS_US * closed_message_ps(hops, self->n, A2A_BYTES / 2, 256);
}

static double expect_full_payload_steps_ps(const ClosedCase *self)
{
    return PS_US * closed_steps_ps(self->n, (double)PAYLOAD_BYTES,
                                   25 * GB_PER_S, 500e3);
}

static double expect_half_payload_steps_ps(const ClosedCase *self)
{
    return PS_US * closed_steps_ps(self->n, (double)PAYLOAD_BYTES / 2,
                                   25 * GB_PER_S, 500e3);
}

/* Returns the time of three steps that send 1, 2 and 4 of the 8 blocks. */
static double expect_doubling_steps_ps(const ClosedCase *self)
{
    double blocks_ps =
        closed_transfer_ps((double)PAYLOAD_BYTES / 8 * self->n, 25 * GB_PER_S);

    return PS_US * (blocks_ps + 3 * 500e3);
}

static double expect_chain_all_reduce_ps(const ClosedCase *self)
{
    return PS_US * closed_chain_all_reduce_ps(self->n, PAYLOAD_BYTES,
                                              UINT64_C(1) << 20, 25 * GB_PER_S,
                                              500e3);
}

static double expect_pairwise_all_to_all_ps(const ClosedCase *self)
{
    return PS_US *
           closed_all_to_all_pairs_ps(self->n, A2A_BYTES, 25 * GB_PER_S, 500e3);
}

static double expect_ring_all_to_all_ps(const ClosedCase *self)
{
    return PS_US *
           closed_all_to_all_ring_ps(self->n, A2A_BYTES, 25 * GB_PER_S, 500e3);
}

static const ClosedDim torus_444[] = { { 4, 400 * GB_PER_S },
                                       { 4, 50 * GB_PER_S },
                                       { 4, 50 * GB_PER_S } };
static const ClosedDim torus_422[] = { { 4, 400 * GB_PER_S },
                                       { 2, 50 * GB_PER_S },
                                       { 2, 50 * GB_PER_S } };

static double expect_torus_all_to_all_ps(const ClosedCase *self)
{
    (void)self;
    return PS_US * closed_all_to_all_torus_ps(torus_444, 3, PAYLOAD_BYTES);
}

static double expect_torus_bandwidth_cap(const ClosedCase *self)
{
    return closed_network_cap_bytes_per_s(self->n == 64 ? torus_444
                                                        : torus_422) /
           GB_PER_S;
}

static double expect_torus_bytes_sent(const ClosedCase *self)
{
    return closed_sent_bytes_per_payload_byte(self->n == 64 ? torus_444
                                                            : torus_422) *
           (double)PAYLOAD_BYTES;
}

static double expect_baseline_bytes_read(const ClosedCase *self)
{
    return 1.5 * expect_torus_bytes_sent(self);
}

static double expect_payload_bytes(const ClosedCase *self)
{
    (void)self;
    return (double)PAYLOAD_BYTES;
}

static double expect_baseline_bound(const ClosedCase *self)
{
    return closed_baseline_bytes_per_s(128 * GB_PER_S, self->n, 64 * GB_PER_S) /
           GB_PER_S;
}

static double expect_ace_bound(const ClosedCase *self)
{
    const ClosedDim *dims = self->n == 64 ? torus_444 : torus_422;

    return closed_ace_bytes_per_s(64 * GB_PER_S,
                                  closed_sent_bytes_per_payload_byte(dims)) /
           GB_PER_S;
}

/* The kernel has the n SMs and the 600 of 1000 GB/s that the baseline leaves.
 * The bytes are the operands and results of LAYER(). */
static double expect_layer_time_ps(const ClosedCase *self, double batch)
{
    const ClosedShare share = { .flop_per_s = 50e12,
                                .n_sms_all = 80,
                                .n_sms = self->n,
                                .sm_bytes_per_s = 64 * GB_PER_S,
                                .bytes_per_s = 600 * GB_PER_S };
    double bytes = 2 * (4096 * batch + 4096 * batch + 4096 * 4096);

    return PS_US * 2 * closed_kernel_ps(&share, 2 * batch * 4096 * 4096, bytes);
}

static double expect_memory_bound_layer_ps(const ClosedCase *self)
{
    return expect_layer_time_ps(self, 1);
}

static double expect_flop_bound_layer_ps(const ClosedCase *self)
{
    return expect_layer_time_ps(self, 1024);
}

/* ---- the table of all closed-form cases ---------------------------------- */

/* A tenth of a picosecond, which doubles may lose by rounding. */
#define EXACT_US                                                               \
    {                                                                          \
        .slack = 1e-7                                                          \
    }
#define WITHIN_PS(ps)                                                          \
    {                                                                          \
        .slack = (ps)*PS_US + 1e-7                                             \
    }
#define FILL_AND_DRAIN "finite: the pipeline fills and drains"

#define RING_CASE(size, suffix, option)                                        \
    {                                                                          \
        .name = "ring-" #size suffix, .n = (size),                             \
        .formula = "2 (n-1) (S/n/B + L)", .topology = RING(size, SLOW_LINK),   \
        .endpoint = IDEAL, .workload = ALL_REDUCE, .collectives = WHOLE,       \
        .argument = (option), .column = "iteration_time_us",                   \
        .expected = expect_ring_all_reduce_ps, .tolerance = EXACT_US           \
    }
#define ON_PAIRS(title, text, number, load, how, function)                     \
    {                                                                          \
        .name = (title), .n = (number), .formula = (text),                     \
        .topology = PAIRS(8), .endpoint = IDEAL, .workload = (load),           \
        .collectives = "{algorithm: " how "}", .column = "iteration_time_us",  \
        .expected = (function), .tolerance = EXACT_US                          \
    }
#define UNCUT "chunk: 64 MiB, message: 64 MiB"
#define LAYER_CASE(title, text, size, sms_taken, sms_left, function, within)   \
    {                                                                          \
        .name = (title), .n = (sms_left), .formula = (text),                   \
        .topology = PAIRS(2), .workload = LAYER(size), .collectives = CUT,     \
        .endpoint = "{kind: baseline, name: baseline, launch_time: 0 ns, "     \
                    "step_time: 0 ns, message_cycles: 0, sms: " #sms_taken     \
                    ", memory_bandwidth: 400 GB/s}",                           \
        .column = "compute_time_us", .expected = (function),                   \
        .tolerance = within                                                    \
    }
#define TORUS_CASE(title, text, npus, shape, kind, what, function)             \
    {                                                                          \
        .name = (title), .n = (npus), .formula = (text), .topology = shape,    \
        .endpoint = kind, .workload = ALL_REDUCE, .collectives = CUT,          \
        .column = (what), .expected = (function), .tolerance = {               \
            0                                                                  \
        }                                                                      \
    }
#define BOUND_CASE(title, text, size, shape, kind, function, percent)          \
    {                                                                          \
        .name = (title), .n = (size), .formula = (text), .topology = shape,    \
        .endpoint = kind, .workload = ALL_REDUCE, .collectives = CUT,          \
        .column = "net_bw_gb_per_s", .expected = (function),                   \
        .tolerance = { .below_percent = (percent) }, .why = FILL_AND_DRAIN     \
    }
#define SIXTEEN    TORUS(4, 2, 2)
#define SIXTY_FOUR TORUS(4, 4, 4)
#define BASELINE(sms)                                                          \
    "{kind: baseline, name: baseline, launch_time: 0 ns, step_time: 0 ns, "    \
    "message_cycles: 0, memory_bandwidth: 128 GB/s, sms: " #sms "}"

const ClosedCase closed_cases[] = {
    RING_CASE(16, "", NULL),
    RING_CASE(64, "", NULL),
    RING_CASE(256, "", NULL),
    RING_CASE(16, "-unfolded", "--fold=off"),
    { .name = "ring-7-uneven",
      .n = 7,
      .formula = "2 (n-1) (S/n/B + L)",
      .topology = RING(7, "bandwidth: 3 GB/s, latency: 500 ns"),
      .endpoint = IDEAL,
      .workload = COLLECTIVE("all-reduce", "7000021 B"),
      .collectives = WHOLE,
      .column = "iteration_time_us",
      .expected = expect_uneven_ring_ps,
      .tolerance = WITHIN_PS(12),
      .why = "12 steps, each rounded up to a ps" },
    { .name = "message-7-hops",
      .n = 7,
      .formula = "h (m/B + L)",
      .topology = RING(8, "links: 64, " SLOW_LINK),
      .endpoint = IDEAL,
      .workload = ALL_TO_ALL,
      .collectives = ONE_PACKET,
      .column = "iteration_time_us",
      .expected = expect_equal_hops_ps,
      .tolerance = EXACT_US },
    { .name = "message-3-unequal-hops",
      .n = 3,
      .formula = "sum (m/Bi + Li)",
      .topology =
          "{kind: torus, dims: [" WIDE_HOP("100 GB/s", "100 ns") ", " WIDE_HOP(
              "20 GB/s", "300 ns") ", " WIDE_HOP("50 GB/s", "200 ns") "]}",
      .endpoint = IDEAL,
      .workload = ALL_TO_ALL,
      .collectives = ONE_PACKET,
      .column = "iteration_time_us",
      .expected = expect_unequal_hops_ps,
      .tolerance = EXACT_US },
    { .name = "message-over-switch",
      .n = 2,
      .formula = "2 (p/B + L) + (m-p)/B",
      .topology = "{kind: switch, npus: 2, " SLOW_LINK "}",
      .endpoint = IDEAL,
      .workload = ALL_TO_ALL,
      .collectives = WHOLE,
      .column = "iteration_time_us",
      .expected = expect_switch_hops_ps,
      .tolerance = EXACT_US },
    { .name = "all-to-all-pairs",
      .n = 8,
      .formula = "S/n/B + L",
      .topology = PAIRS(8),
      .endpoint = IDEAL,
      .workload = ALL_TO_ALL,
      .collectives = WHOLE,
      .column = "iteration_time_us",
      .expected = expect_pairwise_all_to_all_ps,
      .tolerance = EXACT_US },
    { .name = "all-to-all-ring",
      .n = 8,
      .formula = "n (n-1)/2 S/n/B + L",
      .topology = RING(8, SLOW_LINK),
      .endpoint = IDEAL,
      .workload = ALL_TO_ALL,
      .collectives = WHOLE,
      .column = "iteration_time_us",
      .expected = expect_ring_all_to_all_ps,
      .tolerance = EXACT_US },
    { .name = "all-to-all-torus",
      .n = 64,
      .formula = "max S hops_d/B_d",
      .topology = SIXTY_FOUR,
      .endpoint = IDEAL,
      .workload = COLLECTIVE("all-to-all", "64 MiB"),
      .collectives = CUT,
      .column = "iteration_time_us",
      .expected = expect_torus_all_to_all_ps,
      .tolerance = { .above_percent = 0.5 },
      .why = FILL_AND_DRAIN },

    ON_PAIRS("recursive-doubling", "log2 n (S/B + L)", 3, ALL_REDUCE,
             "recursive-doubling, " UNCUT, expect_full_payload_steps_ps),
    ON_PAIRS("binomial-tree-all-reduce", "2 log2 n (S/B + L)", 6, ALL_REDUCE,
             "binomial-tree, " UNCUT, expect_full_payload_steps_ps),
    ON_PAIRS("chain-all-reduce", "2 (n-1) (c/B + L) + (S-c)/B", 8, ALL_REDUCE,
             "chain, chunk: 1 MiB, message: 1 MiB, window: 64",
             expect_chain_all_reduce_ps),
    ON_PAIRS("bruck-all-to-all", "log2 n (S/2/B + L)", 3,
             COLLECTIVE("all-to-all", "64 MiB"), "bruck, " UNCUT,
             expect_half_payload_steps_ps),
    ON_PAIRS("bruck-all-gather", "(n-1)/n S/B + log2 n L", 7,
             COLLECTIVE("all-gather", "64 MiB"), "bruck, " UNCUT,
             expect_doubling_steps_ps),

    LAYER_CASE("layer-hbm-bound", "2 bytes/(HBM - share)", "1", 6, 74,
               expect_memory_bound_layer_ps, EXACT_US),
    LAYER_CASE("layer-sm-bandwidth-bound", "2 bytes/(SMs x SM rate)", "1", 72,
               8, expect_memory_bound_layer_ps, EXACT_US),
    LAYER_CASE("layer-flop-bound", "2 flop/(peak x SMs/all)", "1024", 40, 40,
               expect_flop_bound_layer_ps, WITHIN_PS(2)),

    TORUS_CASE("sent-4x2x2", "2.0 S", 16, SIXTEEN, IDEAL, "net_sent_bytes",
               expect_torus_bytes_sent),
    TORUS_CASE("sent-4x4x4", "2.25 S", 64, SIXTY_FOUR, IDEAL, "net_sent_bytes",
               expect_torus_bytes_sent),
    TORUS_CASE("baseline-reads-4x2x2", "1.5 x 2.0 S", 16, SIXTEEN, BASELINE(4),
               "hbm_comm_read_bytes", expect_baseline_bytes_read),
    TORUS_CASE("baseline-reads-4x4x4", "1.5 x 2.25 S", 64, SIXTY_FOUR,
               BASELINE(4), "hbm_comm_read_bytes", expect_baseline_bytes_read),
    TORUS_CASE("baseline-writes-4x4x4", "2.25 S", 64, SIXTY_FOUR, BASELINE(4),
               "hbm_comm_write_bytes", expect_torus_bytes_sent),
    TORUS_CASE("ace-reads-4x4x4", "S", 64, SIXTY_FOUR, ROOMY_ACE,
               "hbm_comm_read_bytes", expect_payload_bytes),
    TORUS_CASE("ace-writes-4x4x4", "S", 64, SIXTY_FOUR, ROOMY_ACE,
               "hbm_comm_write_bytes", expect_payload_bytes),

    BOUND_CASE("ideal-bound-4x2x2", "cap", 16, SIXTEEN, IDEAL,
               expect_torus_bandwidth_cap, 1.2),
    /* Each chunk needs 7.7 us to pass, which is 1.5 % of the 503 us. */
    BOUND_CASE("ideal-bound-4x4x4", "cap", 64, SIXTY_FOUR, IDEAL,
               expect_torus_bandwidth_cap, 1.5),
    BOUND_CASE("baseline-share-bound", "share/1.5", 4, SIXTY_FOUR, BASELINE(4),
               expect_baseline_bound, 0.5),
    BOUND_CASE("baseline-sm-bound", "SMs x SM rate/1.5", 1, SIXTY_FOUR,
               BASELINE(1), expect_baseline_bound, 0.5),
    BOUND_CASE("ace-bound-4x2x2", "2.0 share", 16, SIXTEEN, ROOMY_ACE,
               expect_ace_bound, 1.0),
    BOUND_CASE("ace-bound-4x4x4", "2.25 share", 64, SIXTY_FOUR, ROOMY_ACE,
               expect_ace_bound, 1.0),
};

const guint closed_n_cases = G_N_ELEMENTS(closed_cases);
