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
 * command line, of which --slurm and --submit are left out.  NULL, and *@error
 * (CONFIG_ERROR): a word of the command, the program's path or the working
 * folder has a control character, such as a line break, which the comments of
 * a script cannot hold. */
G_GNUC_WARN_UNUSED_RESULT
GString *slurm_script(const char *options, char *const *argv, GError **error);

/* TRUE: @text can stand on one line: it has no control characters. */
gboolean slurm_is_line(const char *text);

/* The command that gathers what the job has done. */
char *slurm_gather_command(char *const *argv);

/* Hands it to sbatch.  Gives an exit status. */
int slurm_submit(const GString *script);

#endif
