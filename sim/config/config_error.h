/*
 * config_error.h - the errors of a configuration, and its size limits
 */
#ifndef SIM_CONFIG_CONFIG_ERROR_H
#define SIM_CONFIG_CONFIG_ERROR_H

#include <glib.h>

#define CONFIG_MAX_DEPTH 64
/* The limit of nodes is the larger of this number and of one node for every
 * CONFIG_BYTES_PER_NODE of text, so that a large file may be large, but aliases
 * and files that are named repeatedly cannot multiply a small text.  The
 * environment variable CONFIG_NODES_VARIABLE overrides it. */
#define CONFIG_MAX_NODES      1000000
#define CONFIG_BYTES_PER_NODE 4
#define CONFIG_NODES_VARIABLE "ACESIM_MAX_NODES"
#define CONFIG_MAX_FILE_BYTES (512 * 1024 * 1024)

#define CONFIG_ERROR config_error_quark()
GQuark config_error_quark(void);

typedef enum {
    /* The file cannot be read, is too large, or includes itself. */
    CONFIG_ERROR_FILE,
    CONFIG_ERROR_SYNTAX, /* not YAML, or a limit is exceeded */
    /* The value has the wrong type, such as a map instead of a number. */
    CONFIG_ERROR_TYPE,
    CONFIG_ERROR_UNIT,          /* a missing or unsuitable unit */
    CONFIG_ERROR_RANGE,         /* a number outside [min, max] */
    CONFIG_ERROR_UNKNOWN_KEY,   /* an unknown key or name, such as a typo */
    CONFIG_ERROR_DUPLICATE_KEY, /* a key that is given twice in one map */
    CONFIG_ERROR_MISSING_KEY,   /* a required key is missing */
    CONFIG_ERROR_CONFLICT,      /* values that exclude each other */
} ConfigErrorCode;

#endif
