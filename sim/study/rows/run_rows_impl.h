/*
 * run_rows_impl.h - the tables of columns, shared by the files of run_rows.h
 *
 * Owner    tables are static and end with a name of NULL
 */
#ifndef SIM_STUDY_ROWS_RUN_ROWS_IMPL_H
#define SIM_STUDY_ROWS_RUN_ROWS_IMPL_H

#include "models/run/report/job_results.h"
#include "models/run/report/run_notes.h"
#include "sim/core/csv.h"
#include "sim/study/expected_error/expected_error.h"
#include "sim/study/model_figures.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/utilisation_summary.h"

#define ROWS_BYTES_PER_GB UINT64_C(1000000000)

/* A span of a run's time, which consists of buckets. */
typedef struct {
    const TimeBuckets *buckets;
    guint first, n;         /* index of the first bucket, and their number */
    SimTime from_ps, to_ps; /* the same span in time */
} RowsSpan;

/* The data from which cells are written: a run, and the part of it that the row
 * describes. */
typedef struct {
    const SystemConfig *config;   /* borrowed */
    const System *system;         /* borrowed */
    SystemResult r;               /* the result of .system */
    const ResourceKind *resource; /* of a column that a resource declares;
                                   * otherwise NULL */
    uint32_t layer;               /* the layer of a row of ROWS_LAYERS */
    OpPass pass;                  /* the pass of a row of ROWS_LAYERS */
    uint32_t port;                /* the port of a row of ROWS_PORTS */
    const RowsSpan *span;         /* the span of a row of ROWS_UTILISATION */
    JobResult job;                /* the job of a row of ROWS_JOBS */
    gboolean has_model;           /* the workload is a language model */
    ModelFigures model;           /* if .has_model */
    ExpectedError expected;       /* of a row of ROWS_RUNS; borrowed */
} RowsContext;

typedef struct {
    const char *name;
    ColumnUnit unit;
    void (*add)(GString *out,
                const RowsContext *context); /* appends the cell */
    /* The resource that .add writes; NULL in the static tables. */
    const ResourceKind *resource;
} RowsColumn;

/* Columns of runs.csv before and after those of resources. */
extern const RowsColumn rows_run_columns[], rows_run_last_columns[];
/* Columns of language models, between those of resources and the last. */
extern const RowsColumn rows_model_columns[];
extern const RowsColumn rows_layer_columns[];
extern const RowsColumn rows_port_columns[];
extern const RowsColumn rows_utilisation_columns[];
extern const RowsColumn rows_job_columns[];

/* Offsets of rows and cells in a text. */
typedef struct {
    GArray *starts; /* of gsize: where each row begins; NULL: not recorded */
    /* The range of the cells of rows_append_busiest_share() and
     * rows_append_notes() in the last row, which are adjacent; 0 if there are
     * none. */
    gsize busiest_from, notes_to;
} RowsOffsets;

/* Same as rows_append(), but also records offsets in @offsets. */
void rows_append_with_offsets(GString *out, RowsFile file, const char *axes,
                              const SystemConfig *config, const System *system,
                              const Utilisation *utilisation,
                              RowsOffsets *offsets);

/* Appends the cell `busiest_share`, which depends on capacities. */
void rows_append_busiest_share(GString *out, const RowsContext *context);
/* Appends the cell `notes`, the next one, which depends on capacities, too. */
void rows_append_notes(GString *out, const RowsContext *context);
void rows_append_given_notes(GString *out, const RunNotes *notes,
                             const SystemConfig *config);
void rows_append_busiest_share_of_parts(GString *out,
                                        const UtilisationParts *parts);

/* Appends the cell of .resource: 0 if the system lacks it. */
void rows_append_resource_use(GString *out, const RowsContext *context);

static inline void rows_append_us(GString *out, SimTime ps)
{
    csv_add_fixed(out, ps, 6);
}

#endif
