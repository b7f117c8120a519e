/*
 * published.h - what the paper says, beside what was simulated
 *
 * The paper's figures are data, published.csv, with how sure each is; this
 * pairs them with simulated ones by their key.
 *
 * Errors   CSV_ERROR, VALIDATE_ERROR_RESULT
 * Owner    the caller owns what it gets
 */
#ifndef VALIDATE_PUBLISHED_H
#define VALIDATE_PUBLISHED_H

#include "validate/simulator.h"

/* A simulated figure. */
typedef struct {
    char *key;     /* owned; as in published.csv */
    char *setting; /* owned */
    double value;  /* 0: there is none, .note says why */
    char *note;    /* owned */
} PublishedFigure;

/* An array of PublishedFigure that frees its strings. */
GArray *published_figures_new(void);
/* @format is the note; NULL arguments are not allowed. */
void published_figures_add(GArray *figures, const char *key,
                           const char *setting, double value,
                           const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Appends the table of all figures of @published (published.csv), each beside
 * the simulated ones of its key, and to @csv the same as CSV. */
G_GNUC_WARN_UNUSED_RESULT
gboolean published_render(const CsvTable *published, const GArray *figures,
                          GString *out, GString *csv, GError **error);

#endif
