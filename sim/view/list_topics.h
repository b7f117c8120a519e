/*
 * list_topics.h - the tables that acesim list and acesim schema show
 *
 * A registry or a table of fields becomes a topic by a line in list_topics.c.
 *
 * Owner    static
 */
#ifndef SIM_VIEW_LIST_TOPICS_H
#define SIM_VIEW_LIST_TOPICS_H

#include "sim/config/config_field.h"

typedef struct {
    const char *name;    /* name for acesim list */
    const char *file;    /* name of a kind of file with this topic */
    const char *summary; /* one line */
    /* Either .registry or .fields is set; a topic with neither lists the
     * algorithms. */
    const ConfigRegistry *registry;
    const ConfigField *fields; /* the table of fields that the topic shows */
    gboolean is_brief;         /* sections are listed as separate topics */
} ListTopic;

extern const ListTopic topics[]; /* ends with a NULL name */

/* Returns the topic of a kind of file by .file, or NULL. */
const ListTopic *topic_find_file(const char *file);

/* Returns the names of files; ends with NULL. The caller owns the array, but
 * not the names. */
const char **topic_files(void);

#endif
