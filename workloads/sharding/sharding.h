/*
 * sharding.h - how weights, gradients and the optimiser's state lie on the
 * data-parallel ranks
 *
 * With P weights of a rank, g bytes of a gradient, w bytes of a weight and D
 * ranks [ZERO]:
 *
 *   replicated   all-reduce of P g bytes; a step on P weights
 *   zero-1       reduce-scatter of P g bytes; a step on P / D weights;
 *                all-gather of P w bytes
 *   zero-2       the reduce-scatter is made for each micro-batch, since a rank
 *                keeps P / D gradients only
 *   fsdp         zero-3: a rank keeps P / D weights, too.  The weights of each
 *                group, such as a layer, are gathered before its forward and
 *                again before its backward pass.  Nothing is gathered after the
 *                step.
 *   hsdp         fsdp within groups of N consecutive data-parallel ranks, and a
 *                copy of the weights in each group: behind each reduce-scatter
 *                within a group, the ranks of all groups that hold the same
 *                part all-reduce its gradients.  D is that of a group.
 *
 * The weights are divided into groups that are used together.  Without
 * `overlap`, replicated and zero-1 reduce all gradients behind the last
 * backward pass, and the next iteration waits for all weights.  With it,
 * consecutive groups form buckets of at least .bucket_weights: a bucket is
 * reduced as soon as the last backward pass has its gradients, and the first
 * forward pass of the next iteration waits for a bucket when it needs it
 * [MEGATRONDDP].  The step waits for all gradients in any case, since it needs
 * their norm.  The others reduce a group when its gradients are there; with
 * `overlap`, later kernels do not wait for that, and fsdp and hsdp gather the
 * weights of .n_prefetched groups ahead [FSDP].
 *
 * Each kind is one file in this folder and one line in the table of
 * sharding.c.
 *
 * Units    bytes, weights
 * Owner    the segment's owner owns what is added
 */
#ifndef WORKLOADS_SHARDING_SHARDING_H
#define WORKLOADS_SHARDING_SHARDING_H

#include "workloads/mesh/mesh.h"
#include "workloads/optimiser.h"
#include "workloads/segments/segment_builder.h"

extern const ConfigRegistry sharding_registry;

/* Values that each rank holds a part of, and whether it communicates beside
 * kernels. */
typedef struct {
    gboolean states, gradients, weights; /* are divided among the ranks */
    gboolean overlaps;
    uint64_t bucket_weights; /* CONFIG_AUTO: 40 million, or a million for each
                                rank if that is more, as in Megatron-LM */
    uint64_t n_prefetched;   /* groups of weights that are gathered ahead */
    gboolean has_groups;     /* values are divided within groups of ranks */
} Sharding;

Sharding sharding_of_variant(const ConfigVariant *shard);

/* Divides the axis dp of @mesh, which was made of @config, as @shard needs it,
 * and makes the mesh again. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sharding_divide_mesh(const ConfigVariant *shard, MeshConfig *config,
                              Mesh *mesh, GError **error);

/* Returns the value of the key `shard` that gives @shard, but @overlaps; the
 * caller owns the text. */
char *sharding_summary_text(const ConfigVariant *shard, gboolean overlaps);

/* Returns what @kind divides, without its parameters. */
Sharding sharding_divided_by(const ConfigKind *kind);

/* Returns whether @kind has default parameters.  A kind that divides the ranks
 * into groups has none for their size. */
gboolean sharding_has_defaults(const ConfigKind *kind);

/* Returns a kind with the parameters that it has by default, but @overlaps. */
ConfigVariant sharding_of_kind(const ConfigKind *kind, gboolean overlaps,
                               const ConfigNode *node);

/* Returns the next kind that divides more than @shard, with the parameters that
 * it has by default.  Its .kind is NULL if there is none. */
ConfigVariant sharding_divide_more(const ConfigVariant *shard);

/* Backward passes, and passes for the gradients of weights. */
#define SHARDING_MAX_BACKWARD 2

/* Weights that are used together. */
typedef struct {
    uint64_t n_weights; /* of a rank */
    uint32_t needed;    /* the first operation of the forward segment that needs
                           them */
    /* By backward segment: the operation behind which the gradients are
     * complete, and reduced if gradients are divided. */
    uint32_t ready[SHARDING_MAX_BACKWARD];
} ShardedGroup;

/* The weights of a virtual stage that the same ranks hold. */
typedef struct {
    const char *part; /* in reports; borrowed, static */
    const char *axes; /* ranks among which the sharding divides the weights,
                         such as "dp+cp" */
    uint32_t n_ranks; /* of these axes */
    const ShardedGroup *groups; /* borrowed; in the order of the forward pass */
    guint n_groups;
    /* The segments that complete the gradients, and their exits. */
    guint n_backward;
    uint32_t backward[SHARDING_MAX_BACKWARD];
    uint32_t backward_exit[SHARDING_MAX_BACKWARD];
    OptimiserStep step; /* .n_weights is set by the sharding */
    int optimiser;
} ShardedWeights;

/* An operation of the update that gathers the weights of group .group and
 * later ones for the next iteration. */
typedef struct {
    guint group;
    uint32_t op;
} ShardedGather;

/* Adds the reductions that are left, the optimiser's step, and the gathers of
 * new weights to the update segment of a pipeline stage.  Appends those that
 * the next forward pass waits for one by one to @ret_gathers, an array of
 * ShardedGather, and makes the step the exit of the segment then. */
void sharding_add_update(const Sharding *sharding, SegmentBuilder *update,
                         const ShardedWeights *weights, GArray *ret_gathers);

#endif
