/*
 * memory.h - bytes that the ranks of a pipeline stage hold
 *
 * Weights      w bytes for each weight of the rank; under fsdp divided by the
 *              number of data-parallel ranks; under hsdp that is, here and
 *              below, the number of those in a group
 * Gradients    g bytes for each; divided likewise under zero-2, hsdp and fsdp
 * Optimiser    4 bytes for each state and master copy, divided by the number of
 *              data-parallel ranks, but under replicated
 *              A stage of dualpipe has the weights of two virtual stages, and
 *              twice as many ranks share the states of each.
 * Activations  of each layer and micro-batch in flight.  With T tokens of a
 *              rank, values of 2 bytes, t = tp, a and k heads of d, h hidden
 * and f inner values, gate factor m (2 or 1), a layer keeps
 *
 *                on each rank of tp    T (8 h + masks)
 *                divided by tp         T (2 (2 a + 2 k) d + 2 (m + 1) f)
 *
 *              where masks of dropout take 2 h.  With `sequence` the first line
 *              is divided, too.  If scores are kept, each head adds 5 s bytes
 * for a token with dropout, else 2 s.  Under `recompute: full` a layer keeps 2
 * T h; modules and pieces of them that are recomputed keep less, see
 * recompute.h.  For GPT, where a d = k d = h and f = 4 h, this is s b h (10 +
 * 24 / t + 5 a s / (h t)) [KORTHIKANTI].
 *
 *              With latent vectors (MLA) of ranks q and c, and r rotary, n
 *              other and u value values of a head, a layer keeps the following
 *              instead of T 2 (2 a + 2 k) d:
 *
 *                on each rank of tp    T 4 (q + c)
 *                divided by tp         T 4 a (n + r + u)
 *
 *              and under `recompute: latent` T 2 (q + c + r) and T 2 a u.  A
 *              window of attention changes neither, because fused attention
 *              keeps no scores.
 *
 * Experts      the tokens that reach the experts of a rank count as tokens of
 *              the feed-forward part, and each of them keeps its copy as input,
 *              2 h bytes, which the products for the weights read again.  With
 *              an uneven load they are those of the fullest rank.
 *
 * Buffers      of the micro-batch in work: the gathered input of a part of a
 *              layer with `sequence`, T 2 h bytes; with pp > 1, the messages to
 *              and from each neighbour, in both directions; on the last virtual
 *              stage the logits of the head, T V / t of 2 bytes and, for the
 *              loss, of 4 (assumed).  Under hsdp and fsdp the gathered
 *              weights of the largest layer, embedding or head, times one more
 *              than are gathered ahead; under these and zero-2 its gradients
 *              before they are divided.
 *
 * Leaves out   the sums of softmax that fused attention keeps, 4 bytes for a
 *              query of a head; fragments, workspaces, buffers of libraries,
 *              what the router weights results with, the embedding's input, and
 *              recomputed values of the layer or module in work
 * Units        bytes
 */
#ifndef WORKLOADS_TRANSFORMER_MEMORY_H
#define WORKLOADS_TRANSFORMER_MEMORY_H

#include "workloads/rank_memory.h"
#include "workloads/schedules/schedule.h"
#include "workloads/transformer/stage_passes.h"

/* Returns the memory of a rank of @stage. @parts are the layers of each virtual
 * stage. */
StageMemory transformer_stage_memory(const Transformer *t,
                                     const Schedule *schedule,
                                     const TransformerPart *parts,
                                     uint32_t stage,
                                     const WeightBytes *of_weight);

/* Appends to @ret, an array of StageMemory, the memory of a rank of @stage
 * during each unit (a forward or backward pass of a micro-batch) that @schedule
 * lists for the stage. */
void transformer_list_unit_memory(const Transformer *t,
                                  const Schedule *schedule,
                                  const TransformerPart *parts, uint32_t stage,
                                  const WeightBytes *of_weight, GArray *ret);

#endif
