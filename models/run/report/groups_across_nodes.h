/*
 * groups_across_nodes.h - warns of tensor parallelism over the borders of nodes
 *
 * Collectives of tensor parallelism lie between the kernels of every layer and
 * are rarely hidden.  If a group of tp has ranks in m nodes, n in each, then
 * for a payload of P bytes each NPU sends at least
 *
 *     all-gather, reduce-scatter   P (m - 1) / (m n)
 *     all-reduce                   twice that
 *
 * through the network between nodes, whichever algorithm is used: every node
 * needs the parts of the others once.  Divided by the rate at which a node can
 * send, this is a lower bound of the time.
 *
 * Owner    the caller owns the text
 */
#ifndef MODELS_RUN_REPORT_GROUPS_ACROSS_NODES_H
#define MODELS_RUN_REPORT_GROUPS_ACROSS_NODES_H

#include "models/run/system.h"

/* Returns the warning for @system, whose iteration takes @iteration_ps; 0: the
 * system has not run.  Returns NULL if no group of tp crosses a border, or if
 * the platform has no nodes. */
char *node_borders_warning(const System *system, SimTime iteration_ps);

#endif
