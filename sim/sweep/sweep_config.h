/*
 * sweep_config.h - what a sweep file may hold, as tables
 *
 * Owner    what is read belongs to the document
 */
#ifndef SIM_SWEEP_SWEEP_CONFIG_H
#define SIM_SWEEP_SWEEP_CONFIG_H

#include "sim/config/config_field.h"

typedef struct {
    ConfigList baselines, best, offload; /* of const char * */
} CompareConfig;

typedef struct {
    const ConfigNode *base, *axes, *exclude;
    CompareConfig compare;
} SweepConfig;

/* Fills a SweepConfig. */
extern const ConfigField sweep_fields[];

#endif
