/*
 * config_json_schema.h - JSON Schema of the configuration files, from the
 * tables that read them
 *
 * The schema is draft 07, which the YAML language servers of editors support.
 * It has types, patterns for units, ranges, defaults, kinds and help.  It
 * cannot express rules about several keys, nor the range of a quantity with a
 * unit (the help text states it); acesim check checks both.
 *
 * In the schema of a sweep, `base` has no required keys, because axes may set
 * them.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_CONFIG_JSON_SCHEMA_H
#define SIM_VIEW_CONFIG_JSON_SCHEMA_H

#include "sim/view/list_topics.h"

/* Returns the schema of a file of @topic, which must have one. */
GString *make_json_schema(const ListTopic *topic);

#endif
