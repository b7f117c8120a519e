/*
 * config_error.h - what can be wrong with a configuration, and how large one
 * may be
 */
#ifndef SIM_CONFIG_CONFIG_ERROR_H
#define SIM_CONFIG_CONFIG_ERROR_H

#include <glib.h>

#define CONFIG_MAX_DEPTH      64
#define CONFIG_MAX_NODES      1000000 /* unless CONFIG_NODES_VARIABLE says */
#define CONFIG_NODES_VARIABLE "ACESIM_MAX_NODES"
#define CONFIG_MAX_FILE_BYTES (16 * 1024 * 1024)

#define CONFIG_ERROR config_error_quark()
GQuark config_error_quark(void);

typedef enum {
    CONFIG_ERROR_FILE,          /* cannot be read, too large, names itself */
    CONFIG_ERROR_SYNTAX,        /* not YAML, or past one of the limits */
    CONFIG_ERROR_TYPE,          /* a map where a number was due, and so on */
    CONFIG_ERROR_UNIT,          /* no unit, or a unit of something else */
    CONFIG_ERROR_RANGE,         /* a number outside [min, max] */
    CONFIG_ERROR_UNKNOWN_KEY,   /* a key or name that nobody reads: a typo */
    CONFIG_ERROR_DUPLICATE_KEY, /* the same key twice in one map */
    CONFIG_ERROR_MISSING_KEY,   /* a required key is absent */
    CONFIG_ERROR_CONFLICT,      /* values that are fine alone, not together */
} ConfigErrorCode;

#endif
