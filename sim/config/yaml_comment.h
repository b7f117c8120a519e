/*
 * yaml_comment.h - finds the comments of a YAML file that belong to its lines
 *
 * The comment of a value is on the same line, or in whole lines right above it.
 * The comment lines at the beginning of a file belong to the file and to no
 * value.
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_CONFIG_YAML_COMMENT_H
#define SIM_CONFIG_YAML_COMMENT_H

#include <glib.h>

/* Returns the comment that belongs to @line (from 1) of @text, or NULL. */
char *yaml_comment_of_line(const char *text, guint line);

/* Returns the comment at the beginning of @text, or NULL. */
char *yaml_comment_of_file(const char *text);

#endif
