/*
 * config_value.h - looks up a value in a configuration by its path, with
 * defaults applied
 *
 * Units    base units, see config.h
 */
#ifndef SIM_STUDY_CONFIG_VALUE_H
#define SIM_STUDY_CONFIG_VALUE_H

#include "models/run/system.h"

/* Sets *@ret to the number at @path ("endpoint.sms",
 * "platform.topology.dims.0.latency").  Returns FALSE if the chosen kinds have
 * no such key, or if it is not a number. */
gboolean config_value_read_at_path(const SystemConfig *config, const char *path,
                                   uint64_t *ret, ConfigType *ret_type);

/* Sets *@ret to the address of the value at @path, and *@ret_field to its
 * field.  Returns FALSE if there is none, if it is an item of a list, or if
 * several maps share it (ConfigKind.interned_size), so that it cannot be
 * changed there. */
gboolean config_value_find_address(const SystemConfig *config, const char *path,
                                   const ConfigField **ret_field,
                                   gconstpointer *ret);

/* Appends to @ret, which frees them, the paths below @path that end with @name
 * and lead to a number, in the order of fields and lists. */
void config_value_list_paths(const SystemConfig *config, const char *path,
                             const char *name, GPtrArray *ret);

#endif
