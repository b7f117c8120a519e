/*
 * assumptions.h - what a sensitivity study varies and how far, as a file says
 *
 *   baselines:                 what the offload is compared with
 *     - {name: A, set: {endpoint: a.yaml, training.overlap: false}}
 *   ranges:                    values that a key is given, one after the other
 *     - {key: a.dims.*.b, values: [x0.5, x2], why: ...}
 *   cases:                     what takes several keys, or further baselines
 *     - name: C
 *       of: baselines          or offload, or all
 *       now: as published
 *       try: {LABEL: {KEY: VALUE}}
 *       add: {LABEL: {KEY: [VALUE, VALUE]}}
 *       without: {LABEL: [A]}  baselines that do not count
 *   skip:                      what is no assumption, whatever its source says
 *     - {key: a.b, of: A, why: ...}
 *
 * A value "x0.5" is that factor of what the configuration has.  `*` in a key
 * is every item of a list.  An `add` of lists is a baseline for each
 * combination of their items, and the best of all counts.
 *
 * Errors   CONFIG_ERROR with positions
 * Owner    the caller owns the Assumptions; what it hands out is borrowed
 */
#ifndef SIM_SENSITIVITY_ASSUMPTIONS_H
#define SIM_SENSITIVITY_ASSUMPTIONS_H

#include "sim/config/config_node.h"

typedef enum {
    SCOPE_ALL,
    SCOPE_BASELINES,
    SCOPE_OFFLOAD,
    SCOPE_ONE, /* of one name; files cannot say it but in `skip` */
} Scope;

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
    const char *name, *now, *why;
    int of;                      /* Scope */
    const ConfigNode *tries;     /* a map of labels and maps */
    const ConfigNode *additions; /* the same, of baselines */
    const ConfigNode *without;   /* labels and lists of baselines' names */
} AssumedCase;

typedef struct {
    const char *key, *of, *why; /* .of is a contender's name, "" any */
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

/* Every key must be one that some configuration can have. */
G_GNUC_WARN_UNUSED_RESULT
Assumptions *assumptions_load(const char *path, GError **error);
void assumptions_free(Assumptions *assumptions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Assumptions, assumptions_free)

/* sensitivity.yaml in the folder of the run file @path, or in the one above;
 * NULL: there is none.  Owner: the caller. */
char *assumptions_find(const char *path);

/* A document that was read, with what a table cannot say checked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean assumptions_check(ConfigDoc *doc, GError **error);

#define ASSUMPTIONS_AT(config, what, Type, i)                                  \
    (&((const Type *)(config)->what.items)[i])

#endif
