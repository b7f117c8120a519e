/*
 * lint.h - faults of a recording, by file and node
 *
 * A recording that could be read may still be wrong: it has dependencies on
 * absent nodes, its clocks disagree, or its ranks contradict each other.  Each
 * kind of fault is one file in faults/ and one line in the table of lint.c.
 * The lint repairs nothing, but each kind says how an import handles the fault.
 *
 * For each kind and rank, only the first few places are kept, and the total
 * number.
 *
 * Owner    the caller owns a report, which borrows from the recording
 */
#ifndef WORKLOADS_RECORDING_LINT_H
#define WORKLOADS_RECORDING_LINT_H

#include "sim/config/config_field.h"
#include "sim/core/json_writer.h"
#include "workloads/recording/recording.h"

typedef enum {
    FAULT_NOTE,    /* an import does the right thing and reports it */
    FAULT_WARNING, /* an import makes an assumption and reports it */
    FAULT_ERROR,   /* an imported program would differ from the recorded run */
    FAULT_N_SEVERITIES,
} FaultSeverity;

extern const char *const fault_severity_names[FAULT_N_SEVERITIES + 1];

typedef struct Lint Lint;

typedef struct {
    /* Base of every kind: .name is the name of the fault; there are no
     * fields. */
    ConfigKind base;
    FaultSeverity severity;
    /* The action of an import, such as "leaves them out". */
    const char *import;
    void (*find_faults)(Lint *lint);
} FaultKind;

extern const ConfigRegistry fault_registry;

typedef struct {
    uint32_t node; /* node at fault; RECORD_NONE: the whole rank */
    char *text;    /* owned: text of the message */
} FaultPlace;

typedef struct {
    const FaultKind *kind;
    /* Index of the rank in Recording.ranks; RECORD_NONE: all ranks. */
    uint32_t rank;
    uint64_t n;     /* total number of places with this fault */
    GArray *places; /* the first of the places; the elements are FaultPlace */
} Fault;

typedef struct {
    const Recording *recording; /* borrowed */
    /* The faults by kind, then by rank; the elements are Fault. */
    GPtrArray *faults;
    uint64_t n[FAULT_N_SEVERITIES]; /* number of places for each severity */
    /* Maximum number of places shown per kind. */
    guint n_places;
} LintReport;

/* Checks @recording for all kinds of faults.  Keeps at most @n_places (at least
 * 1) places per kind and rank, and shows at most as many per kind. */
LintReport *lint_recording(const Recording *recording, guint n_places);
void lint_report_free(LintReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LintReport, lint_report_free)

/* Returns the report as lines "FILE: SEVERITY: node ID 'NAME': what is wrong
 * [kind]", then the action of an import for each kind, and totals.  The caller
 * frees the text. */
char *lint_text(const LintReport *report);
/* Returns only the errors of the report, each kind with the action of an
 * import; "" if there are no errors.  The caller frees the text. */
char *lint_errors_text(const LintReport *report);
/* Writes the report as an array, the value of @key. */
void lint_json(const LintReport *report, Json *json, const char *key);

#endif
