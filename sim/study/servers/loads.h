/*
 * loads.h - what each parameter server holds, and how busy its link is
 *
 * Units    bytes of weights, as they are pushed; shares are parts of 1
 * Owner    the caller owns the array; names are borrowed from the system
 */
#ifndef SIM_STUDY_SERVERS_LOADS_H
#define SIM_STUDY_SERVERS_LOADS_H

#include "models/run/system.h"

typedef struct {
    uint32_t npu;
    const char *name;     /* of its role */
    uint64_t bytes;       /* that each worker pushes to it and pulls */
    double share;         /* of those of all servers */
    const char *layer;    /* of which it holds most; NULL: it holds nothing */
    uint64_t layer_bytes; /* of that */
    double link_share;    /* of the run, of the busiest link of its own */
} ServerLoad;

/* All servers of a run that has ended, which has all NPUs; empty: there are
 * none. */
GArray *server_loads(const System *system);

/* The one whose link is busiest, then which holds most; NULL: there is none. */
const ServerLoad *server_hottest(const GArray *loads);

/* Workers of the run. */
uint32_t server_n_workers(const System *system);

#endif
