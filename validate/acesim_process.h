/*
 * acesim_process.h - runs acesim as a child process and reads its CSV files
 *
 * The program is started without a shell.  Each run or sweep has a name, under
 * which its files are stored in the folder.  Progress of sweeps goes to the
 * standard error of this program.
 *
 * Errors   VALIDATE_ERROR_RUN if the program cannot be run or fails, with the
 *          command and its messages; CSV_ERROR, G_FILE_ERROR
 * Owner    the caller owns the
 * tables */
#ifndef VALIDATE_ACESIM_PROCESS_H
#define VALIDATE_ACESIM_PROCESS_H

#include "sim/core/csv.h"

#define VALIDATE_ERROR validate_error_quark()
GQuark validate_error_quark(void);
typedef enum {
    VALIDATE_ERROR_RUN,
    /* The error of a result that lacks a row, a column or a value. */
    VALIDATE_ERROR_RESULT,
} ValidateErrorCode;

typedef struct {
    const char *program; /* Another object owns this memory. */
    /* The folder of results, owned by the caller and created if it is
     * missing. */
    const char *folder;
    /* The number of parallel jobs; 0 for the default of the program. */
    guint n_jobs;
} Simulator;

/* Runs `acesim run @config @arguments --csv FOLDER/NAME.csv`. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_run(const Simulator *simulator, const char *name,
                        const char *config, const char *const *arguments,
                        GError **error);

/* Runs `acesim kernels @file --csv FOLDER/NAME.csv`. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_run_kernels(const Simulator *simulator, const char *name,
                                const char *file, GError **error);

/* Runs `acesim collectives @platform @arguments --csv FOLDER/NAME.csv`. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_run_collectives(const Simulator *simulator,
                                    const char *name, const char *platform,
                                    const char *const *arguments,
                                    GError **error);

/* Runs `acesim sweep @sweep @arguments -o FOLDER/NAME` and returns its
 * runs.csv. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_run_sweep(const Simulator *simulator, const char *name,
                              const char *sweep, const char *const *arguments,
                              GError **error);

/* Runs `acesim @words`.  The first word is a command that writes a CSV file,
 * the second its input file. `sweep FILE` runs as in simulator_run_sweep(),
 * other commands with --csv. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_run_command(const Simulator *simulator, const char *name,
                                const char *const *words, GError **error);

/* Writes @text as FOLDER/NAME and creates missing folders. */
G_GNUC_WARN_UNUSED_RESULT
gboolean simulator_write_file(const Simulator *simulator, const char *name,
                              const char *text, GError **error);

/* Return a cell by the name of its column. */
G_GNUC_WARN_UNUSED_RESULT
const char *simulator_cell_text(const CsvTable *table, guint row,
                                const char *column, GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean simulator_cell_number(const CsvTable *table, guint row,
                               const char *column, double *ret, GError **error);

#endif
