/* lint_text.c - the report of a lint as text and as JSON */
#include "workloads/recording/lint.h"

#include <inttypes.h>
#include <string.h>

#include "sim/core/word_suggestions.h"

/* Largest number of ranks that get separate lines. */
#define MAX_RANK_LINES 16

static const RecordRank *rank_of_fault(const LintReport *report,
                                       const Fault *fault)
{
    return fault->rank == RECORD_NONE
               ? NULL
               : record_rank(report->recording, fault->rank);
}

/* ---- text ------------------------------------------------------------- */

static void write_fault_place_text(const RecordRank *rank, const Fault *fault,
                                   const FaultPlace *place, GString *out)
{
    const char *severity = fault_severity_names[fault->kind->severity];

    if (!rank) {
        g_string_append_printf(out, "%s: %s", severity, place->text);
    } else if (place->node == RECORD_NONE) {
        g_string_append_printf(out, "%s: %s: %s", rank->file, severity,
                               place->text);
    } else {
        const RecordNode *node = record_node(rank, place->node);
        g_autofree char *name = words_quote_text(node->name);

        g_string_append_printf(
            out, "%s:%" PRIu64 ": %s: node %" PRIu64 " %s %s", rank->file,
            node->file_position, severity, node->id, name, place->text);
    }
    g_string_append_printf(out, " [%s]\n", fault->kind->base.name);
}

/* Writes places of @fault while there are lines left in *@room.  Returns the
 * number of written places. */
static uint64_t write_fault_text(const LintReport *report, const Fault *fault,
                                 guint *room, GString *out)
{
    guint n = MIN(*room, fault->places->len);

    for (guint i = 0; i < n; i++)
        write_fault_place_text(rank_of_fault(report, fault), fault,
                               &g_array_index(fault->places, FaultPlace, i),
                               out);
    *room -= n;
    return n;
}

/* Writes the faults of one kind, from index @from on.  Returns the index at
 * which the next kind starts. */
static guint write_fault_kind_text(const LintReport *report, guint from,
                                   GString *out)
{
    const Fault *first = g_ptr_array_index(report->faults, from);
    gboolean is_per_rank =
        g_array_index(first->places, FaultPlace, 0).node == RECORD_NONE;
    guint room =
        is_per_rank ? MAX(MAX_RANK_LINES, report->n_places) : report->n_places;
    uint64_t n_hidden = 0;
    guint n_files = 0, i;

    for (i = from; i < report->faults->len; i++) {
        const Fault *fault = g_ptr_array_index(report->faults, i);
        uint64_t n_shown;

        if (fault->kind != first->kind)
            break;
        n_shown = write_fault_text(report, fault, &room, out);
        n_hidden += fault->n - n_shown;
        n_files += fault->n > n_shown ? 1 : 0;
    }
    if (n_hidden)
        g_string_append_printf(out,
                               "%s: and %" PRIu64 " more in %u file%s "
                               "[%s]\n",
                               fault_severity_names[first->kind->severity],
                               n_hidden, n_files, n_files == 1 ? "" : "s",
                               first->kind->base.name);
    return i;
}

static void append_effects_of_import(const LintReport *report, GString *out)
{
    const FaultKind *last = NULL;

    g_string_append(out, "An import\n");
    for (guint i = 0; i < report->faults->len; i++) {
        const Fault *fault = g_ptr_array_index(report->faults, i);

        if (fault->kind != last)
            g_string_append_printf(out, "  %-19s %s\n", fault->kind->base.name,
                                   fault->kind->import);
        last = fault->kind;
    }
}

char *lint_text(const LintReport *report)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < report->faults->len;)
        i = write_fault_kind_text(report, i, out);
    if (report->faults->len)
        append_effects_of_import(report, out);
    for (int s = FAULT_N_SEVERITIES - 1; s >= 0; s--)
        g_string_append_printf(out, "%" PRIu64 " %s%s%s", report->n[s],
                               fault_severity_names[s],
                               report->n[s] == 1 ? "" : "s", s ? ", " : "\n");
    return g_string_free(out, FALSE);
}

char *lint_errors_text(const LintReport *report)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < report->faults->len;) {
        const FaultKind *kind =
            ((const Fault *)g_ptr_array_index(report->faults, i))->kind;
        gsize before = out->len;

        i = write_fault_kind_text(report, i, out);
        if (kind->severity == FAULT_ERROR)
            g_string_append_printf(out, "[%s]: an import %s\n", kind->base.name,
                                   kind->import);
        else
            g_string_truncate(out, before);
    }
    return g_string_free(out, FALSE);
}

/* ---- JSON ------------------------------------------------------------- */

static void write_fault_place_json(const RecordRank *rank,
                                   const FaultPlace *place, Json *json)
{
    json_begin_object(json, NULL);
    if (place->node != RECORD_NONE) {
        const RecordNode *node = record_node(rank, place->node);

        json_add_u64(json, "node", node->id);
        json_add_text(json, "name", node->name);
        json_add_u64(json, "at", node->file_position);
    }
    json_add_text(json, "text", place->text);
    json_end_object(json);
}

void lint_json(const LintReport *report, Json *json, const char *key)
{
    json_begin_array(json, key);
    for (guint i = 0; i < report->faults->len; i++) {
        const Fault *fault = g_ptr_array_index(report->faults, i);
        const RecordRank *rank = rank_of_fault(report, fault);

        json_begin_object(json, NULL);
        json_add_text(json, "kind", fault->kind->base.name);
        json_add_text(json, "severity",
                      fault_severity_names[fault->kind->severity]);
        json_add_text(json, "import", fault->kind->import);
        if (rank)
            json_add_text(json, "file", rank->file);
        if (rank && rank->rank != RECORD_NO_RANK)
            json_add_u64(json, "rank", rank->rank);
        json_add_u64(json, "n", fault->n);
        json_begin_array(json, "places");
        for (guint k = 0; k < fault->places->len; k++)
            write_fault_place_json(
                rank, &g_array_index(fault->places, FaultPlace, k), json);
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
}
