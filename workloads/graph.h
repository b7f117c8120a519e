/*
 * graph.h - one training iteration as a graph of operations, by role
 *
 * A loop (loops/) turns a workload into a graph.  A role is a set of NPUs that
 * have the same program.  Every NPU has exactly one role.  In each iteration,
 * it runs the operations whose set of roles contains it.  A new graph has one
 * role, which contains all NPUs.
 *
 * Compute operations belong to a stream.  Each stream runs its operations one
 * at a time, in table order.  The main stream is the training loop; the side
 * stream has work that a loop moved off its critical path.  Collectives run
 * concurrently with both streams, as soon as they are issued.  Stages also run
 * concurrently; each queue (fixed_time_queues.h) runs its stages one at a time,
 * in table order.
 *
 * An operation may have several roles.  A collective or a message names its
 * group: a family of disjoint sets of ranks.  Each set runs a separate
 * instance. Groups are only described here; models/collectives/role_placement.h
 * maps them to the NPUs of a platform.
 *
 * A collective of a collective lane starts when the lane admits it
 * (collective_lane.h).
 *
 * A dependency {op, back} of instance i is satisfied when instance i - back of
 * operation op is done.  Instances before the first count as done.  Instance i
 * of an operation never starts before instance i - 1 of the same operation is
 * done.
 *
 * Table order does not order collectives; only dependencies do.  A collective
 * may be issued before the compute operations that precede it in the table,
 * unless it depends on them.
 *
 * The roles of one operation may have to wait for different operations, so a
 * dependency has the set of the roles that wait.
 *
 * Owner    the graph owns its arrays and names; nodes are borrowed from the
 *          document, which must outlive it
 */
#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H

#include "workloads/measurement_conditions.h"
#include "workloads/op.h"
#include "workloads/rank_memory.h"
#include "workloads/recording_facts.h"
#include "workloads/roles_and_groups.h"

typedef struct {
    GArray *ops; /* of Op */
    /* The distinct works of kernels, owned OpWork by .id.  A training step
     * repeats few kernels, as each micro-batch runs the same layers: what
     * depends on the work alone is computed once for each. */
    GPtrArray *works;
    GHashTable *work_set; /* owned: the same works, which are borrowed */
    GArray *groups;       /* of OpGroup; entry OP_GROUP_ALL is the first */
    GArray *roles;        /* of OpRole, at least one */
    /* Owned: all sets of roles in the graph. */
    RoleSets *role_sets;
    /* a role was added, so .roles no longer has only the initial role */
    gboolean has_own_roles;
    GArray *lanes; /* the elements are OpLane */
    /* The queues of stages (fixed_time_queues.h); the elements are OpQueue. */
    GArray *queues;
    /* The elements are OpJob; empty if the graph has one workload. */
    GArray *jobs;
    OpRecorded recorded;
    /* The units of a pipeline schedule; the elements are OpUnit. */
    GArray *units;
    GPtrArray *layers;  /* names of the layers; the elements are char * */
    GPtrArray *weights; /* the elements are CollWeights, all different */
    /* Total time to which the compute operations of each pass are scaled, if
     * they have the whole NPU: a fit, see the file of the workload.  0: not
     * scaled. */
    uint64_t calibrated_ps[OP_N_PASSES];
    /* Number of weights whose gradients are reduced.  Name of the optimiser
     * whose step is modelled (NULL: none) and the HBM traffic of one step. */
    uint64_t n_weights;
    /* Static: name of the optimiser; NULL: none is modelled. */
    const char *optimiser;
    /* The weights of a language model that a token uses, the tokens of an
     * iteration, and the FLOP of the model for them.  0: another workload. */
    uint64_t n_active_weights, n_tokens;
    double model_flop;
    /* Memory of a rank of each pipeline stage; the elements are StageMemory.
     * Empty: not known. */
    GArray *memory;
    uint64_t optimiser_bytes;
    /* Weights, gradients, optimiser's states and buffers of a rank, if a
     * sharding divides them; else 0. */
    RankMemory sharded_memory;
    /* Sentences for the reader of results about how the graph was built, such
     * as times that were rescaled.  The array owns the texts. */
    GPtrArray *notes;
    MeasuredOn measured_on;
} OpGraph;

OpGraph *op_graph_new(void);
void op_graph_free(OpGraph *graph);
/* Adds a sentence to .notes. */
void op_graph_add_note(OpGraph *graph, const char *format, ...)
    G_GNUC_PRINTF(2, 3);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OpGraph, op_graph_free)

/* Each function returns the index of the added item and asserts that there is
 * room.  Names and ids are copied.  The first added role replaces the initial
 * role of all NPUs; existing operations then belong to the new role. */
uint32_t op_graph_add_group(OpGraph *graph, const OpGroup *group);
uint32_t op_graph_add_role(OpGraph *graph, const OpRole *role);
uint32_t op_graph_add_lane(OpGraph *graph, const OpLane *lane);
/* Gives all operations and dependencies of the first role to all @roles.  Used
 * for roles that differ only in the operations that are added later. */
void op_graph_share_first_role(OpGraph *graph, const RoleSet *roles);

/* The following functions also return the index of the added item.  An added
 * operation belongs to the first role and to the group of all NPUs until a
 * setter changes that. */
uint32_t op_graph_add_layer(OpGraph *graph, const char *name);
/* Adds a copy of @given without dependencies, and returns its index.  .work may
 * be NULL for nothing.  The functions below and in fixed_time_queues.h are more
 * convenient. */
uint32_t op_graph_add(OpGraph *graph, const Op *given);
/* Returns the work of @graph that equals @given, which is added if there is
 * none. */
const OpWork *op_graph_get_work(OpGraph *graph, const OpWork *given);
uint32_t op_graph_add_compute(OpGraph *graph, uint32_t layer, OpPass pass,
                              OpStream stream, const OpWork *work);
/* A barrier always carries 1 byte; @payload_bytes must still be positive. */
uint32_t op_graph_add_collective(OpGraph *graph, uint32_t layer, OpPass pass,
                                 CollKind kind, uint64_t payload_bytes,
                                 uint32_t priority);
/* Adds a message from rank @from to rank @to in each set of @group. */
uint32_t op_graph_add_send(OpGraph *graph, uint32_t layer, OpPass pass,
                           uint32_t group, uint32_t from, uint32_t to,
                           uint64_t payload_bytes, uint32_t priority);
/* Sets the roles, which are a set of .role_sets; must be called before
 * dependencies are added.  A message has roles that send and roles that
 * receive. */
void op_graph_set_roles(OpGraph *graph, uint32_t op, const RoleSet *roles);
void op_graph_set_message_roles(OpGraph *graph, uint32_t op,
                                const RoleSet *senders,
                                const RoleSet *receivers);
void op_graph_set_node(OpGraph *graph, uint32_t op, const ConfigNode *node);
void op_graph_set_group(OpGraph *graph, uint32_t op, uint32_t group);
void op_graph_set_lane(OpGraph *graph, uint32_t op, uint32_t lane);
/* Sets Op.is_star of a message or of a collective that has a root. */
void op_graph_set_star(OpGraph *graph, uint32_t op);
/* Adds the fusion buffers of @lane, in a separate layer. They have the kind,
 * group, root and roles of @like, an operation of the lane. They cover sums
 * from @least_bytes to @most_bytes, which is at most the fusion size of the
 * lane. All calls for one collective lane must follow each other. */
void op_graph_add_buffers(OpGraph *graph, uint32_t lane, uint32_t like,
                          uint64_t least_bytes, uint64_t most_bytes);
/* Adds the fusion buffers for all operations of @lane, if the collective lane
 * fuses. The lane has no buffers yet, and no operation may be added to it
 * afterwards. */
void op_graph_add_fusion_buffers(OpGraph *graph, uint32_t lane);
/* Sets the root, a rank of the group; it must be 0 for kinds without a root.
 * Errors are reported at @node. */
G_GNUC_WARN_UNUSED_RESULT
gboolean op_graph_set_root(OpGraph *graph, uint32_t op, uint64_t root,
                           const ConfigNode *node, GError **error);
/* Makes all roles of @op, or @roles of them, wait for instance -@back of
 * @dependency. With @back >= 1, @dependency may be an index that is added
 * later; op_graph_check() verifies that it exists. */
void op_graph_add_dep(OpGraph *graph, uint32_t op, uint32_t dependency,
                      uint32_t back);
void op_graph_add_dep_for_roles(OpGraph *graph, uint32_t op,
                                uint32_t dependency, uint32_t back,
                                const RoleSet *roles);

static inline const Op *op_graph_op(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->ops, Op, i);
}

static inline const OpGroup *op_graph_group(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->groups, OpGroup, i);
}

static inline const OpLane *op_graph_lane(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->lanes, OpLane, i);
}

static inline const OpRole *op_graph_role(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->roles, OpRole, i);
}

/* Appends the name of @op to @text, such as "all-reduce of fc
 * (weight-gradient)". */
void op_graph_append_op_name(const OpGraph *graph, uint32_t op, GString *text);

/* Asserts the invariants: roles, groups and dependencies exist, each role that
 * waits for an operation also runs it, and dependencies within an iteration
 * point backwards, so no instance can wait for itself. */
void op_graph_check(const OpGraph *graph);

#endif
