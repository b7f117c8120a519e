/* clock_alignment_text.c - the alignment of clocks as a line of text and as
 * JSON */
#include "workloads/recording/clock_alignment.h"

#include <inttypes.h>

char *align_text(const Align *align)
{
    const AlignSolution *solution = align->solution;
    uint32_t n_tied = 0;

    for (guint i = 0; i < solution->clocks->len; i++)
        n_tied +=
            g_array_index(solution->clocks, AlignClock, i).is_tied ? 1 : 0;
    if (n_tied == 0)
        return g_strdup_printf("%u clock%s, which nothing ties together",
                               align->hosts->len,
                               align->hosts->len == 1 ? "" : "s");
    return g_strdup_printf(
        "%u clocks, %u of them tied by %" PRIu64 " collectives and %" PRIu64
        " messages: put right by %.3f us at most%s, ends apart by %.3f us "
        "instead of %.3f, %" PRIu64 " effects before their cause instead of "
        "%" PRIu64,
        align->hosts->len, n_tied, align->n_collectives, align->n_messages,
        align->max_shift_us, solution->has_drift ? ", with drift" : "",
        solution->rms_after_us, solution->rms_before_us,
        solution->n_broken_after, solution->n_broken_before);
}

static void write_json_number(Json *json, const char *key, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    json_add_raw(json, key, g_ascii_formatd(text, sizeof text, "%.6f", value));
}

void align_json(const Align *align, Json *json, const char *key)
{
    const AlignSolution *solution = align->solution;

    json_begin_object(json, key);
    json_add_bool(json, "needed", align->is_needed);
    json_add_u64(json, "collectives", align->n_collectives);
    json_add_u64(json, "messages", align->n_messages);
    json_add_u64(json, "broken_before", solution->n_broken_before);
    json_add_u64(json, "broken_after", solution->n_broken_after);
    write_json_number(json, "rms_before_us", solution->rms_before_us);
    write_json_number(json, "rms_after_us", solution->rms_after_us);
    write_json_number(json, "max_shift_us", align->max_shift_us);
    json_begin_array(json, "clocks");
    for (guint i = 0; i < solution->clocks->len; i++) {
        const AlignClock *clock =
            &g_array_index(solution->clocks, AlignClock, i);
        const AlignHost *host = &g_array_index(align->hosts, AlignHost, i);

        json_begin_object(json, NULL);
        if (host->host)
            json_add_text(json, "host", host->host);
        json_add_u64(json, "ranks", host->n_ranks);
        json_add_bool(json, "tied", clock->is_tied);
        write_json_number(json, "shift_us", clock->shift_us);
        write_json_number(json, "drift_ppm", clock->drift * 1e6);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}
