/*
 * resource_what_ifs.h - lists the what-ifs of a run: each makes one resource
 * twice as good
 *
 * Language models have what-ifs of another kind, too: another schedule, smaller
 * micro-batches, or another division among the axes of parallelism.
 *
 * Twice as good means twice the bandwidth, size or number, or half the latency
 * or cycles.  A what-if has the effect of the option --set with its .sets.
 *
 * Owner    the caller owns the array, which owns its texts
 */
#ifndef SIM_STUDY_WHATIF_H
#define SIM_STUDY_WHATIF_H

#include "models/observe/critical_path.h"
#include "sim/study/what_ifs.h"

/* Returns an array (of WhatIf) of all what-ifs that apply to the configuration
 * of @system, in the order of tables.  @system need not have run. */
GArray *list_what_ifs(const System *system);

/* Sorts by ascending iteration time; what-ifs that cannot run come last. */
void sort_what_ifs(GArray *what_ifs);

/* Returns TRUE if the resource serves communication: the endpoint, the network
 * or the chunks. */
gboolean what_if_is_communication(const WhatIf *whatif);

/* Returns "KEY=VALUE" with a value twice as good, which the caller owns.
 * @halves says that a smaller value is better.  Returns NULL if there is no
 * such key or its value cannot be improved. */
char *what_if_improved_setting(const SystemConfig *config, const char *key,
                               gboolean halves);

#endif
