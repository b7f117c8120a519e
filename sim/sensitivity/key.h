/*
 * key.h - keys of a configuration, with `*` for every item of a list
 *
 * Owner    texts belong to the caller
 */
#ifndef SIM_SENSITIVITY_KEY_H
#define SIM_SENSITIVITY_KEY_H

#include "sim/config/config_node.h"

/* TRUE when @key, "a.0.b", is one of those that @pattern, "a.*.b", stands
 * for. */
gboolean key_matches(const char *pattern, const char *key);

/* TRUE when @pattern is @words or stands below it: "a.b" below "a". */
gboolean key_is_below(const char *pattern, const char *words);

/* "a.0.b" as "a.*.b". */
char *key_pattern(const char *key);

/* TRUE when some configuration can have it: every kind is looked through. */
gboolean key_is_known(const char *pattern);

/* FALSE and an error at @where, with the nearest that is known. */
G_GNUC_WARN_UNUSED_RESULT
gboolean key_check(const char *pattern, const ConfigNode *where,
                   GError **error);

#endif
