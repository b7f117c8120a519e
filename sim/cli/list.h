/*
 * list.h - what can be plugged in, and every parameter, out of the tables
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_CLI_LIST_H
#define SIM_CLI_LIST_H

#include <glib.h>

/* The names of the topics; ends with NULL. */
extern const char *const list_topics[];

/* The text of a topic, or of one kind ("ace"), or of all with NULL; @width is
 * how wide it may be.  NULL: there is no such topic or kind. */
char *list_text(const char *name, guint width);

/* The topic or kind nearest to @name, or NULL. */
const char *list_nearest(const char *name);

#endif
