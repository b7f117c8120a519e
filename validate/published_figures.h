/*
 * published_figures.h - published figures of the paper next to simulated ones
 *
 * The figures of the paper are in published.csv, with the certainty of each.
 * This module pairs them with simulated figures by their key.
 *
 * Errors   CSV_ERROR, VALIDATE_ERROR_RESULT
 * Owner    the caller owns what is
 * returned */
#ifndef VALIDATE_PUBLISHED_FIGURES_H
#define VALIDATE_PUBLISHED_FIGURES_H

#include "validate/acesim_process.h"

/* A simulated figure that is compared with published ones. */
typedef struct {
    char *key;     /* The struct owns the key of published.csv. */
    char *setting; /* The struct owns this memory. */
    /* The simulated value; 0 if there is none, and .note then contains the
     * reason. */
    double value;
    char *note; /* The struct owns this memory. */
} PublishedFigure;

/* Returns an array of PublishedFigure that frees its strings. */
GArray *published_figures_new(void);
/* Appends a figure; @format is the note.  NULL arguments are not allowed. */
void published_figures_add(GArray *figures, const char *key,
                           const char *setting, double value,
                           const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Appends the table of all figures of @published (published.csv), each with the
 * simulated ones of the same key.  Appends the same to @csv as CSV. */
G_GNUC_WARN_UNUSED_RESULT
gboolean published_figures_render(const CsvTable *published,
                                  const GArray *figures, GString *out,
                                  GString *csv, GError **error);

#endif
