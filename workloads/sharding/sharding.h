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
 * The functions add operations to segments or to a graph: shard_builder.h.
 *
 * Units    bytes, weights
 * Owner    the owner of the segment or graph owns what is added
 */
#ifndef WORKLOADS_SHARDING_SHARDING_H
#define WORKLOADS_SHARDING_SHARDING_H

#include "workloads/mesh/mesh.h"
#include "workloads/optimiser.h"
#include "workloads/rank_memory.h"
#include "workloads/sharding/shard_builder.h"

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

/* Ranks among which weights are divided, and those that hold the same part. */
typedef struct {
    const char *axes; /* static, such as "cp+dp" */
    uint32_t n_ranks;
    const char *copy_axes; /* NULL: no other rank holds the same part */
    uint32_t n_copies;
} ShardRanks;

/* ---- passes -------------------------------------------------------------- */

/* Adds the gather of the weights of @group, of @bytes together, for a pass of
 * its layer.  @ends, of uint32_t, are the last operations of the groups of the
 * pass so far; the gather waits for one of them, if there are more than are
 * gathered ahead.  Returns SHARD_NO_OP if there is one rank only. */
uint32_t sharding_add_group_gather(const Sharding *sharding,
                                   const ShardBuilder *builder,
                                   const ShardRanks *ranks, guint group,
                                   uint64_t bytes, const GArray *ends);

/* Adds the reduction of the gradients of @group, of @n_weights, behind
 * operation
 * @after: among the ranks that hold parts, and then among those that hold the
 * same part.  Returns what completes them, which is @after for one rank. */
uint32_t sharding_add_group_reduction(const ShardBuilder *builder,
                                      const ShardRanks *ranks, guint group,
                                      uint64_t n_weights,
                                      uint64_t gradient_bytes, uint32_t after);

/* ---- the update ---------------------------------------------------------- */

/* Backward passes, and passes for the gradients of weights. */
#define SHARDING_MAX_BACKWARD 2

/* Weights that are used together. */
typedef struct {
    uint64_t n_weights; /* of a rank */
    /* By backward pass: the operation behind which the gradients are complete,
     * and reduced if gradients are divided. */
    uint32_t ready[SHARDING_MAX_BACKWARD];
} ShardedGroup;

/* Weights that the same ranks hold. */
typedef struct {
    ShardRanks ranks;           /* copies get their gradients in the passes */
    const ShardedGroup *groups; /* borrowed; in the order of the forward pass */
    guint n_groups;
    guint n_backward;                              /* backward passes */
    uint32_t backward_exit[SHARDING_MAX_BACKWARD]; /* their last operations */
    OptimiserStep step; /* .n_weights is set by the sharding */
    int optimiser;
} ShardedWeights;

/* An operation of the update that gathers the weights of group .group and
 * later ones for the next iteration. */
typedef struct {
    guint group;
    uint32_t op;
} ShardedGather;

typedef struct {
    uint32_t step; /* last operation of the optimiser's step */
    uint32_t end;  /* the next iteration begins behind it */
} ShardedUpdate;

/* Adds the reductions that are left, the optimiser's step, and the gathers of
 * new weights.  Appends the gathers that the next forward pass waits for one by
 * one to @ret_gathers, an array of ShardedGather; .end is the step then. */
ShardedUpdate sharding_add_update(const Sharding *sharding,
                                  const ShardBuilder *builder,
                                  const ShardedWeights *weights,
                                  GArray *ret_gathers);

/* ---- memory -------------------------------------------------------------- */

/* Adds what each of @n_ranks ranks keeps of @n_weights weights. */
void sharding_add_memory(const Sharding *sharding, const WeightBytes *of_weight,
                         uint64_t n_weights, uint32_t n_ranks,
                         RankMemory *memory);

/* Returns the bytes of the groups that are whole at a time, of which group i
 * has
 * @n_weights[i]: weights that are gathered for the group in work and for those
 * ahead, and gradients of a group that are not divided yet. */
uint64_t sharding_whole_group_bytes(const Sharding *sharding,
                                    const WeightBytes *of_weight,
                                    const uint64_t *n_weights, guint n_groups);

#endif
