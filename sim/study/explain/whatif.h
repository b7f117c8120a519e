/*
 * whatif.h - a run again and again, each time with one resource twice as good
 *
 * Twice the bandwidth, size or number; half the latency or the cycles.  Each
 * is what --set with .sets would have done.
 *
 * Owner    the caller owns the array, and that its texts
 */
#ifndef SIM_STUDY_WHATIF_H
#define SIM_STUDY_WHATIF_H

#include "models/observe/critical_path.h"
#include "sim/study/what_ifs.h"

/* All that the configuration of @system has, in the order of tables.  The run
 * need not have been made. */
GArray *whatif_all(const System *system);

/* The fastest iteration first; what cannot be comes last. */
void whatif_sort(GArray *what_ifs);

/* TRUE for what serves communication: the endpoint, the network, chunks. */
gboolean whatif_is_communication(const WhatIf *whatif);

/* "KEY=VALUE" for a value twice as good, or NULL: there is no such key, or it
 * cannot become better.  Owner: the caller. */
char *whatif_better(const SystemConfig *config, const char *key,
                    gboolean halves);

#endif
