/*
 * closed_form.h - what the simulator has to give, by pencil
 *
 * Written from the definitions; nothing here knows the models, so that a
 * mistake in them cannot be repeated.  Formulas stand in closed_form.c.
 *
 * Units    ps, bytes, bytes per second; S is the payload of one rank
 * Range    n >= 2; results are doubles and not rounded: below 2^53 ps they
 *          hold whole picoseconds exactly
 * Assumes  an idle network before the start, block sizes that divide
 * Sources  [NCCLPERF] for what is sent, [ROOFLINE], [ISCA21] for endpoints
 */
#ifndef VALIDATE_CLOSED_FORM_H
#define VALIDATE_CLOSED_FORM_H

#include <glib.h>
#include <stdint.h>

double closed_transfer_ps(double bytes, double bytes_per_s);

/* ---- network ---------------------------------------------------------- */

/* Ring all-reduce of one chunk on a ring of its own, one way. */
double closed_ring_all_reduce_ps(uint32_t n, uint64_t payload_bytes,
                                 double bytes_per_s, double latency_ps);

typedef struct {
    double bytes_per_s, latency_ps;
} ClosedHop;

/* One message cut into packets, over idle links. */
double closed_message_ps(const ClosedHop *hops, guint n_hops,
                         uint64_t message_bytes, uint64_t packet_bytes);

/* Steps one after the other, of a message each over an idle link of its own. */
double closed_steps_ps(uint32_t n_steps, double message_bytes,
                       double bytes_per_s, double latency_ps);

/* Up a chain of n ranks and down again in chunks that follow each other. */
double closed_chain_all_reduce_ps(uint32_t n, uint64_t payload_bytes,
                                  uint64_t chunk_bytes, double bytes_per_s,
                                  double latency_ps);

/* All-to-all where each pair has a link of its own. */
double closed_all_to_all_pairs_ps(uint32_t n, uint64_t payload_bytes,
                                  double bytes_per_s, double latency_ps);

/* All-to-all on a one-way ring whose links never wait. */
double closed_all_to_all_ring_ps(uint32_t n, uint64_t payload_bytes,
                                 double bytes_per_s, double latency_ps);

typedef struct {
    uint32_t size;
    double bytes_per_s; /* out of one NPU, all links of both directions */
} ClosedDim;

/* All-to-all on a torus of two-way rings: the least that its busiest links
 * need. */
double closed_all_to_all_torus_ps(const ClosedDim *dims, guint n_dims,
                                  uint64_t payload_bytes);

/* Bytes that a rank sends per payload byte in the four-phase all-reduce on
 * dims[0] x dims[1] x dims[2]. */
double closed_sent_per_payload(const ClosedDim dims[3]);

/* Bytes per second that its busiest links let an NPU send. */
double closed_network_cap_bytes_per_s(const ClosedDim dims[3]);

/* ---- compute and endpoints -------------------------------------------- */

/* What of the NPU a kernel has. */
typedef struct {
    double flop_per_s; /* of all SMs, reached */
    uint32_t n_sms_all, n_sms;
    double sm_bytes_per_s; /* of one SM to memory */
    double bytes_per_s;    /* of HBM */
} ClosedShare;

double closed_kernel_ps(const ClosedShare *share, double flop, double bytes);

/* The most that a baseline of @n_sms SMs sends in an all-reduce. */
double closed_baseline_bytes_per_s(double share_bytes_per_s, uint32_t n_sms,
                                   double sm_bytes_per_s);

/* The most that ACE sends: its DMA reads a payload byte once. */
double closed_ace_bytes_per_s(double share_bytes_per_s,
                              double sent_per_payload);

#endif
