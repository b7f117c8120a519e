/*
 * acesim.h - acesim as a library: load, set, run, read rows, ask backwards
 *
 * It does what `acesim run` and `acesim solve` do, for programs that want
 * results as data.  It prints nothing, makes no process, takes no signal and
 * keeps nothing between calls: what is done to one AcesimRun is seen nowhere
 * else, and threads may each have runs of their own.
 *
 * Units    those that a column's name ends in; values that are set are YAML
 *          with their unit: "25 GB/s"
 * Order    the same file and values give the same bytes, on every machine
 * Errors   a call that fails gives NULL or 0 and, where @error is not NULL,
 *          what is wrong in *@error, a line a problem, each
 *          "file:line:column: what"; the caller frees it by acesim_free().
 *          What was given here is called as on the command line: "--vary"
 * Range    a name of NULL, or what was freed, is a mistake of the program's:
 *          it ends it
 * Owner    what a call makes is the caller's; texts are freed by acesim_free()
 */
#ifndef ACESIM_H
#define ACESIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* A run file with what was set in place of parts of it. */
typedef struct AcesimRun AcesimRun;

/* What a run has come to. */
typedef struct AcesimResult AcesimResult;

/* Whether NPUs that cannot be told apart are simulated as one: where that is
 * exact, never, or else it is an error. */
typedef enum {
    ACESIM_FOLD_AUTO,
    ACESIM_FOLD_OFF,
    ACESIM_FOLD_REQUIRE,
} AcesimFold;

/* Called every few milliseconds of a run with the iterations that are done and
 * those there are; other than 0 ends the run, which then has failed. */
typedef int (*AcesimTell)(void *self, unsigned long long n_done,
                          unsigned long long n_iterations);

/* The version of the library: "0.1.0". */
const char *acesim_version(void);

/* Frees a text that a call gave; NULL is nothing. */
void acesim_free(char *text);

/* Reads the run file at @path; files that it names are found from its folder.
 * Only what the file itself has wrong is said here, values are checked by
 * acesim_simulate(). */
AcesimRun *acesim_load(const char *path, char **error);

/* Frees @run; results that came of it stay.  NULL is nothing. */
void acesim_run_free(AcesimRun *run);

/* Sets @key to @value in place of what the file has, as `--set KEY=VALUE` does:
 * "endpoint.sram", "8 MiB".  What is set later wins.  Gives 0 where the value
 * is no YAML or the file has no place for the key. */
int acesim_set(AcesimRun *run, const char *key, const char *value,
               char **error);

/* How its NPUs are folded; ACESIM_FOLD_AUTO unless told. */
void acesim_set_fold(AcesimRun *run, AcesimFold fold);

/* Who is told how far acesim_simulate() is; @tell may be NULL.  A run that has
 * to choose values which are `auto` tells nobody. */
void acesim_set_tell(AcesimRun *run, AcesimTell tell, void *self);

/* Simulates @run from start to end. */
AcesimResult *acesim_simulate(const AcesimRun *run, char **error);

/* Frees @result; NULL is nothing. */
void acesim_result_free(AcesimResult *result);

/* A table of the result as CSV with its header.  @table is "runs" (one row),
 * "layers" (a row a layer and pass), "links" (a row a port of NPU 0) or "jobs"
 * (a row a job). */
char *acesim_rows(const AcesimResult *result, const char *table, char **error);

/* Gives the number in @column of the table "runs" in *@ret:
 * "iteration_time_us".  0: there is no such column, or it holds no number. */
int acesim_number(const AcesimResult *result, const char *column, double *ret,
                  char **error);

/* The text in @column of the table "runs". */
char *acesim_cell(const AcesimResult *result, const char *column, char **error);

/* The least value from @from to @to of @key (several, which are varied
 * together, are parted by commas) at which @until holds, by simulation, to a
 * thousandth: see `acesim solve --help`.  @until is "METRIC OP VALUE":
 * "iteration_time_us <= 107 % of ideal".  NULL with an error too where it holds
 * nowhere. */
char *acesim_solve(const AcesimRun *run, const char *key, const char *from,
                   const char *to, const char *until, char **error);

#ifdef __cplusplus
}
#endif

#endif
