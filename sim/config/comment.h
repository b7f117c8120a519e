/*
 * comment.h - what the comments of a YAML file say of its lines
 *
 * A value's comment stands beside it, or in whole lines right above it.  The
 * lines of comment that a file begins with are of the file and no value's.
 *
 * Owner    texts are the caller's
 */
#ifndef SIM_CONFIG_COMMENT_H
#define SIM_CONFIG_COMMENT_H

#include <glib.h>

/* The comment that belongs to @line (from 1) of @text, or NULL. */
char *comment_of_line(const char *text, guint line);

/* The one that @text begins with, or NULL. */
char *comment_of_file(const char *text);

#endif
