/*
 * measured_families.h - the properties of the systems of measured families
 *
 * A family has a property of a run if the run's value is among the family's.
 * Values that are names are lists separated by "|"; NULL admits any.
 */
#ifndef SIM_STUDY_EXPECTED_ERROR_MEASURED_FAMILIES_H
#define SIM_STUDY_EXPECTED_ERROR_MEASURED_FAMILIES_H

#include <glib.h>

/* The kinds of times that families have. */
typedef enum {
    ERROR_OF_TRAINING, /* an iteration of a network, except language models */
    ERROR_OF_LANGUAGE_MODEL,
    ERROR_OF_COLLECTIVE,
    ERROR_OF_KERNEL_BESIDE, /* kernels beside a collective */
    ERROR_OF_JOBS,          /* several jobs on one network */
} ErrorSubject;

/* Sets of spans and of software: bits. */
typedef enum {
    SPAN_ONE_NPU = 1,
    SPAN_MACHINE = 2,  /* NPUs of one machine */
    SPAN_MACHINES = 4, /* machines joined by a network */
} ErrorSpan;
#define SPAN_ANY (SPAN_ONE_NPU | SPAN_MACHINE | SPAN_MACHINES)

typedef enum {
    SOFTWARE_NONE = 1, /* no communication library */
    SOFTWARE_NCCL = 2,
    SOFTWARE_MPI = 4,
    SOFTWARE_SERVERS = 8, /* parameter servers */
    SOFTWARE_BLINK = 16,
    SOFTWARE_OTHER = 32,
} ErrorSoftware;

typedef struct {
    const char *name; /* in families.csv */
    /* The family of ratios of times on the same systems; NULL: none. */
    const char *ratio;
    ErrorSubject subject;
    guint spans;       /* of ErrorSpan */
    guint software;    /* of ErrorSoftware; 0: any */
    const char *chips; /* as in run_traits.c */
    /* Payloads in bytes, without .below; 0 and 0: any. */
    double from, below;
    const char *precisions; /* of products */
    gboolean from_shapes;   /* kernel times come from shapes */
    const char *stacks;     /* their names; preferred */
    /* Names of platforms that constants were fitted to; preferred. */
    const char *platforms;
    /* Names of platforms that rows are of, if systems of other platforms are
     * too different for the family; NULL: any. */
    const char *only_platforms;
} MeasuredFamily;

/* Ends with a name of NULL. */
extern const MeasuredFamily measured_families[];

#endif
