/*
 * closed_form.h - expected results of simple runs in closed form
 *
 * The functions follow from the definitions and use no code of the models, so
 * that a mistake in the models cannot be repeated here.  The formulas are in
 * closed_form.c.
 *
 * Units    ps, bytes, bytes per second; S is the payload of one rank
 * Range    n >= 2; results are doubles and not rounded: below 2^53 ps they
 *          hold whole picoseconds exactly
 * Assumes  an idle network before the start, block sizes that divide
 * Sources  [NCCLPERF] for what is sent, [ROOFLINE], [ISCA21] for
 * endpoints */
#ifndef VALIDATE_CLOSED_FORM_H
#define VALIDATE_CLOSED_FORM_H

#include <glib.h>
#include <stdint.h>

/* Returns the time to send @bytes at a constant rate. */
double closed_transfer_ps(double bytes, double bytes_per_s);

/* ---- closed forms of network times --------------------------------------- */

/* Returns the time of a ring all-reduce of one chunk on a dedicated one-way
 * ring. */
double closed_ring_all_reduce_ps(uint32_t n, uint64_t payload_bytes,
                                 double bytes_per_s, double latency_ps);

typedef struct {
    double bytes_per_s, latency_ps;
} ClosedHop;

/* Returns the time of one message of several packets over a path of idle
 * links. */
double closed_message_ps(const ClosedHop *hops, guint n_hops,
                         uint64_t message_bytes, uint64_t packet_bytes);

/* Returns the time of consecutive steps, each with one message over an idle,
 * dedicated link. */
double closed_steps_ps(uint32_t n_steps, double message_bytes,
                       double bytes_per_s, double latency_ps);

/* Returns the time of an all-reduce up a chain of n ranks and down again, in
 * chunks that are pipelined. */
double closed_chain_all_reduce_ps(uint32_t n, uint64_t payload_bytes,
                                  uint64_t chunk_bytes, double bytes_per_s,
                                  double latency_ps);

/* Returns the time of an all-to-all in which each pair has a dedicated link. */
double closed_all_to_all_pairs_ps(uint32_t n, uint64_t payload_bytes,
                                  double bytes_per_s, double latency_ps);

/* Returns the time of an all-to-all on a one-way ring whose links are never
 * idle. */
double closed_all_to_all_ring_ps(uint32_t n, uint64_t payload_bytes,
                                 double bytes_per_s, double latency_ps);

typedef struct {
    uint32_t size;
    /* The sum of all outgoing links of one NPU, in both directions. */
    double bytes_per_s;
} ClosedDim;

/* Returns the time of the busiest links of an all-to-all on a torus of two-way
 * rings, which is a lower bound. */
double closed_all_to_all_torus_ps(const ClosedDim *dims, guint n_dims,
                                  uint64_t payload_bytes);

/* Returns the bytes that a rank sends per payload byte in the four-phase
 * all-reduce on dims[0] x dims[1] x dims[2]. */
double closed_sent_bytes_per_payload_byte(const ClosedDim dims[3]);

/* Returns the bytes per second that an NPU can send, as limited by its busiest
 * links. */
double closed_network_cap_bytes_per_s(const ClosedDim dims[3]);

/* ---- closed forms of kernels and endpoint rates -------------------------- */

/* The SMs and bandwidth of the NPU that a kernel can use. */
typedef struct {
    double flop_per_s; /* The arithmetic rate of all SMs together. */
    uint32_t n_sms_all, n_sms;
    double sm_bytes_per_s; /* The bandwidth from one SM to memory. */
    double bytes_per_s;    /* The bandwidth of the HBM. */
} ClosedShare;

/* Returns the roofline time of a kernel. */
double closed_kernel_ps(const ClosedShare *share, double flop, double bytes);

/* Returns the maximum rate at which a baseline with @n_sms SMs sends in an
 * all-reduce. */
double closed_baseline_bytes_per_s(double share_bytes_per_s, uint32_t n_sms,
                                   double sm_bytes_per_s);

/* Returns the maximum rate at which ACE sends: its DMA engine reads each
 * payload byte once. */
double closed_ace_bytes_per_s(double share_bytes_per_s,
                              double sent_per_payload);

#endif
