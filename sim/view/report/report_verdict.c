/* report_verdict.c - the question, the answer and the notes of a report, by
 * rules */
#include "sim/view/report/report_impl.h"

#include <math.h>
#include <string.h>

#include "sim/study/inflight_window_notes.h"
#include "sim/view/text/time_text.h"

#define PS_PER_US     1e6
#define MAX_RUN_NOTES 3 /* distinct notes of runs that are quoted */
/* Smallest share of the iteration that the sentence names. */
#define MIN_NAMED_SHARE 0.01
#define MAX_NAMES       8 /* baselines that the question names */

/* ---- speed-ups over a kind of baseline ----------------------------------- */

typedef struct {
    guint n, n_gain, n_loss;
    double mean, min, max;   /* the mean is geometric */
    const ReportGroup *most; /* the group with the largest speed-up */
} GroupSpeedups;

static double speedup_of_group(const ReportPage *page, const ReportGroup *group,
                               guint base)
{
    double us = report_iteration_us(page, group->offload);

    return base != G_MAXUINT && us > 0 ? report_iteration_us(page, base) / us
                                       : 0;
}

static GroupSpeedups collect_speedups_of_groups(const ReportPage *page,
                                                gboolean over_best)
{
    GroupSpeedups s = { .min = G_MAXDOUBLE };
    double sum = 0;

    for (guint i = 0; i < page->groups->len; i++) {
        const ReportGroup *group = report_group(page, i);
        double speedup = speedup_of_group(
            page, group, over_best ? group->best : group->published);

        if (speedup <= 0)
            continue;
        s.n++;
        s.n_gain += speedup > 1 + group->error_ratio;
        s.n_loss += speedup < report_loss_limit(group->error_ratio);
        sum += log(speedup);
        s.min = MIN(s.min, speedup);
        if (speedup > s.max) {
            s.max = speedup;
            s.most = group;
        }
    }
    s.mean = s.n > 0 ? exp(sum / s.n) : 0;
    return s;
}

static const char *find_offload_to_judge(const ReportPage *page)
{
    return g_ptr_array_index(page->r->comparison->offloads, 0);
}

/* ---- results with a comparison ------------------------------------------- */

static char *names_as_enumeration_text(const GPtrArray *names)
{
    GString *out = g_string_new(NULL);
    guint n = MIN(names->len, MAX_NAMES);

    for (guint i = 0; i < n; i++)
        g_string_append_printf(out, "%s%s",
                               i == 0                ? ""
                               : i + 1 == names->len ? " and "
                                                     : ", ",
                               (char *)g_ptr_array_index(names, i));
    if (n < names->len)
        g_string_append_printf(out, " and %u more", names->len - n);
    return g_string_free(out, FALSE);
}

static char *speedup_range_text(const GroupSpeedups *speedups)
{
    return speedups->n > 1 ? g_strdup_printf(" (%.2f to %.2f×)", speedups->min,
                                             speedups->max)
                           : g_strdup("");
}

static void write_answer_over_best_baseline(ReportPage *page,
                                            const GroupSpeedups *over_best,
                                            const GroupSpeedups *over_published)
{
    g_autofree char *range = speedup_range_text(over_best);
    gboolean is_none = over_best->n_gain == 0 && over_best->n_loss == 0;
    g_autofree char *most = NULL;

    if (is_none) {
        page->answer = g_strdup_printf(
            "No measurable gain: %.2f× the best without it%s, %s %.2f× the "
            "baselines.",
            over_best->mean, range,
            over_published->mean > 1 + page->error_ratio ? "though" : "and",
            over_published->mean);
    } else if (over_best->mean > 1 + page->error_ratio) {
        page->answer =
            g_strdup_printf("%.2f× the best without it%s, %.2f× the baselines.",
                            over_best->mean, range, over_published->mean);
    } else if (over_best->mean < report_loss_limit(page->error_ratio)) {
        page->answer = g_strdup_printf(
            "Slower: %.2f× the best without it%s, %.2f× the baselines.",
            over_best->mean, range, over_published->mean);
    } else {
        most = report_point_name(page, over_best->most->offload, FALSE);
        page->answer = g_strdup_printf("Mixed: %.2f to %.2f× the best without "
                                       "it; the most is for %s.",
                                       over_best->min, over_best->max, most);
    }
}

/* Says how many comparisons show a gain beyond the expected error, and where it
 * is largest. */
static char *measurable_gains_text(const ReportPage *page,
                                   const GroupSpeedups *speedups,
                                   const char *base)
{
    g_autofree char *most =
        report_point_name(page, speedups->most->offload, FALSE);
    guint n_none = speedups->n - speedups->n_gain - speedups->n_loss;
    GString *out = g_string_new(NULL);

    g_string_append_printf(
        out,
        "%u of %u comparisons show no difference from %s beyond the expected "
        "error",
        n_none, speedups->n, base);
    if (speedups->n_gain > 0)
        g_string_append_printf(out, ", %u a gain", speedups->n_gain);
    if (speedups->n_loss > 0)
        g_string_append_printf(out, ", %u a loss", speedups->n_loss);
    g_string_append_printf(out, ". The most is %.2f×, for %s.", speedups->max,
                           most);
    return g_string_free(out, FALSE);
}

static void judge_comparison(ReportPage *page)
{
    const Comparison *comparison = page->r->comparison;
    GroupSpeedups h = collect_speedups_of_groups(page, TRUE),
                  p = collect_speedups_of_groups(page, FALSE);
    g_autofree char *names = names_as_enumeration_text(
        h.n > 0 ? comparison->best : comparison->baselines);
    g_autofree char *range = speedup_range_text(&p);

    if (h.n > 0) {
        page->question = g_strdup_printf(
            "How much faster is an iteration with %s than with the best that "
            "could be built without it (the fastest of the baselines and %s)?",
            find_offload_to_judge(page), names);
        write_answer_over_best_baseline(page, &h, &p);
        page->support = measurable_gains_text(page, &h, "the best");
        return;
    }
    page->question = g_strdup_printf(
        "How much faster is an iteration with %s than with %s%s?",
        find_offload_to_judge(page),
        comparison->baselines->len > 1 ? "the fastest of " : "", names);
    page->answer = g_strdup_printf(
        "%s%.2f× the baselines%s. Nobody has shown "
        "that these could not be better.",
        p.mean < report_loss_limit(page->error_ratio) ? "Slower: " : "", p.mean,
        range);
    page->support = measurable_gains_text(page, &p, "the fastest baseline");
}

/* ---- results without a comparison ---------------------------------------- */

/* Returns the largest ratio between the geometric means of the iteration times
 * of two values of @column. */
static double effect_of_axis(const ReportPage *page, const ReportColumn *column)
{
    g_autoptr(GHashTable) sums =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    GHashTableIter iter;
    double min = G_MAXDOUBLE, max = -G_MAXDOUBLE;
    gpointer value;

    for (guint i = 0; i < page->r->rows->len; i++) {
        guint row = results_row_at(page->r, i);
        const char *text = results_cell_text(page->r, row, column->column);
        double us = report_iteration_us(page, row);
        double *sum = g_hash_table_lookup(sums, text);

        if (!sum) {
            sum = g_new0(double, 2);
            g_hash_table_insert(sums, (gpointer)text, sum);
        }
        sum[0] += us > 0 ? log(us) : 0;
        sum[1]++;
    }
    g_hash_table_iter_init(&iter, sums);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const double *sum = value;

        min = MIN(min, sum[0] / sum[1]);
        max = MAX(max, sum[0] / sum[1]);
    }
    return exp(max - min);
}

static const ReportColumn *find_strongest_axis(const ReportPage *page,
                                               guint *n_axes)
{
    const ReportColumn *strongest = NULL;
    double most = 0;

    *n_axes = 0;
    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *c = report_column(page, i);
        double effect;

        if (!c->is_axis || !c->is_shown)
            continue;
        (*n_axes)++;
        effect = effect_of_axis(page, c);
        if (effect > most) {
            most = effect;
            strongest = c;
        }
    }
    return strongest;
}

static char *time_of_row(const ReportPage *page, guint row)
{
    return time_text(
        (SimTime)(report_iteration_us(page, row) * PS_PER_US + 0.5));
}

/* Returns a sentence about the largest groups of parts of @row. */
static char *describe_largest_parts(const ReportPage *page, guint row)
{
    const GArray *parts = page->why->parts->pdata[row];
    GString *out = g_string_new(NULL);
    double sum = 0, mfu;
    guint n = 0;

    for (guint i = 0; parts && i < parts->len; i++)
        sum += (double)g_array_index(parts, AttributionPart, i).time_ps;
    for (guint g = 0; parts && page->used_groups[g]; g++) {
        const AttributionGroup *group = page->used_groups[g];
        double ps = 0;

        for (guint i = 0; i < parts->len; i++)
            if (g_array_index(parts, AttributionPart, i).group == group->name)
                ps += (double)g_array_index(parts, AttributionPart, i).time_ps;
        if (ps >= MIN_NAMED_SHARE * sum)
            g_string_append_printf(out, "%s%.1f %% %s", n++ > 0 ? ", " : "",
                                   100 * ps / sum, group->label);
    }
    if (out->len == 0)
        g_string_append_printf(
            out, "The causes of its time have not been simulated");
    else
        g_string_prepend(out, page->r->rows->len > 1 ? "Of the fastest: "
                                                     : "Of this: ");
    if (report_row_number(page->r, row, "mfu", &mfu))
        g_string_append_printf(out, "; MFU %.1f %%", 100 * mfu);
    g_string_append_c(out, '.');
    return g_string_free(out, FALSE);
}

static void rank_endpoints_without_offload(ReportPage *page)
{
    const SweepResults *results = page->r;
    guint fastest = results_row_at(results, 0), slowest = fastest, n_axes;
    const ReportColumn *axis = find_strongest_axis(page, &n_axes);
    g_autofree char *first = NULL, *last = NULL, *time = NULL, *why = NULL;

    for (guint i = 1; i < results->rows->len; i++) {
        guint row = results_row_at(results, i);

        if (report_iteration_us(page, row) < report_iteration_us(page, fastest))
            fastest = row;
        if (report_iteration_us(page, row) > report_iteration_us(page, slowest))
            slowest = row;
    }
    first = report_point_name(page, fastest, TRUE);
    last = report_point_name(page, slowest, TRUE);
    time = time_of_row(page, fastest);
    if (results->rows->len == 1) {
        page->question = g_strdup("How long does an iteration take?");
        page->answer = g_strdup_printf("%s, for %s.", time, first);
        page->support = describe_largest_parts(page, fastest);
        return;
    }
    page->question =
        g_strdup_printf("Which of %u points is fastest?", results->rows->len);
    why = n_axes > 1
              ? g_strdup_printf(" The time depends most on %s.", axis->label)
              : g_strdup("");
    page->answer = g_strdup_printf(
        "The fastest is %s: %s. The slowest is %s: %.2f times as long.%s",
        first, time, last,
        report_iteration_us(page, fastest) > 0
            ? report_iteration_us(page, slowest) /
                  report_iteration_us(page, fastest)
            : 1,
        why);
    page->support = describe_largest_parts(page, fastest);
}

static void report_missing_comparison(ReportPage *page)
{
    guint status;
    const char *reason =
        csv_table_n_rows(page->r->table) > 0 &&
                csv_table_column(page->r->table, "status", &status, NULL)
            ? results_cell_text(page->r, 0, status)
            : "there are no points";

    page->question = g_strdup("How long does an iteration take?");
    page->answer = g_strdup("No point came to a result.");
    page->support = g_strdup_printf("The first: %s.", reason);
}

/* ---- what to know before the answer is quoted ---------------------------- */

G_GNUC_PRINTF(2, 3)
static void add_verdict_note(ReportPage *page, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    *text = g_ascii_toupper(*text);
    g_ptr_array_add(page->notes, text);
}

/* A kind of note: texts that differ in figures only. */
typedef struct {
    const char *first; /* borrowed: the first text of the kind */
    guint n;
    gboolean differs; /* not all texts are the same */
} NoteKind;

static char *copy_text_without_digits(const char *text)
{
    GString *out = g_string_new(NULL);

    for (const char *p = text; *p != '\0'; p++)
        if (!g_ascii_isdigit(*p) && *p != '.')
            g_string_append_c(out, *p);
    return g_string_free(out, FALSE);
}

static gint compare_note_counts(gconstpointer a, gconstpointer b)
{
    const NoteKind *const *x = a, *const *y = b;

    return (*x)->n > (*y)->n ? -1 : (*x)->n < (*y)->n;
}

/* Quotes the notes of runs that concern most points. */
static void add_run_notes(ReportPage *page)
{
    const SweepResults *results = page->r;
    g_autoptr(GHashTable) index =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) kinds = g_ptr_array_new_with_free_func(g_free);
    guint column;

    if (!csv_table_column(results->table, "notes", &column, NULL))
        return;
    for (guint i = 0; i < results->rows->len; i++) {
        const char *text =
            results_cell_text(results, results_row_at(results, i), column);
        char *key = copy_text_without_digits(text);
        NoteKind *kind = g_hash_table_lookup(index, key);

        if (*text == '\0' || kind) {
            g_free(key);
        } else {
            kind = g_new0(NoteKind, 1);
            kind->first = text;
            g_ptr_array_add(kinds, kind);
            g_hash_table_insert(index, key, kind);
        }
        if (kind) {
            kind->n++;
            kind->differs |= !g_str_equal(kind->first, text);
        }
    }
    g_ptr_array_sort(kinds, compare_note_counts);
    for (guint i = 0; i < MIN(kinds->len, MAX_RUN_NOTES); i++) {
        const NoteKind *kind = g_ptr_array_index(kinds, i);
        const char *text = kind->first;

        if (g_str_has_prefix(text, "warning: "))
            text += strlen("warning: ");
        add_verdict_note(page, "%u of %u points%s: %s.", kind->n,
                         results->rows->len,
                         kind->differs ? ", with various figures" : "", text);
    }
    if (kinds->len > MAX_RUN_NOTES)
        add_verdict_note(page,
                         "%u more kinds of notes are in the column notes of "
                         "runs.csv.",
                         kinds->len - MAX_RUN_NOTES);
}

/* Says how many values of the configuration are assumed. */
static void add_assumption_note(ReportPage *page)
{
    g_autofree char *path =
        g_build_filename(page->r->folder, "config.csv", NULL);
    g_autoptr(CsvTable) table = NULL;
    g_autoptr(GHashTable) keys = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) assumed = g_hash_table_new(g_str_hash, g_str_equal);
    guint key, source;

    if (!g_file_test(path, G_FILE_TEST_EXISTS) ||
        !(table = csv_table_load(path, NULL)) ||
        !csv_table_column(table, "key", &key, NULL) ||
        !csv_table_column(table, "source", &source, NULL))
        return;
    for (guint i = 0; i < csv_table_n_rows(table); i++) {
        const char *name = csv_table_text(table, i, key);

        g_hash_table_add(keys, (gpointer)name);
        if (strstr(csv_table_text(table, i, source), "assumed"))
            g_hash_table_add(assumed, (gpointer)name);
    }
    if (g_hash_table_size(assumed) > 0)
        add_verdict_note(
            page,
            "%u of %u values of the configuration are assumed; the "
            "sources below say which.",
            g_hash_table_size(assumed), g_hash_table_size(keys));
}

/* Says the largest error to expect of the times, if they are not compared. */
static void add_time_error_note(ReportPage *page)
{
    const SweepResults *results = page->r;
    const char *family = "", *basis = "";
    double percent, most = 0;
    guint from, why;

    if (!csv_table_column(results->table, "expected_error_from", &from, NULL) ||
        !csv_table_column(results->table, "expected_error_basis", &why, NULL))
        return;
    for (guint i = 0; i < results->rows->len; i++) {
        guint row = results_row_at(results, i);

        if (!report_row_number(results, row, "expected_error_percent",
                               &percent) ||
            percent <= most)
            continue;
        most = percent;
        family = results_cell_text(results, row, from);
        basis = results_cell_text(results, row, why);
    }
    if (most > 0)
        add_verdict_note(
            page,
            "the error to expect of a time is at most %.0f %%, from the "
            "nearest family of measured systems: %s; %s.",
            most, family, basis);
}

/* Returns how near the measured systems are to the first point that has the
 * largest error; NULL if it is not known. */
static const char *nearness_text_of_largest_error(const ReportPage *page)
{
    const SweepResults *results = page->r;
    guint column;

    if (!csv_table_column(results->table, "expected_error_basis", &column,
                          NULL))
        return NULL;
    for (guint i = 0; i < page->groups->len; i++)
        if (report_group(page, i)->error_ratio >= page->error_ratio)
            return results_cell_text(results, report_group(page, i)->offload,
                                     column);
    return NULL;
}

static void add_verdict_notes(ReportPage *page)
{
    const SweepResults *results = page->r;
    guint n_points = csv_table_n_rows(results->table);
    guint n_failed = n_points - results->rows->len;
    g_autofree char *window = note_on_chunk_window(results->table);
    const char *basis = nearness_text_of_largest_error(page);

    page->notes = g_ptr_array_new_with_free_func(g_free);
    if (n_failed > 0)
        add_verdict_note(
            page,
            "%u of %u points failed; the column status of runs.csv "
            "says why.",
            n_failed, n_points);
    if (page->groups->len == 0)
        add_time_error_note(page);
    if (page->groups->len == 0 && results->rows->len > 0 &&
        results_column_varies(results, results->endpoint))
        add_verdict_note(page, "endpoints are not compared: %s.",
                         results->no_comparison_reason);
    if (page->groups->len > 0 &&
        collect_speedups_of_groups(page, TRUE).n == 0) {
        g_autofree char *untuned = compare_untuned_note(results->comparison);

        add_verdict_note(page, "%s.", untuned);
    }
    if (page->groups->len > 0 && page->error_family)
        add_verdict_note(
            page,
            "the grey band is the error to expect, at most %.0f %%, from "
            "the nearest family of measured systems: %s%s%s.",
            100 * page->error_ratio, page->error_family, basis ? "; " : "",
            basis ? basis : "");
    else if (page->groups->len > 0)
        add_verdict_note(page, "the grey band of %.0f %% is %s.",
                         100 * page->error_ratio, page->error_source);
    if (window)
        add_verdict_note(page, "%s.", window);
    add_run_notes(page);
    add_assumption_note(page);
    if (page->why->n_changed > 0)
        add_verdict_note(
            page,
            "%u points take another time now than in runs.csv: the "
            "program or a file has changed. Run the sweep again.",
            page->why->n_changed);
    if (page->rows->len < n_points && n_points > REPORT_MAX_POINTS)
        add_verdict_note(page,
                         "this page has the %u fastest of %u points; runs.csv "
                         "has all.",
                         page->rows->len, n_points);
}

void report_make_verdict(ReportPage *page)
{
    if (page->r->rows->len == 0)
        report_missing_comparison(page);
    else if (page->groups->len > 0)
        judge_comparison(page);
    else
        rank_endpoints_without_offload(page);
    add_verdict_notes(page);
}
