/*
 * claims.h - what a paper claims, and how acesim is asked for the same figure
 *
 * A file of claims (configs/papers/PAPER/claims.yaml) lists the studies of one
 * paper, each a command of acesim that writes a CSV, and the paper's claims.
 * Each claim has the published figure with its certainty, and a query in SQL
 * over the tables of the studies that yields the simulated figure.
 *
 * Errors   CONFIG_ERROR with file:line:column
 * Owner    the caller owns the PaperClaims, which own everything they hand out
 */
#ifndef VALIDATE_PAPERS_CLAIMS_H
#define VALIDATE_PAPERS_CLAIMS_H

#include "sim/config/config.h"

/* How sure the published figure is. */
typedef enum {
    PAPER_CERTAIN,  /* read in the abstract or in a public file */
    PAPER_CLOSES,   /* recalled, and independent arithmetic agrees with it */
    PAPER_RECALLED, /* believed right, and not checked */
    PAPER_N_CERTAINTIES,
} PaperCertainty;
extern const char *const paper_certainty_names[PAPER_N_CERTAINTIES + 1];

typedef struct {
    const char *name; /* of its table in queries */
    /* The words after `acesim`; or `rows FILE`, a CSV of published rows. */
    const char *command;
    const ConfigNode *node;
} PaperStudy;

/* A query with a name, by which later views and figures may ask it. */
typedef struct {
    const char *name, *query;
    const ConfigNode *node;
} PaperView;

typedef struct {
    const char *claim;
    int certainty;         /* PaperCertainty */
    const char *where;     /* in the paper; empty: not known */
    const char *published; /* as published: "1.41", "5 to 17", or words */
    const char *unit;      /* of both figures; empty: a factor or a count */
    const char *study;     /* whose command the page shows beside the claim */
    const char *figure;    /* SQL: one row of value, or value, least, most */
    uint64_t digits;       /* of the simulated figure behind the point */
    const char *reason;    /* of the difference */
    const ConfigNode *node;
} PaperClaim;

typedef struct {
    const char *name, *title, *question;
    ConfigList studies; /* PaperStudy */
    ConfigList views;   /* PaperView */
    ConfigList claims;  /* PaperClaim */
    ConfigDoc *doc;     /* owned */
} PaperClaims;

/* Reads @path and checks that names of studies are unique and known. */
G_GNUC_WARN_UNUSED_RESULT
PaperClaims *paper_claims_load(const char *path, GError **error);
void paper_claims_free(PaperClaims *claims);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PaperClaims, paper_claims_free)

const PaperStudy *paper_claims_study(const PaperClaims *claims,
                                     const char *name); /* NULL: unknown */

/* The numbers that a published figure begins with: "1.41" has one, and "5 to
 * 17" two.  FALSE: it is words. */
gboolean paper_published_range(const char *published, double *least,
                               double *most);

#endif
