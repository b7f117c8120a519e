/*
 * assumptions_file.h - the file that says what a sensitivity study varies, and
 * how far
 *
 *   baselines:                 the endpoints with which the offload is compared
 *     - {name: A, set: {endpoint: a.yaml, training.overlap: false}}
 *   ranges:                    alternative values of a key
 *     - {key: a.dims.*.b, values: [x0.5, x2], why: ...}
 *   cases:                     alternatives of several keys, or more baselines
 *     - name: C
 *       of: baselines            or `offload`, or `all`
 *       now: as published
 *       try: {LABEL: {KEY: VALUE}}
 *       add: {LABEL: {KEY: [VALUE, VALUE]}}
 *       without: {LABEL: [A]}    baselines that are left out
 *   skip:                      keys that are not varied, whatever their source
 *     - {key: a.b, of: A, why: ...}
 *
 * A value "x0.5" is a factor of the present value.  `*` in a key matches every
 * item of a list.  If `add` has lists, each combination of their items is a
 * baseline, and the best of all counts.
 *
 * Errors   CONFIG_ERROR with positions
 * Owner    the caller owns the Assumptions; results are borrowed from them
 */
#ifndef SIM_SENSITIVITY_ASSUMPTIONS_FILE_H
#define SIM_SENSITIVITY_ASSUMPTIONS_FILE_H

#include "sim/config/config_node.h"

typedef enum {
    SCOPE_ALL,
    SCOPE_BASELINES,
    SCOPE_OFFLOAD,
    SCOPE_ONE, /* the endpoint of one name; in files only `skip` can express
                * it */
} AssumptionScope;

typedef struct {
    const char *name;
    const ConfigNode *set; /* a map of keys and values */
} AssumedBaseline;

typedef struct {
    const char *key, *why;
    ConfigList values; /* of const ConfigNode *: scalars */
    const ConfigNode *node;
} AssumedRange;

typedef struct {
    const char *name, *current_setting, *why;
    int scope;                      /* an AssumptionScope */
    const ConfigNode *alternatives; /* a map of labels and maps of keys */
    const ConfigNode *additions;    /* the same for additional baselines */
    const ConfigNode *without;      /* a map of labels and lists of baseline
                                     * names */
} AssumedCase;

typedef struct {
    const char *key, *endpoint, *why; /* .endpoint is the name of an endpoint;
                                       * "any" is all */
} AssumedSkip;

typedef struct {
    ConfigList baselines; /* of AssumedBaseline */
    ConfigList ranges;    /* of AssumedRange */
    ConfigList cases;     /* of AssumedCase */
    ConfigList skips;     /* of AssumedSkip */
} AssumptionsConfig;

typedef struct {
    ConfigDoc *doc; /* owned */
    AssumptionsConfig config;
} Assumptions;

extern const ConfigField assumptions_fields[];

/* Loads the file at @path.  Each key must exist in some configuration. */
G_GNUC_WARN_UNUSED_RESULT
Assumptions *assumptions_load(const char *path, GError **error);
void assumptions_free(Assumptions *assumptions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Assumptions, assumptions_free)

/* Returns the path of sensitivity.yaml in the folder of the run file @path or
 * in the folder above, which the caller owns; NULL if there is none. */
char *assumptions_find_file(const char *path);

/* Reads @doc and checks conditions that tables of fields cannot express. */
G_GNUC_WARN_UNUSED_RESULT
gboolean assumptions_check(ConfigDoc *doc, GError **error);

#define ASSUMPTIONS_AT(config, what, Type, i)                                  \
    (&((const Type *)(config)->what.items)[i])

#endif
