/*
 * value.h - what a configuration has at a key, defaults and all
 *
 * Units    base units, see config.h
 */
#ifndef SIM_STUDY_VALUE_H
#define SIM_STUDY_VALUE_H

#include "models/run/system.h"

/* The number at @path ("endpoint.sms", "platform.topology.dims.0.latency").
 * FALSE: there is no such key in what was chosen, or it is no number. */
gboolean value_at(const SystemConfig *config, const char *path, uint64_t *ret,
                  ConfigType *ret_type);

/* Where the configuration has what is at @path, and the field that it is of.
 * FALSE: there is nothing, or an item of a list. */
gboolean value_place(const SystemConfig *config, const char *path,
                     const ConfigField **ret_field, gconstpointer *ret);

/* Appends the paths below @path that end in @name and lead to a number, in the
 * order of fields and lists; @ret frees them. */
void value_paths(const SystemConfig *config, const char *path, const char *name,
                 GPtrArray *ret);

#endif
