/*
 * merge_shard_results.c - merges the results of several workers into the
 * journal of one sweep; see merge_shard_results.h
 */
#include "sim/sweep/shard/merge_shard_results.h"

#include <string.h>

#include "sim/sweep/journal/journal_damage.h"
#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/shard/sweep_fingerprint.h"
#include "sim/sweep/sweep_point_text.h"

#define POLL_US G_GINT64_CONSTANT(100000)

/* ---- workers that are still running -------------------------------------- */

static void report_worker_wait(const WorkerResultMerge *merge, const char *name,
                               gboolean *is_reported)
{
    g_autofree char *text = g_strdup_printf(
        "%s: waiting, for up to %.0f s, to see whether a worker, %s, is still "
        "at it",
        merge->folder, (double)merge->stale_us / G_USEC_PER_SEC, name);

    if (!*is_reported && merge->print_message)
        merge->print_message(merge->self, text);
    *is_reported = TRUE;
}

static gboolean is_worker_alive(const WorkerResultMerge *merge,
                                const char *claims, const char *entry)
{
    const char *process = entry + strlen(CLAIM_PATHS_WORKER);
    g_autofree char *claim = g_build_filename(claims, entry, NULL);
    g_autofree char *journal = claim_paths_journal_of(merge->folder, process);
    g_autofree char *name = liveness_describe_process(process);
    LivenessWatch watch = { 0 };
    gboolean is_reported = FALSE;
    ProcessLiveness life;

    while ((life = worker_liveness_of_process(process, claim, journal,
                                              merge->clock, merge->stale_us,
                                              &watch)) == LIVENESS_UNSURE) {
        report_worker_wait(merge, name, &is_reported);
        g_usleep((gulong)POLL_US);
    }
    return life == LIVENESS_ALIVE;
}

/* Appends the names of the live workers in one folder of claims to @alive. */
static void list_live_workers(const WorkerResultMerge *merge,
                              const char *claims, GString *alive, guint *n)
{
    g_auto(GStrv) entries = claim_paths_list_names(claims, CLAIM_PATHS_WORKER);

    for (char **entry = entries; *entry; entry++) {
        g_autofree char *name =
            liveness_describe_process(*entry + strlen(CLAIM_PATHS_WORKER));

        if (!is_worker_alive(merge, claims, *entry))
            continue;
        g_string_append_printf(alive, "%s%s", *n > 0 ? ", " : "", name);
        ++*n;
    }
}

static void report_other_program_version(const WorkerResultMerge *merge,
                                         const char *word)
{
    g_autofree char *text = g_strdup_printf(
        "%s: workers of another version of acesim were at it, too; what they "
        "have done does not count here (claims/%s)",
        merge->folder, word);

    if (merge->print_message && !sweep_fingerprint_is_of_program(word))
        merge->print_message(merge->self, text);
}

gboolean merge_check_no_live_worker(const WorkerResultMerge *merge,
                                    GError **error)
{
    g_autofree char *all =
        g_build_filename(merge->folder, CLAIM_PATHS_CLAIMS, NULL);
    g_auto(GStrv) words = claim_paths_list_sweeps(merge->folder);
    g_autoptr(GString) alive = g_string_new(NULL);
    guint n = 0;

    for (char **word = words; *word; word++) {
        g_autofree char *claims = g_build_filename(all, *word, NULL);

        list_live_workers(merge, claims, alive, &n);
        report_other_program_version(merge, *word);
    }
    if (n == 0)
        return TRUE;
    g_set_error(
        error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
        "%s: %u worker%s still at it: %s; the same command gathers what "
        "they have done when they have ended",
        merge->folder, n, n == 1 ? " is" : "s are", alive->str);
    return FALSE;
}

/* ---- merging the rows of workers ----------------------------------------- */

typedef struct {
    const WorkerResultMerge *merge; /* borrowed, like the next two */
    Journal *journal;
    GHashTable *failures, *methods;
    /* Maps the id of a point (owned) to the path of the journal from which its
     * record is taken (borrowed). */
    GHashTable *from;
} MergeState;

/* Reads the next record in the format of runs.journal; sets *@how to the
 * additional letter of a worker's record. */
static gboolean read_next_worker_record(JournalReader *reader,
                                        JournalRecord *ret, char *how)
{
    if (!reader || !journal_reader_next_record(reader, ret))
        return FALSE;
    ret->n_bytes = point_text_without_method(ret->text, ret->n_bytes, how);
    return TRUE;
}

/* Returns the text of @id in the journal at @path, or NULL. The caller owns
 * it. */
static GString *read_record_text_by_id(const char *path, const char *id)
{
    g_autoptr(JournalReader) reader = journal_reader_new(path, 0, NULL);
    JournalRecord record;
    char how;

    while (read_next_worker_record(reader, &record, &how))
        if (g_str_equal(record.id, id) &&
            !point_text_is_failure(record.text, record.n_bytes))
            return g_string_new_len(record.text, (gssize)record.n_bytes);
    return NULL;
}

/* Sets @error to the first part in which the records differ, and returns
 * FALSE. */
static gboolean set_difference_error(const char *id, const char *path_a,
                                     const GString *a, const char *path_b,
                                     const JournalRecord *record,
                                     GError **error)
{
    const char *parts_a[POINT_TEXT_N_PARTS], *parts_b[POINT_TEXT_N_PARTS];
    guint i = 0;

    if (!point_text_split(a->str, a->len, parts_a) ||
        !point_text_split(record->text, record->n_bytes, parts_b)) {
        parts_a[0] = a->str;
        parts_b[0] = record->text;
    } else {
        while (i + 1 < POINT_TEXT_N_PARTS &&
               strcmp(parts_a[i], parts_b[i]) == 0)
            i++;
    }
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "two runs of one point differ, so one of them is wrong:\n"
                "%s has %s as\n  %s"
                "%s has it as\n  %s"
                "remove the journal that is not to be trusted, or run all "
                "points again with --fresh",
                path_a, id, parts_a[i], path_b, parts_b[i]);
    return FALSE;
}

/* Compares @record with the record of the same id in the journal, or in that of
 * another worker.  Sets *@is_there to whether there is one.  Returns FALSE if
 * they differ. */
static gboolean compare_with_known_record(const MergeState *merge_state,
                                          const char *path,
                                          const JournalRecord *record,
                                          gboolean *is_there, GError **error)
{
    const char *from = g_hash_table_lookup(merge_state->from, record->id);
    g_autoptr(GString) text = NULL;
    gsize n_bytes;
    const char *there;

    if (from) {
        text = read_record_text_by_id(from, record->id);
    } else if ((there = journal_find_record(merge_state->journal, record->id,
                                            &n_bytes))) {
        text = g_string_new_len(there, (gssize)n_bytes);
        from = "runs.journal";
    }
    *is_there = text != NULL;
    if (!text || (text->len == record->n_bytes &&
                  memcmp(text->str, record->text, text->len) == 0))
        return TRUE;
    return set_difference_error(record->id, from, text, path, record, error);
}

/* Keeps the first failure of a point.  It is used only if the point has no
 * result. */
static void keep_first_failure(const MergeState *merge_state,
                               const JournalRecord *record)
{
    if (!g_hash_table_contains(merge_state->failures, record->id))
        g_hash_table_insert(
            merge_state->failures, g_strdup(record->id),
            g_string_new_len(record->text, (gssize)record->n_bytes));
}

/* Notes the journal from which each new record is to be taken.  Returns FALSE
 * if two records of one point differ. */
static gboolean compare_and_remember_record(MergeState *merge_state, char *path,
                                            const JournalRecord *record,
                                            GError **error)
{
    gboolean is_there;

    if (point_text_is_failure(record->text, record->n_bytes)) {
        keep_first_failure(merge_state, record);
        return TRUE;
    }
    if (!compare_with_known_record(merge_state, path, record, &is_there, error))
        return FALSE;
    if (!is_there)
        g_hash_table_insert(merge_state->from, g_strdup(record->id), path);
    return TRUE;
}

/* Adds the record if it was noted for this journal.  Other journals have the
 * same rows. */
static gboolean add_remembered_record(MergeState *merge_state, char *path,
                                      const JournalRecord *record,
                                      GError **error)
{
    if (point_text_is_failure(record->text, record->n_bytes) ||
        g_hash_table_lookup(merge_state->from, record->id) != path)
        return TRUE;
    g_hash_table_remove(merge_state->from, record->id);
    return journal_add_record(merge_state->journal, record->id, record->text,
                              record->n_bytes, error);
}

typedef gboolean (*WorkerRecordFn)(MergeState *g, char *path,
                                   const JournalRecord *record, GError **error);

/* Reports damage on the first of the two passes. */
static void report_journal_damage(const MergeState *merge_state,
                                  const char *path, const JournalReader *reader,
                                  WorkerRecordFn fn)
{
    g_autofree char *text =
        journal_damage_text(path, journal_reader_damage(reader));

    if (text && fn == compare_and_remember_record &&
        merge_state->merge->print_message)
        merge_state->merge->print_message(merge_state->merge->self, text);
}

static gboolean visit_journal_records(MergeState *merge_state, char *path,
                                      WorkerRecordFn fn, GError **error)
{
    GError *reason = NULL;
    g_autoptr(JournalReader) reader = journal_reader_new(path, 0, &reason);
    JournalRecord record;
    char how;

    if (reason) {
        g_propagate_error(error, reason);
        return FALSE;
    }
    while (read_next_worker_record(reader, &record, &how)) {
        if (how != '\0' &&
            !g_hash_table_contains(merge_state->methods, record.id))
            g_hash_table_insert(merge_state->methods, g_strdup(record.id),
                                GINT_TO_POINTER((gint)how));
        if (!fn(merge_state, path, &record, error))
            return FALSE;
    }
    if (reader)
        report_journal_damage(merge_state, path, reader, fn);
    return TRUE;
}

static gboolean visit_worker_journals(MergeState *merge_state, char **paths,
                                      WorkerRecordFn fn, GError **error)
{
    for (char **path = paths; *path; path++)
        if (!visit_journal_records(merge_state, *path, fn, error))
            return FALSE;
    return TRUE;
}

/* Compares all records before adding any.  If two records differ, one journal
 * is wrong, and none of its rows must be in the result. */
gboolean merge_worker_rows(const WorkerResultMerge *gathering, Journal *journal,
                           GHashTable *failures, GHashTable *methods,
                           guint *n_journals, GError **error)
{
    g_auto(GStrv) paths = claim_paths_list_journals(gathering->folder);
    g_autoptr(GHashTable) from =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    MergeState gather = { gathering, journal, failures, methods, from };

    *n_journals = g_strv_length(paths);
    if (*n_journals == 0)
        return TRUE;
    if (!visit_worker_journals(&gather, paths, compare_and_remember_record,
                               error) ||
        !journal_begin_keeping_all(journal, error))
        return FALSE;
    return visit_worker_journals(&gather, paths, add_remembered_record,
                                 error) &&
           journal_sync_to_disk(journal, TRUE, error) &&
           journal_load_records(journal, FALSE, error);
}
