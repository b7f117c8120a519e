/*
 * paper_claims.h - reads the claims of a paper and the queries for simulated
 * figures
 *
 * A file of claims (configs/papers/PAPER/claims.yaml) lists the studies of one
 * paper, each a command of acesim that writes a CSV, and the claims of the
 * paper. Each claim has the published figure with its certainty, and a query in
 * SQL over the tables of the studies, which returns the simulated figure.
 *
 * Errors   CONFIG_ERROR with file:line:column
 * Owner    the caller owns the PaperClaims, which own everything they
 * return */
#ifndef VALIDATE_PAPERS_PAPER_CLAIMS_H
#define VALIDATE_PAPERS_PAPER_CLAIMS_H

#include "sim/config/config.h"

/* How certain the published figure is. */
typedef enum {
    /* The figure was read in the abstract or in a public file. */
    PAPER_CERTAIN,
    /* The figure is recalled, and independent arithmetic agrees with it. */
    PAPER_CONSISTENT,
    PAPER_RECALLED, /* The figure is believed right, but not checked. */
    PAPER_N_CERTAINTIES,
} PaperCertainty;
extern const char *const paper_certainty_names[PAPER_N_CERTAINTIES + 1];

typedef struct {
    /* The name of the study, which is also that of its table in queries. */
    const char *name;
    /* The words after `acesim`, or `rows FILE` for a CSV file of published
     * rows. */
    const char *command;
    const ConfigNode *node;
} PaperStudy;

/* A named query that later views and figures may use. */
typedef struct {
    const char *name, *query;
    const ConfigNode *node;
} PaperView;

typedef struct {
    const char *claim;
    int certainty;     /* The certainty is a PaperCertainty. */
    const char *where; /* The place in the paper; empty if it is not known. */
    /* The figure as published, such as "1.41", "5 to 17", or words. */
    const char *published;
    /* The unit of both figures; empty for a factor or a count. */
    const char *unit;
    /* The study whose command the page shows with the claim. */
    const char *study;
    /* The SQL query returns one row with the value, or with value, least and
     * most. */
    const char *figure;
    uint64_t digits;    /* The number of decimals of the simulated figure. */
    const char *reason; /* The reason why the figures differ. */
    const ConfigNode *node;
} PaperClaim;

/* A table of simulated figures with a plot: one panel for each value of the
 * first column, one line for each series.  @query yields the panel, the
 * position in the panel, the series, the value, its least and its most. */
typedef struct {
    const char *name, *title, *query;
    const char *quantity; /* The name and the unit of the values. */
    const char *reason;   /* The text below the heading of the table. */
    gboolean has_order;   /* TRUE if series are listed from the largest. */
    uint64_t digits;      /* The number of decimals of the values. */
    const ConfigNode *node;
} PaperGrid;

typedef struct {
    const char *name, *title, *question;
    ConfigList studies; /* The list contains each PaperStudy. */
    ConfigList views;   /* The list contains each PaperView. */
    ConfigList grids;   /* The list contains each PaperGrid. */
    ConfigList claims;  /* The list contains each PaperClaim. */
    ConfigDoc *doc;     /* The struct owns this memory. */
} PaperClaims;

/* Reads @path and checks that the names of studies are unique and that claims
 * name existing ones.  Returns NULL and sets @error otherwise. */
G_GNUC_WARN_UNUSED_RESULT
PaperClaims *paper_claims_load(const char *path, GError **error);
void paper_claims_free(PaperClaims *claims);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PaperClaims, paper_claims_free)

/* Parses a published figure: one number such as "1.41", or two such as "5 to
 * 17".  Returns FALSE if it is text. */
gboolean paper_published_range(const char *published, double *least,
                               double *most);

#endif
