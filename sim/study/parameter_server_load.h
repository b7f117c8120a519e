/*
 * parameter_server_load.h - how many bytes each parameter server holds, and how
 * busy its link is
 *
 * Units    bytes of weights as they are pushed; shares are parts of 1
 * Owner    the caller owns the array; names are borrowed from the system
 */
#ifndef SIM_STUDY_PARAMETER_SERVER_LOAD_H
#define SIM_STUDY_PARAMETER_SERVER_LOAD_H

#include "models/run/system.h"

typedef struct {
    uint32_t npu;
    const char *name;     /* name of the server's role */
    uint64_t bytes;       /* that each worker pushes to the server and pulls
                           * from it */
    double share;         /* share of the bytes of all servers */
    const char *layer;    /* the layer with most bytes here; NULL: the server
                           * holds nothing */
    uint64_t layer_bytes; /* bytes of .layer on this server */
    double link_share;    /* share of the run in which its busiest link is in
                           * use */
} ServerLoad;

/* Returns the loads of all servers after a run that simulates all NPUs; empty
 * if there are no servers. */
GArray *list_server_loads(const System *system);

/* Returns the server whose link is busiest, or among equals the one with most
 * bytes; NULL if there is none. */
const ServerLoad *find_hottest_server(const GArray *loads);

/* Returns the number of workers in the run. */
uint32_t count_workers(const System *system);

#endif
