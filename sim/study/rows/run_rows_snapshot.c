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

static void store_file_rows(RowsSnapshot *kept, RowsFile file,
                            const SystemConfig *config, const System *system,
                            const Utilisation *utilisation)
{
    RowsOffsets marks = { .starts = g_array_new(FALSE, FALSE, sizeof(gsize)) };
    GString *text = g_string_new(NULL);

    rows_append_with_offsets(text, file, "", config, system, utilisation,
                             &marks);
    kept->files[file].text = text;
    kept->files[file].starts = marks.starts;
    if (file != ROWS_RUNS)
        return;
    kept->busiest_from = marks.busiest_from;
    kept->notes_to = marks.notes_to;
}

RowsSnapshot *rows_snapshot_new(const gboolean *wanted,
                                const SystemConfig *config,
                                const System *system,
                                const Utilisation *utilisation)
{
    RowsSnapshot *kept = g_new0(RowsSnapshot, 1);

    kept->busy = utilisation_collect_parts(config, system);
    kept->notes = run_notes_new(system);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (wanted[file])
            store_file_rows(kept, file, config, system, utilisation);
    return kept;
}

void rows_snapshot_free(RowsSnapshot *kept)
{
    if (!kept)
        return;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        if (!kept->files[file].text)
            continue;
        g_string_free(kept->files[file].text, TRUE);
        g_array_unref(kept->files[file].starts);
    }
    run_notes_free(kept->notes);
    g_free(kept);
}

gsize rows_snapshot_memory_bytes(const RowsSnapshot *kept)
{
    gsize n_bytes = sizeof *kept;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (kept->files[file].text)
            n_bytes += kept->files[file].text->allocated_len +
                       kept->files[file].starts->len * sizeof(gsize);
    return n_bytes;
}

/* Appends the bytes from @from to @to of a row.  If the range contains the two
 * cells that depend on capacities, it writes these anew. */
static void append_stored_cells(GString *out, const RowsSnapshot *kept,
                                const GString *text, gsize from, gsize to,
                                const SystemConfig *config,
                                const UtilisationParts *busy)
{
    gboolean is_there = kept->busiest_from >= from && kept->notes_to <= to;

    if (text != kept->files[ROWS_RUNS].text || !is_there) {
        g_string_append_len(out, text->str + from, (gssize)(to - from));
        return;
    }
    g_string_append_len(out, text->str + from,
                        (gssize)(kept->busiest_from - from));
    rows_append_busiest_of(out, busy);
    rows_append_notes_of(out, kept->notes, config);
    g_string_append_len(out, text->str + kept->notes_to,
                        (gssize)(to - kept->notes_to));
}

void rows_snapshot_append(GString *out, RowsFile file, const char *axes,
                          const SystemConfig *config, const RowsSnapshot *kept)
{
    const GString *text = kept->files[file].text;
    const GArray *starts = kept->files[file].starts;
    uint64_t capacities[RESOURCE_MAX_OWN];
    UtilisationParts busy = kept->busy;

    if (result_invariance_list_capacities(config, capacities))
        for (guint i = RESOURCE_OWN; i < resource_count(busy.own); i++)
            busy.uses[i - RESOURCE_OWN].capacity = capacities[i - RESOURCE_OWN];
    for (guint i = 0; text && i < starts->len; i++) {
        gsize from = g_array_index(starts, gsize, i);
        gsize to = i + 1 < starts->len ? g_array_index(starts, gsize, i + 1)
                                       : text->len;

        g_string_append(out, axes);
        append_stored_cells(out, kept, text, from, to, config, &busy);
    }
}
