/*
 * acesim.h - acesim as a library: load, set, run, read rows, solve
 *
 * The library does what `acesim run` and `acesim solve` do, for programs that
 * need results as data.  It prints nothing, starts no process, handles no
 * signal and keeps no state between calls.  An AcesimRun does not affect any
 * other, and threads may use separate ones in parallel.
 *
 * Units    the name of a column ends with its unit; values that are set are
 *          YAML with a unit: "25 GB/s"
 * Order    the same file and values give the same bytes on every machine
 * Errors   a call that fails returns NULL or 0.  If @error is not NULL, *@error
 *          gets the problems, one per line, each as "file:line:column: what";
 *          the caller frees it with acesim_free().  Arguments are named like
 *          the options of the command line: "--vary"
 * Range    an argument that is NULL, or that was freed, is a mistake of the
 *          program and ends it
 * Owner    the caller owns what a call creates; texts are freed with
 *          acesim_free()
 */
#ifndef ACESIM_H
#define ACESIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* A run file with the settings that were applied to it. */
typedef struct AcesimRun AcesimRun;

/* The result of a simulated run. */
typedef struct AcesimResult AcesimResult;

/* Whether equivalent NPUs are simulated as one: if that is exact, never, or
 * always, so that a run without equivalent NPUs is an error. */
typedef enum {
    ACESIM_FOLD_AUTO,
    ACESIM_FOLD_OFF,
    ACESIM_FOLD_REQUIRE,
} AcesimFold;

/* Called every few milliseconds during a run with the number of completed
 * iterations and the total.  A return value other than 0 ends the run, which
 * then fails. */
typedef int (*AcesimTell)(void *self, unsigned long long n_done,
                          unsigned long long n_iterations);

/* Returns the version of the library: "0.1.0". */
const char *acesim_version(void);

/* Frees a text that a call returned; NULL is allowed. */
void acesim_free(char *text);

/* Reads the run file at @path.  Files that it names are found relative to its
 * folder.  Only errors of the file itself are reported here; acesim_simulate()
 * checks values. */
AcesimRun *acesim_load(const char *path, char **error);

/* Frees @run but not its results; NULL is allowed. */
void acesim_run_free(AcesimRun *run);

/* Sets @key to @value, as `--set KEY=VALUE` does: "endpoint.sram", "8 MiB".
 * Later settings replace earlier ones.  Returns 0 if the value is not YAML or
 * the file has no place for the key. */
int acesim_set(AcesimRun *run, const char *key, const char *value,
               char **error);

/* Sets how NPUs are folded; the default is ACESIM_FOLD_AUTO. */
void acesim_set_fold(AcesimRun *run, AcesimFold fold);

/* Sets the function that acesim_simulate() calls to report progress; @tell may
 * be NULL.  A run that has to choose values which are `auto` does not call
 * it. */
void acesim_set_tell(AcesimRun *run, AcesimTell tell, void *self);

/* Simulates @run from start to end. */
AcesimResult *acesim_simulate(const AcesimRun *run, char **error);

/* Frees @result; NULL is allowed. */
void acesim_result_free(AcesimResult *result);

/* Returns a table of the result as CSV with its header.  @table is "runs" (one
 * row), "layers" (one row per layer and pass), "links" (one row per port of NPU
 * 0) or "jobs" (one row per job). */
char *acesim_rows(const AcesimResult *result, const char *table, char **error);

/* Sets *@ret to the number in @column of the table "runs", such as
 * "iteration_time_us".  Returns 0 if there is no such column or it holds no
 * number. */
int acesim_number(const AcesimResult *result, const char *column, double *ret,
                  char **error);

/* Returns the text in @column of the table "runs". */
char *acesim_cell(const AcesimResult *result, const char *column, char **error);

/* Returns the least value of @key from @from to @to at which @until holds, by
 * simulation, to a thousandth; see `acesim solve --help`.  @key may be several
 * keys with commas between, which are varied together.  @until is "METRIC OP
 * VALUE", such as "iteration_time_us <= 107 % of ideal".  Returns NULL and sets
 * *@error also if it holds nowhere. */
char *acesim_solve(const AcesimRun *run, const char *key, const char *from,
                   const char *to, const char *until, char **error);

#ifdef __cplusplus
}
#endif

#endif
