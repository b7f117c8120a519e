/* run_rows_snapshot.c - the rows of a run, stored for other points of a sweep
 * that share it */
#include "sim/study/rows/run_rows_snapshot.h"

#include "models/run/report/configs_with_same_results.h"
#include "sim/study/rows/run_rows_impl.h"

struct RowsSnapshot {
    struct {
        GString *text;  /* owned: without the cells of axes; NULL if not
                         * stored */
        GArray *starts; /* owned, of gsize: where each row begins */
    } files[ROWS_N_FILES];
    gsize busiest_from, notes_to; /* range of the cells that depend on
                                   * capacities, in ROWS_RUNS */
    RunNotes *notes;              /* owned */
    UtilisationParts busy;
};

static void store_file_rows(RowsSnapshot *snapshot, RowsFile file,
                            const SystemConfig *config, const System *system,
                            const Utilisation *utilisation)
{
    RowsOffsets marks = { .starts = g_array_new(FALSE, FALSE, sizeof(gsize)) };
    GString *text = g_string_new(NULL);

    rows_append_with_offsets(text, file, "", config, system, utilisation,
                             &marks);
    snapshot->files[file].text = text;
    snapshot->files[file].starts = marks.starts;
    if (file != ROWS_RUNS)
        return;
    snapshot->busiest_from = marks.busiest_from;
    snapshot->notes_to = marks.notes_to;
}

RowsSnapshot *rows_snapshot_new(const gboolean *wanted,
                                const SystemConfig *config,
                                const System *system,
                                const Utilisation *utilisation)
{
    RowsSnapshot *snapshot = g_new0(RowsSnapshot, 1);

    snapshot->busy = utilisation_collect_parts(config, system);
    snapshot->notes = run_notes_new(system);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (wanted[file])
            store_file_rows(snapshot, file, config, system, utilisation);
    return snapshot;
}

void rows_snapshot_free(RowsSnapshot *snapshot)
{
    if (!snapshot)
        return;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        if (!snapshot->files[file].text)
            continue;
        g_string_free(snapshot->files[file].text, TRUE);
        g_array_unref(snapshot->files[file].starts);
    }
    run_notes_free(snapshot->notes);
    g_free(snapshot);
}

gsize rows_snapshot_memory_bytes(const RowsSnapshot *snapshot)
{
    gsize n_bytes = sizeof *snapshot;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (snapshot->files[file].text)
            n_bytes += snapshot->files[file].text->allocated_len +
                       snapshot->files[file].starts->len * sizeof(gsize);
    return n_bytes;
}

/* Appends the bytes from @from to @to of a row.  If the range contains the two
 * cells that depend on capacities, it writes these anew. */
static void append_stored_cells(GString *out, const RowsSnapshot *snapshot,
                                const GString *text, gsize from, gsize to,
                                const SystemConfig *config,
                                const UtilisationParts *busy)
{
    gboolean is_there =
        snapshot->busiest_from >= from && snapshot->notes_to <= to;

    if (text != snapshot->files[ROWS_RUNS].text || !is_there) {
        g_string_append_len(out, text->str + from, (gssize)(to - from));
        return;
    }
    g_string_append_len(out, text->str + from,
                        (gssize)(snapshot->busiest_from - from));
    rows_append_busiest_share_of_parts(out, busy);
    rows_append_given_notes(out, snapshot->notes, config);
    g_string_append_len(out, text->str + snapshot->notes_to,
                        (gssize)(to - snapshot->notes_to));
}

void rows_snapshot_append(GString *out, RowsFile file, const char *axes,
                          const SystemConfig *config,
                          const RowsSnapshot *snapshot)
{
    const GString *text = snapshot->files[file].text;
    const GArray *starts = snapshot->files[file].starts;
    uint64_t capacities[RESOURCE_MAX_OWN];
    UtilisationParts busy = snapshot->busy;

    if (result_invariance_list_capacities(config, capacities))
        for (guint i = RESOURCE_OWN; i < resource_count(busy.own); i++)
            busy.uses[i - RESOURCE_OWN].capacity = capacities[i - RESOURCE_OWN];
    for (guint i = 0; text && i < starts->len; i++) {
        gsize from = g_array_index(starts, gsize, i);
        gsize to = i + 1 < starts->len ? g_array_index(starts, gsize, i + 1)
                                       : text->len;

        g_string_append(out, axes);
        append_stored_cells(out, snapshot, text, from, to, config, &busy);
    }
}
