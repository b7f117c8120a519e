/*
 * graph.h - one training iteration as a graph of operations, by role
 *
 * A loop (loops/) turns a workload into a graph.  A role is a set of NPUs that
 * have the same program; every NPU has one, and runs those operations n times
 * whose mask holds it.  A graph has one role at first, that of all NPUs.
 * Compute operations belong to a stream and run in the order of the table,
 * one at a time per stream; the main stream is the training loop, the side
 * stream is what a loop moved off its critical path.  Collectives run beside
 * both, as soon as they are issued, and so do stages, of each queue (queues.h)
 * one at a time in the order of the table.
 *
 * An operation may have several roles.  A collective or a message names its
 * group: a family of disjoint sets of ranks, of which each makes an instance of
 * its own.  Which NPUs that are is the matter of a
 * platform (models/collectives/cast.h); here they are only described.
 *
 * A collective of a lane begins when that lets it (lane.h).
 *
 * A dependency {op, back} of instance i is met when instance i - back of @op
 * is done; instances before the first are done from the start.  Instance i of
 * an operation never starts before its own instance i - 1 is done.
 * A collective may be issued no earlier than the compute operation before it
 * in the table order has started only if it depends on it: collectives have
 * no order but their dependencies.
 *
 * Several roles may have to wait for different things before they take part in
 * one operation, so a dependency has a mask of roles: others do not wait.
 *
 * Owner    the graph owns its arrays and names; nodes are borrowed from the
 *          document, which must outlive it
 */
#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H

#include "workloads/measured_on.h"
#include "workloads/op.h"
#include "workloads/recorded.h"
#include "workloads/roles.h"

typedef struct {
    GArray *ops;            /* of Op */
    GArray *groups;         /* of OpGroup; the first is OP_GROUP_ALL */
    GArray *roles;          /* of OpRole, at least one */
    gboolean has_own_roles; /* some was added */
    GArray *lanes;          /* of OpLane */
    GArray *queues;         /* of OpQueue: see queues.h */
    GArray *jobs;           /* of OpJob; none: all is one workload */
    OpRecorded recorded;
    GPtrArray *layers;  /* of char *: names */
    GPtrArray *weights; /* of CollWeights, no two alike */
    /* Total that the compute operations of a pass are scaled to, with the
     * whole NPU to themselves: a fit, see the workload's file.  0: none. */
    uint64_t calibrated_ps[OP_N_PASSES];
    /* Weights whose gradients are reduced, and the optimiser whose step on
     * them counts, its HBM traffic in all; NULL: none. */
    uint64_t n_weights;
    const char *optimiser; /* static */
    uint64_t optimiser_bytes;
    /* What a reader of results has to know of how the graph was built, such as
     * times that were rescaled: owned, of owned text, a sentence each. */
    GPtrArray *notes;
    MeasuredOn measured_on;
} OpGraph;

OpGraph *op_graph_new(void);
void op_graph_free(OpGraph *graph);
/* Adds a sentence to .notes. */
void op_graph_note(OpGraph *graph, const char *format, ...) G_GNUC_PRINTF(2, 3);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OpGraph, op_graph_free)

/* Each returns the index of what it adds, and asserts that there is room. Names
 * and ids are copied.  The first role that is added takes the place of that of
 * all NPUs; operations that are there already keep it. */
uint32_t op_graph_add_group(OpGraph *graph, const OpGroup *group);
uint32_t op_graph_add_role(OpGraph *graph, const OpRole *role);
uint32_t op_graph_add_lane(OpGraph *graph, const OpLane *lane);
/* What is of the first role is of all @roles from now on, and waits as that
 * did: roles that differ only in what is added later. */
void op_graph_share_first_role(OpGraph *graph, uint64_t roles);

/* Likewise.  Operations are of the first role, and of all NPUs, until
 * something else is said of them. */
uint32_t op_graph_add_layer(OpGraph *graph, const char *name);
/* @given as it stands, with no dependencies: see those below, and queues.h. */
uint32_t op_graph_add(OpGraph *graph, const Op *given);
uint32_t op_graph_add_compute(OpGraph *graph, uint32_t layer, OpPass pass,
                              OpStream stream, const OpWork *work);
/* What a barrier carries is no matter of @payload_bytes. */
uint32_t op_graph_add_collective(OpGraph *graph, uint32_t layer, OpPass pass,
                                 CollKind kind, uint64_t payload_bytes,
                                 uint32_t priority);
/* A message from rank @from to rank @to of each set of @group. */
uint32_t op_graph_add_send(OpGraph *graph, uint32_t layer, OpPass pass,
                           uint32_t group, uint32_t from, uint32_t to,
                           uint64_t payload_bytes, uint32_t priority);
/* Before its dependencies are added.  A message's are those that send and
 * those that receive. */
void op_graph_set_roles(OpGraph *graph, uint32_t op, uint64_t roles);
void op_graph_set_message_roles(OpGraph *graph, uint32_t op, uint64_t senders,
                                uint64_t receivers);
void op_graph_set_node(OpGraph *graph, uint32_t op, const ConfigNode *node);
void op_graph_set_group(OpGraph *graph, uint32_t op, uint32_t group);
void op_graph_set_lane(OpGraph *graph, uint32_t op, uint32_t lane);
/* Of a collective that has a root, or a message: see Op.is_star. */
void op_graph_set_star(OpGraph *graph, uint32_t op);
/* Buffers of @lane for what is of the kind, group, root and roles of @like, an
 * operation of it: for sums from @least_bytes to @most_bytes, at most what the
 * lane fuses.  They are of a layer of their own.  All of a lane are added one
 * call after the other. */
void op_graph_add_buffers(OpGraph *graph, uint32_t lane, uint32_t like,
                          uint64_t least_bytes, uint64_t most_bytes);
/* That for all that is in @lane, if it fuses anything: it has none yet, and
 * nothing is added to it afterwards. */
void op_graph_fuse(OpGraph *graph, uint32_t lane);
/* Rank @root of the group, 0 of a kind that has none; complaints go to @node.
 */
G_GNUC_WARN_UNUSED_RESULT
gboolean op_graph_set_root(OpGraph *graph, uint32_t op, uint64_t root,
                           const ConfigNode *node, GError **error);
/* Op @op waits for instance -@back of @on, in all its roles, or in @roles of
 * them.  @on may be an index not yet added when @back is 1; op_graph_check()
 * sees to it in the end. */
void op_graph_add_dep(OpGraph *graph, uint32_t op, uint32_t on, uint32_t back);
void op_graph_add_dep_of(OpGraph *graph, uint32_t op, uint32_t on,
                         uint32_t back, uint64_t roles);

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

/* Adds the name of @op to @text, as in "all-reduce of fc (weight-gradient)". */
void op_graph_name(const OpGraph *graph, uint32_t op, GString *text);

/* Asserts what the header promises: roles, groups and dependencies exist,
 * whoever waits for an operation runs it, and dependencies of the same
 * iteration point backwards, so that no instance can wait for itself. */
void op_graph_check(const OpGraph *graph);

#endif
