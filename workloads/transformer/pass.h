/*
 * pass.h - operations of a pass on one rank, one after the other
 *
 * A pass is the forward or backward pass of a virtual stage for a micro-batch.
 * The modules of the model add their kernels and collectives to it by these
 * functions.  Each operation waits for the one before it, and the first one of
 * a layer for its launch and for its gathered weights.
 *
 * Names are borrowed and static.
 *
 * Units    tokens, values, FLOP, bytes
 */
#ifndef WORKLOADS_TRANSFORMER_PASS_H
#define WORKLOADS_TRANSFORMER_PASS_H

#include "workloads/segments/segment_builder.h"
#include "workloads/transformer/transformer.h"

typedef struct {
    const Transformer *t;
    SegmentBuilder *b;
    const char *module;   /* in reports; static */
    uint64_t layer;       /* which is added */
    gboolean is_repeated; /* the module was recomputed before */
    uint32_t last;        /* operation, or SEGMENT_NONE */
    /* The first piece of the launch of the operations that are added, or
     * SEGMENT_NONE. */
    uint32_t launch;
    /* The next operation waits for the gathers of the weights of its group;
     * SEGMENT_NONE: for none. */
    uint32_t gathers[2];
    /* The first operation of the group, or SEGMENT_NONE so far. */
    uint32_t first_of_group;
} Pass;

/* ---- single operations --------------------------------------------------- */

/* Makes @op wait for @on, unless that is SEGMENT_NONE. */
void pass_wait_for(Pass *pass, uint32_t op, uint32_t on);
/* Makes @op the last operation, behind the one before it. */
void pass_append_op(Pass *pass, uint32_t op);

/* Add a product of @m x @n results, sums of @k, @count times.  @is_weight: it
 * is the gradient of weights.  The first function uses quantised operands if
 * products are quantised, the second one never. */
void pass_add_product(Pass *pass, const char *name, uint64_t m, uint64_t n,
                      uint64_t k, uint64_t count, gboolean is_weight);
void pass_add_plain_product(Pass *pass, const char *name, uint64_t m,
                            uint64_t n, uint64_t k, uint64_t count,
                            gboolean is_weight);

/* Add a kernel that is bound by memory. */
void pass_add_moving_kernel(Pass *pass, const char *name, uint64_t flop,
                            uint64_t read_bytes, uint64_t written_bytes);
void pass_add_elementwise(Pass *pass, const char *name, uint64_t n_read,
                          uint64_t n_written);
/* Adds the quantisation of @n values, along rows and along columns, if products
 * are quantised. */
void pass_quantise(Pass *pass, uint64_t n);
/* Adds a norm of the tokens of a rank, with the residual before it. */
void pass_add_norm(Pass *pass, gboolean is_backward);

/* Returns whether a backward pass has to calculate a piece of the module again:
 * RECOMPUTE_SCORES to RECOMPUTE_SHARED_EXPERTS. */
gboolean pass_recomputes(const Pass *pass, RecomputeWord piece);
/* Adds the norm before the module again, and if @quantises its quantisation, if
 * norms are recomputed; for passes with gradients of weights. */
void pass_recompute_norm(Pass *pass, gboolean quantises);

/* Returns a collective of @bytes without dependencies. */
uint32_t pass_append_collective_without_wait(Pass *pass, const char *name,
                                             CollKind kind, MeshAxis axis,
                                             uint64_t bytes);
/* Adds a collective of @n_values if @axis has several ranks. */
void pass_add_collective(Pass *pass, const char *name, CollKind kind,
                         MeshAxis axis, uint64_t n_values);

/* Adds the launch of the operations that follow, in pieces, if it
 * takes time. */
void pass_launch_begin(Pass *pass, uint64_t time_ps);
/* Makes the operations since pass_launch_begin() wait for their pieces of the
 * launch: all pieces launch equally many. */
void pass_launch_end(Pass *pass);

/* ---- products that the ranks of tp divide -------------------------------- */

/* Quantises the tokens of a rank between modules. */
void pass_quantise_tokens(Pass *pass);
/* Gathers all tokens, if they are divided. */
void pass_gather_tokens(Pass *pass);
/* Sums the results of a module, and divides them if tokens are divided. */
void pass_sum_tokens(Pass *pass);

/* Adds a gather with the product of @m rows that needs it, and a product with
 * the sum of its results; in pieces, if these run in parallel. */
void pass_gather_with_product(Pass *pass, const char *name, uint64_t m,
                              uint64_t n, uint64_t k);
void pass_add_product_with_sum(Pass *pass, const char *name, uint64_t m,
                               uint64_t n, uint64_t k);

/* Begin a gather, or the sum of the product before it, that later operations do
 * not wait for, and return it. */
uint32_t pass_begin_overlapped_gather(Pass *pass);
uint32_t pass_begin_overlapped_sum(Pass *pass);

#endif
