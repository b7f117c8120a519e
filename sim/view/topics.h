/*
 * topics.h - what can be configured: the tables behind list and schema
 *
 * A registry or a table of fields becomes a topic by a line here.
 *
 * Owner    static
 */
#ifndef SIM_VIEW_TOPICS_H
#define SIM_VIEW_TOPICS_H

#include "sim/config/config_field.h"

typedef struct {
    const char *name;               /* as acesim list calls it */
    const char *file;               /* what a file that holds one is called */
    const char *what;               /* one line */
    const ConfigRegistry *registry; /* or */
    const ConfigField *fields;      /* or neither: the algorithms */
    gboolean is_brief;              /* sections have topics of their own */
} Topic;

extern const Topic topics[]; /* ends with a NULL name */

/* By name or as a file; NULL: there is none. */
const Topic *topic_find(const char *name);
const Topic *topic_find_file(const char *file);

/* Names, or those of files; end with NULL.  Owner: the caller, of the array
 * alone. */
const char **topic_names(void);
const char **topic_files(void);

#endif
