/*
 * lint.h - what is wrong with a recording, by file and node
 *
 * A recording that could be read may still be wrong: it names what is not
 * there, its clocks disagree, ranks tell different stories.  One kind of fault
 * is one file of faults/ and one line in the table of lint.c; nothing is mended
 * here, but each kind says what an import will do about it.
 *
 * Of a kind and rank only the first few places are kept, and how many there
 * were.
 *
 * Owner    the caller owns a report; it borrows from the recording
 */
#ifndef WORKLOADS_RECORDING_LINT_H
#define WORKLOADS_RECORDING_LINT_H

#include "sim/config/config_field.h"
#include "sim/core/json.h"
#include "workloads/recording/recording.h"

typedef enum {
    FAULT_NOTE,    /* an import does what is right, and says so */
    FAULT_WARNING, /* an import has to assume something */
    FAULT_ERROR,   /* what is imported would not be what was run */
    FAULT_N_SEVERITIES,
} FaultSeverity;

extern const char *const fault_severity_names[FAULT_N_SEVERITIES + 1];

typedef struct Lint Lint;

typedef struct {
    ConfigKind base; /* .name is that of the kind; it has no fields */
    FaultSeverity severity;
    const char *import; /* what it does: "leaves them out" */
    void (*find)(Lint *lint);
} FaultKind;

extern const ConfigRegistry fault_registry;

typedef struct {
    uint32_t node; /* of the rank; RECORD_NONE: the rank as a whole */
    char *text;    /* owned */
} FaultPlace;

typedef struct {
    const FaultKind *kind;
    uint32_t rank;  /* index of Recording.ranks; RECORD_NONE: of all */
    uint64_t n;     /* places there were */
    GArray *places; /* of FaultPlace, the first of them */
} Fault;

typedef struct {
    const Recording *recording;     /* borrowed */
    GPtrArray *faults;              /* of Fault, by kind, then by rank */
    uint64_t n[FAULT_N_SEVERITIES]; /* places */
    guint n_places;                 /* of a kind that are shown */
} LintReport;

/* Keeps at most @n_places of a kind and rank, one at least, and shows as many
 * of a kind. */
LintReport *lint_recording(const Recording *recording, guint n_places);
void lint_report_free(LintReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LintReport, lint_report_free)

/* Lines "FILE: SEVERITY: node ID 'NAME': what is wrong [kind]", then what an
 * import does about each kind, and sums.  Owner: the caller. */
char *lint_text(const LintReport *report);
/* Of errors alone, each kind with what an import does about it; "": none.
 * Owner: the caller. */
char *lint_errors_text(const LintReport *report);
/* All of it, as the value of @key: an array. */
void lint_json(const LintReport *report, Json *json, const char *key);

#endif
