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

/* A simulation can record more than its result.  The values are flags.  The
 * attribution of a run with several simulated NPUs takes a second run. */
typedef enum {
    ACESIM_RECORD_ATTRIBUTION = 1, /* for "attribution", acesim_what_ifs() */
    ACESIM_RECORD_UTILISATION = 2, /* for the table "utilisation" */
} AcesimRecord;

/* Called every few milliseconds with the number of completed iterations and the
 * total, of the simulation that is in progress: a call may make several.  A
 * return value other than 0 ends the call, which then fails. */
typedef int (*AcesimTell)(void *self, unsigned long long n_done,
                          unsigned long long n_iterations);

/* Returns the version of the library: "0.2.0". */
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

/* Sets what acesim_simulate() records: 0 or values of AcesimRecord. */
void acesim_set_record(AcesimRun *run, unsigned flags);

/* Sets the function that acesim_simulate() and acesim_solve() call to report
 * progress; @tell may be NULL. */
void acesim_set_tell(AcesimRun *run, AcesimTell tell, void *self);

/* Simulates @run from start to end. */
AcesimResult *acesim_simulate(const AcesimRun *run, char **error);

/* Frees @result; NULL is allowed. */
void acesim_result_free(AcesimResult *result);

/* Simulates the what-ifs of a result whose attribution was recorded: one run
 * for each resource that can be twice as good, one after the other.  Then the
 * result has the table "what_ifs".  Calls @tell, which may be NULL. */
int acesim_what_ifs(AcesimResult *result, AcesimTell tell, void *self,
                    char **error);

/* Returns a table of the result as CSV with its header.  @table is one of
 *
 *     runs         one row
 *     layers       a row for each layer and pass
 *     links        a row for each port of NPU 0
 *     jobs         a row for each job
 *     memory       a row for each stage of a pipeline and unit of its schedule
 *     config       a row for each value of the configuration: its place, source
 *     utilisation  a row for each span of time, if it was recorded
 *     attribution  a row for each part of the iteration time, if recorded
 *     what_ifs     a row for each what-if, after acesim_what_ifs() */
char *acesim_rows(const AcesimResult *result, const char *table, char **error);

/* Returns the parts of a result whose attribution was recorded, and its
 * what-ifs if they were simulated, as HTML for a notebook: a bar and tables
 * with their own style, without a script. */
char *acesim_html(const AcesimResult *result, char **error);

/* Sets *@ret to the number in @column of the table "runs", such as
 * "iteration_time_us".  Returns 0 if there is no such column or it holds no
 * number. */
int acesim_number(const AcesimResult *result, const char *column, double *ret,
                  char **error);

/* Returns the text in @column of the table "runs". */
char *acesim_cell(const AcesimResult *result, const char *column, char **error);

/* Compares the rows of @runs, a CSV text as `acesim sweep` writes it to
 * runs.csv, and returns compare.csv: the speed-up of each offload endpoint over
 * the baselines, and over the best that could be built.  @baselines, @best and
 * @offloads are names of endpoints with commas between; NULL: the default of
 * `acesim compare`. */
char *acesim_compare(const char *runs, const char *baselines, const char *best,
                     const char *offloads, char **error);

/* Returns what the columns of @rows mean, as a JSON array with an object for
 * each column: name, type ("string", "number", "integer", "boolean"), unit,
 * title, better ("less" or "more") and description.  @table is the name of the
 * table, such as "runs", and @rows its CSV, which may begin with columns of
 * swept keys. */
char *acesim_columns(const char *table, const char *rows, char **error);

/* Returns the column that a swept key has in the CSV files of `acesim sweep`:
 * the name of the column, which ends with the unit of a quantity, and a cell
 * for each value, each in a row.  @values has one value in YAML per line. */
char *acesim_axis(const char *key, const char *values, char **error);

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
