/*
 * simulator.h - acesim as a program that is run, never a library
 *
 * Runs @program as a child, without a shell, and reads the CSV that it wrote.
 * Each run or sweep has a name, under which its files stand in the folder; its
 * progress goes where ours goes.
 *
 * Errors   VALIDATE_ERROR_RUN when it cannot be run or fails, with the
 *          command and what the program said; CSV_ERROR, G_FILE_ERROR
 * Owner    the caller owns the tables
 */
#ifndef VALIDATE_SIMULATOR_H
#define VALIDATE_SIMULATOR_H

#include "sim/core/csv.h"

#define VALIDATE_ERROR validate_error_quark()
GQuark validate_error_quark(void);
typedef enum {
    VALIDATE_ERROR_RUN,
    VALIDATE_ERROR_RESULT, /* what was written lacks what is needed */
} ValidateErrorCode;

typedef struct {
    const char *program; /* borrowed */
    const char *folder;  /* borrowed; is made when absent */
    guint n_jobs;        /* 0: as the program thinks best */
} Simulator;

/* acesim run @config @arguments --csv FOLDER/NAME.csv */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_run(const Simulator *simulator, const char *name,
                        const char *config, const char *const *arguments,
                        GError **error);

/* acesim kernels @file --csv FOLDER/NAME.csv */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_kernels(const Simulator *simulator, const char *name,
                            const char *file, GError **error);

/* acesim collectives @platform @arguments --csv FOLDER/NAME.csv */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_collectives(const Simulator *simulator, const char *name,
                                const char *platform,
                                const char *const *arguments, GError **error);

/* acesim sweep @sweep @arguments -o FOLDER/NAME; its runs.csv. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_sweep(const Simulator *simulator, const char *name,
                          const char *sweep, const char *const *arguments,
                          GError **error);

/* acesim @words, of which the first is a command that writes a CSV and the
 * second its file: `sweep FILE` as simulator_sweep(), others with --csv. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *simulator_command(const Simulator *simulator, const char *name,
                            const char *const *words, GError **error);

/* Writes @text as FOLDER/NAME, making the folders above it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean simulator_write(const Simulator *simulator, const char *name,
                         const char *text, GError **error);

/* A cell by the name of its column. */
G_GNUC_WARN_UNUSED_RESULT
const char *simulator_text(const CsvTable *table, guint row, const char *column,
                           GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean simulator_number(const CsvTable *table, guint row, const char *column,
                          double *ret, GError **error);

#endif
