/*
 * config_key_pattern.h - keys of a configuration, in which `*` matches every
 * item of a list
 *
 * Owner    texts belong to the caller
 */
#ifndef SIM_SENSITIVITY_CONFIG_KEY_PATTERN_H
#define SIM_SENSITIVITY_CONFIG_KEY_PATTERN_H

#include "sim/config/config_node.h"

/* Returns TRUE if @pattern, "a.*.b", matches @key, "a.0.b". */
gboolean config_key_matches(const char *pattern, const char *key);

/* Returns TRUE if @pattern equals @words or lies below: "a.b" below "a". */
gboolean config_key_is_below(const char *pattern, const char *words);

/* Returns the pattern "a.*.b" of the key "a.0.b". */
char *config_key_pattern(const char *key);

/* Returns TRUE if some configuration can have the key; all kinds are
 * searched. */
gboolean config_key_is_known(const char *pattern);

/* Returns FALSE and sets @error at @where, with the nearest known key, if no
 * configuration can have the key. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_key_check(const char *pattern, const ConfigNode *where,
                          GError **error);

#endif
