/*
 * list_topic_text.h - lists all kinds and parameters, from the tables that read
 * them
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_LIST_TOPIC_TEXT_H
#define SIM_VIEW_LIST_TOPIC_TEXT_H

#include "sim/config/config_field.h"

/* Returns the text of a topic or of one kind ("ace"), or of all topics if @name
 * is NULL. Lines have at most @width characters.  Returns NULL if there is no
 * such topic or kind. */
char *list_topic_text(const char *name, guint width);

/* Returns the names of topics; ends with NULL. The caller owns the array, but
 * not the names. */
const char **list_topic_names(void);

/* Returns the names of topics and kinds; ends with NULL. The caller owns the
 * array, but not the names. */
const char **list_topic_words(void);

/* Returns the topic or kind with the most similar name, or NULL. */
const char *list_nearest_topic(const char *name);

typedef void (*ListFieldVisit)(const ConfigField *field, const char *key,
                               gpointer data);

/* Calls @visit for each of @fields with its key after @prefix, and unless
 * @is_brief, for the fields of its section or of the sections of its list.  An
 * item of a list has the key N.  Kinds have separate topics, so that a registry
 * whose kinds contain the registry does not recurse. */
void list_visit_fields(const ConfigField *fields, const char *prefix,
                       gboolean is_brief, ListFieldVisit visit, gpointer data);

/* Returns the allowed values of a parameter, such as "1 KiB to 1 TiB" or "lifo,
 * fifo", or the names of its kinds; "" if there is no restriction. */
char *list_range_text(const ConfigField *field);

#endif
