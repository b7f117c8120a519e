/*
 * resolved.h - every value that the points of a sweep had, and where from
 *
 * config.csv, a row for each value that a parameter had and each place where
 * it was set:
 *
 *     key       platform.npu.sms
 *     value     80
 *     n_points  that had it from there
 *     place     FILE:LINE, or "default", or "--set"
 *     source    of a default: what its table says; else the comment in the
 *               file, on the same line or above it in the same paragraph
 *
 * A list that is longer than RESOLVED_MAX_ITEMS is a number of items, and so
 * are the layers of a workload.
 *
 * Order    sections as in a run file; in them, as they first appear
 * Owner    nothing of a document or configuration is kept
 */
#ifndef SIM_CLI_RESOLVED_H
#define SIM_CLI_RESOLVED_H

#include "models/system.h"

#define RESOLVED_MAX_ITEMS 6

typedef struct Resolved Resolved;

Resolved *resolved_new(void);
void resolved_free(Resolved *resolved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Resolved, resolved_free)

/* Adds the values of a point, which were read from @doc. */
void resolved_add(Resolved *resolved, ConfigDoc *doc,
                  const SystemConfig *config);

/* The file.  Owner: the caller. */
GString *resolved_csv(const Resolved *resolved);

/* The comment that belongs to @line (from 1) of @text, or NULL.  Owner: the
 * caller. */
char *resolved_comment(const char *text, guint line);

#endif
