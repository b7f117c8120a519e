/*
 * list.h - what can be plugged in, and every parameter, out of the tables
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_LIST_H
#define SIM_VIEW_LIST_H

#include "sim/config/config_field.h"

/* The text of a topic, or of one kind ("ace"), or of all with NULL; @width is
 * how wide it may be.  NULL: there is no such topic or kind. */
char *list_text(const char *name, guint width);

/* The names of topics and kinds; end with NULL.  Owner: the caller, of the
 * array alone. */
const char **list_words(void);

/* The topic or kind nearest to @name, or NULL. */
const char *list_nearest(const char *name);

/* What a parameter may be: "1 KiB to 1 TiB", "lifo, fifo", ""; the names of
 * its kinds. */
char *list_range(const ConfigField *field);

#endif
