/*
 * sweep_config.h - the keys of a sweep file, as tables
 *
 * Owner    the document owns what is read
 */
#ifndef SIM_SWEEP_SWEEP_CONFIG_H
#define SIM_SWEEP_SWEEP_CONFIG_H

#include "sim/config/config_field.h"

typedef struct {
    ConfigList baselines, best, offload, fastest_over; /* of const char * */
} CompareConfig;

typedef struct {
    const ConfigNode *base, *axes, *exclude;
    CompareConfig compare;
} SweepConfig;

/* The table that fills a SweepConfig. */
extern const ConfigField sweep_fields[];

#endif
