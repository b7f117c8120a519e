/*
 * slurm.h - a sweep as one job of Slurm, whose tasks are its workers
 *
 * Never a job a point: Slurm takes a tenth of a second for each.
 *
 * Owner    texts are the caller's
 */
#ifndef SIM_CLI_SWEEP_SLURM_H
#define SIM_CLI_SWEEP_SLURM_H

#include <glib.h>

/* The script for sbatch: @options go to #SBATCH as they are, @argv is our
 * command line, of which --slurm and --submit are left out. */
GString *slurm_script(const char *options, char *const *argv);

/* TRUE: @options can stand on one line. */
gboolean slurm_is_line(const char *options);

/* The command that gathers what the job has done. */
char *slurm_gather_command(char *const *argv);

/* Hands it to sbatch.  Gives an exit status. */
int slurm_submit(const GString *script);

#endif
