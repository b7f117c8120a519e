/*
 * rows_impl.h - what the files of rows.h share: the tables of their columns
 *
 * Owner    tables are static and end with a name of NULL
 */
#ifndef SIM_STUDY_ROWS_ROWS_IMPL_H
#define SIM_STUDY_ROWS_ROWS_IMPL_H

#include "models/run/report/jobs.h"
#include "models/run/report/notes.h"
#include "sim/core/csv.h"
#include "sim/study/busy.h"
#include "sim/study/rows/rows.h"

#define ROWS_BYTES_PER_GB UINT64_C(1000000000)

/* A part of a run's time, in buckets. */
typedef struct {
    const Buckets *buckets;
    guint first, n;         /* buckets, */
    SimTime from_ps, to_ps; /* which are this span */
} RowsSpan;

/* What a cell is written of: a run, and what of it the row is. */
typedef struct {
    const SystemConfig *config;   /* borrowed */
    const System *system;         /* borrowed */
    SystemResult r;               /* of .system */
    const ResourceKind *resource; /* of a column that one declares; or NULL */
    uint32_t layer;               /* in ROWS_LAYERS, */
    OpPass pass;                  /* likewise */
    uint32_t port;                /* in ROWS_PORTS */
    const RowsSpan *span;         /* in ROWS_UTILISATION */
    JobResult job;                /* in ROWS_JOBS */
} RowsAt;

typedef struct {
    const char *name;
    ColumnUnit unit;
    void (*add)(GString *out, const RowsAt *at); /* the cell */
    const ResourceKind *resource; /* that .add takes; not in tables */
} RowsColumn;

/* Those of runs.csv before and behind what resources have. */
extern const RowsColumn rows_run_columns[], rows_run_last_columns[];
extern const RowsColumn rows_layer_columns[];
extern const RowsColumn rows_port_columns[];
extern const RowsColumn rows_utilisation_columns[];
extern const RowsColumn rows_job_columns[];

/* Where in a text the parts of rows are. */
typedef struct {
    GArray *starts; /* of gsize: where a row begins; NULL: nobody asks */
    /* The cells of the last row that rows_add_busiest() and rows_add_notes()
     * add, one behind the other; or 0. */
    gsize busiest_from, notes_to;
} RowsMarks;

/* rows_add() that notes where rows begin. */
void rows_add_marked(GString *out, RowsFile file, const char *axes,
                     const SystemConfig *config, const System *system,
                     const Utilisation *utilisation, RowsMarks *marks);

/* The one cell that hangs on how much there is of what an endpoint has. */
void rows_add_busiest(GString *out, const RowsAt *at);
/* Likewise, the cell behind it. */
void rows_add_notes(GString *out, const RowsAt *at);
void rows_add_notes_of(GString *out, const RunNotes *notes,
                       const SystemConfig *config);
void rows_add_busiest_of(GString *out, const BusyParts *parts);

/* The cell of .resource: 0 where the system has none. */
void rows_add_resource(GString *out, const RowsAt *at);

static inline void rows_add_us(GString *out, SimTime ps)
{
    csv_add_fixed(out, ps, 6);
}

#endif
