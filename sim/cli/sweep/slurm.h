/*
 * slurm.h - runs a sweep as one Slurm job, whose tasks are the workers
 *
 * One job per point would be slow: Slurm takes a tenth of a second for each.
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_CLI_SWEEP_SLURM_H
#define SIM_CLI_SWEEP_SLURM_H

#include <glib.h>

/* Returns the script for sbatch.  @options are written after #SBATCH unchanged.
 * @argv is the command line, from which --slurm and --submit are removed.
 * Returns NULL and sets @error (CONFIG_ERROR) if a word of the command, the
 * path of the program or the working folder has a control character, such as a
 * line break, which comments of a script cannot contain. */
G_GNUC_WARN_UNUSED_RESULT
GString *slurm_make_script(const char *options, char *const *argv,
                           GError **error);

/* Returns whether @text has no control characters. */
gboolean slurm_has_no_control_chars(const char *text);

/* Returns the command that merges the results of the job. */
char *slurm_gather_command(char *const *argv);

/* Submits the script by sbatch.  Returns an exit status. */
int slurm_submit(const GString *script);

#endif
