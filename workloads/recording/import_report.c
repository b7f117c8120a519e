/* import_report.c - the report of an import as a table and as JSON */
#include "workloads/recording/import_report.h"

typedef struct {
    /* Heading of the row in the table; NULL: same as the row before. */
    const char *heading;
    const char *key; /* key of the item in JSON; times end in _ps */
    const char *text;
    gboolean always; /* the item is shown even if it is 0 */
    /* The item is repeated as a note in each run of the program. */
    gboolean is_noted;
} Row;

static const Row rows[REPORT_N] = {
    [REPORT_RANKS] = { "found", "ranks", "ranks recorded", TRUE, FALSE },
    [REPORT_WORLD] = { NULL, "world", "ranks there were", FALSE, FALSE },
    [REPORT_EVENTS] = { NULL, "events", "events or records", TRUE, FALSE },
    [REPORT_KERNELS] = { NULL, "kernels", "kernels that compute", TRUE, FALSE },
    [REPORT_COPIES] = { NULL, "copies", "copies and fills", FALSE, FALSE },
    [REPORT_CALLS] = { NULL, "calls", "calls of the host", FALSE, FALSE },
    [REPORT_WAITS] = { NULL, "waits", "waits of the host for the device", FALSE,
                       FALSE },
    [REPORT_COLLECTIVES] = { NULL, "collectives", "collectives, over all ranks",
                             FALSE, FALSE },
    [REPORT_MESSAGES] = { NULL, "messages", "sends and receives", FALSE,
                          FALSE },
    [REPORT_STEPS] = { NULL, "iterations", "iterations", TRUE, FALSE },
    [REPORT_ITERATION] = { NULL, "iteration", "the one that was taken", FALSE,
                           FALSE },
    [REPORT_ITERATION_PS] = { NULL, "iteration_ps", "its length", FALSE,
                              FALSE },
    [REPORT_BEYOND_PS] = { NULL, "beyond_ps",
                           "in which a device went on after its end", FALSE,
                           FALSE },
    [REPORT_BY_SEQUENCE] = { "matched", "by_sequence",
                             "collectives, by sequence number", FALSE, FALSE },
    [REPORT_BY_ORDER] = { NULL, "by_order",
                          "collectives, by their order in group and kind",
                          FALSE, FALSE },
    [REPORT_PAIRS] = { NULL, "pairs", "sends with their receives", FALSE,
                       FALSE },
    [REPORT_SIZES_BY_ID] = { NULL, "sizes_by_id",
                             "communications with their sizes, by id", FALSE,
                             FALSE },
    [REPORT_SIZES_BY_ORDER] = { NULL, "sizes_by_order",
                                "communications with their sizes, by order",
                                FALSE, FALSE },
    [REPORT_SIZES_LEFT] = { NULL, "sizes_left",
                            "of those, one without the other", FALSE, FALSE },
    [REPORT_PARTIAL] = { NULL, "partial", "collectives that a rank lacks",
                         FALSE, TRUE },
    [REPORT_ALONE] = { NULL, "alone", "sends or receives without the other",
                       FALSE, TRUE },
    [REPORT_APART] = { NULL, "apart",
                       "whose ranks were not there at the same time", FALSE,
                       FALSE },
    [REPORT_STREAM_ORDER] = { "inferred", "stream_order",
                              "operations that wait for that before on their "
                              "stream",
                              FALSE, FALSE },
    [REPORT_WAITS_INFERRED] = { NULL, "waits_inferred",
                                "waits, for the last to end before they did",
                                FALSE, FALSE },
    [REPORT_EVENTS_INFERRED] = { NULL, "events_inferred",
                                 "waits of a stream for another, found in the "
                                 "same way",
                                 FALSE, FALSE },
    [REPORT_AFTER_KERNEL] = { NULL, "after_kernel",
                              "collectives, after the last kernel launched",
                              FALSE, FALSE },
    [REPORT_BY_END] = { NULL, "by_end",
                        "kernels that began as a communication ended", FALSE,
                        FALSE },
    [REPORT_THREADS] = { NULL, "threads",
                         "threads of the host, taken as one order", FALSE,
                         FALSE },
    [REPORT_UPPER_BOUNDS] = { NULL, "upper_bounds",
                              "collectives with ranks that were not recorded: "
                              "times may hold a wait for them",
                              FALSE, TRUE },
    [REPORT_NO_STEPS] = { NULL, "no_steps",
                          "iterations in which no device works: taken as one "
                          "with all there is",
                          FALSE, TRUE },
    [REPORT_NO_MARKS] = { NULL, "no_marks",
                          "ranks that mark no step: all that was recorded is "
                          "one iteration",
                          FALSE, TRUE },
    [REPORT_NO_BYTES] = { NULL, "no_bytes",
                          "communications of unknown payload, written as 1 B",
                          FALSE, FALSE },
    [REPORT_NO_KIND] = { NULL, "no_kind",
                         "collectives of unknown kind, written as barriers",
                         FALSE, TRUE },
    [REPORT_ASSUMED_WORK] = { NULL, "assumed_work",
                              "events of unknown categories with a device and "
                              "a stream, as its work",
                              FALSE, TRUE },
    [REPORT_FURTHER_DEVICES] = { NULL, "further_devices",
                                 "devices after the first of a file, as "
                                 "streams of one rank",
                                 FALSE, TRUE },
    [REPORT_DEVICE_RANKS] = { NULL, "device_ranks",
                              "devices of one file, as ranks; a host thread "
                              "that drives several is in each",
                              FALSE, TRUE },
    [REPORT_ROOFLINE] = { NULL, "roofline",
                          "kernels of known FLOP or bytes and unknown time: "
                          "timed by the NPU's roofline",
                          FALSE, TRUE },
    [REPORT_NO_TIME] = { NULL, "no_time",
                         "kernels and copies that say no time and no work, as "
                         "taking none",
                         FALSE, TRUE },
    [REPORT_NAMED_GROUPS] = { NULL, "named_groups",
                              "groups of which only the name is known, as of the "
                              "ranks that name them",
                              FALSE, TRUE },
    [REPORT_SIZED_GROUPS] = { NULL, "sized_groups",
                              "groups of which only the size is known, as of "
                              "ranks that follow each other",
                              FALSE, TRUE },
    [REPORT_CONTINUED_GROUPS] = { NULL, "continued_groups",
                                  "groups of which only the first ranks are "
                                  "listed, continued in the same steps",
                                  FALSE, TRUE },
    [REPORT_UNEVEN_GROUPS] = { NULL, "uneven_groups",
                               "collectives of groups that cannot be repeated over all "
                               "ranks, taken as of neighbours or of all ranks",
                               FALSE, TRUE },
    [REPORT_UNEVEN] = { NULL, "uneven",
                        "uneven all-to-alls, as weights of receivers", FALSE,
                        FALSE },
    [REPORT_NUMBERED] = { NULL, "numbered",
                          "ranks that say no number, numbered in their order",
                          FALSE, FALSE },
    [REPORT_NAMED_RANKS] = { NULL, "named_ranks",
                             "ranks that say no number, numbered by the names "
                             "of their files",
                             FALSE, FALSE },
    [REPORT_RANKS_ASSUMED] = { NULL, "ranks_assumed",
                               "ranks, as the recording does not say how many "
                               "there were: see --ranks",
                               FALSE, TRUE },
    [REPORT_RANKS_LIKE] = { NULL, "ranks_like",
                            "ranks that were not recorded, taken to do what a "
                            "recorded one does",
                            FALSE, TRUE },
    [REPORT_RANKS_LEFT_OUT] = { NULL, "ranks_left_out",
                                "ranks that were not recorded, left out: their "
                                "groups are not known",
                                FALSE, TRUE },
    [REPORT_BY_DIMS] = { NULL, "by_dims",
                         "dimensions of the network that the groups mean, and "
                         "the recording does not describe",
                         FALSE, TRUE },
    [REPORT_NO_GROUP] = { NULL, "no_group",
                          "collectives of unknown groups, taken as of all "
                          "ranks",
                          FALSE, TRUE },
    [REPORT_ONE_RANK] = { NULL, "one_rank",
                          "collectives with one participant, which move "
                          "nothing: see --ranks",
                          FALSE, FALSE },
    [REPORT_GIVEN] = { "given", "given", "dependencies of the recording", FALSE,
                       FALSE },
    [REPORT_BEGINS] = { NULL, "begins",
                        "dependencies on a begin, as on what that waits for",
                        FALSE, FALSE },
    [REPORT_LAUNCHES] = { NULL, "launches",
                          "operations with the call that launched them", FALSE,
                          FALSE },
    [REPORT_WAITS_GIVEN] = { NULL, "waits_given", "waits, and what for", FALSE,
                             FALSE },
    [REPORT_EVENTS_GIVEN] = { NULL, "events_given",
                              "waits of a stream for another", FALSE, FALSE },
    [REPORT_ABSENT] = { "dropped", "absent",
                        "dependencies on nodes that are not in the recording",
                        FALSE, FALSE },
    [REPORT_STALE] = { NULL, "stale",
                       "callers, whose numbers are of another file", FALSE,
                       FALSE },
    [REPORT_BACKWARD] = { NULL, "backward",
                          "dependencies on what ended only afterwards", FALSE,
                          FALSE },
    [REPORT_IN_HOST_ORDER] = { NULL, "in_host_order",
                               "dependencies that the host's order implies",
                               FALSE, FALSE },
    [REPORT_TRANSITIVE] = { NULL, "transitive",
                            "dependencies that others imply", FALSE, FALSE },
    [REPORT_CIRCLES] = { NULL, "circles", "dependencies that made a circle",
                         FALSE, FALSE },
    [REPORT_OUTSIDE] = { NULL, "outside", "operations of other iterations",
                         FALSE, FALSE },
    [REPORT_FOLDED] = { NULL, "folded",
                        "calls that launched nothing, as time of the next",
                        FALSE, FALSE },
    [REPORT_EMPTY] = { NULL, "empty", "operations that took no time", FALSE,
                       FALSE },
    [REPORT_ON_HOST] = { NULL, "on_host",
                         "collectives that the host called, as the device has "
                         "them",
                         FALSE, FALSE },
    [REPORT_WAITED_NOTHING] = { NULL, "waited_nothing",
                                "waits with nothing to wait for", FALSE,
                                FALSE },
    [REPORT_OVERLAPS] = { NULL, "overlaps",
                          "operations that began before what they wait for "
                          "ended",
                          FALSE, FALSE },
    [REPORT_OVERLAP_PS] = { NULL, "overlap_ps", "and time of theirs", FALSE,
                            FALSE },
    [REPORT_STAGE_MESSAGES] = { NULL, "stage_messages",
                                "messages between stages of a pipeline that "
                                "a rank sends",
                                FALSE, TRUE },
    [REPORT_STAGE_BYTES] = { NULL, "stage_bytes", "and bytes of theirs", FALSE,
                             FALSE },
    [REPORT_SINGLE_RANK] = { NULL, "single_rank",
                             "collectives in groups of one rank, which move "
                             "nothing",
                             FALSE, TRUE },
    [REPORT_ROLES] = { "program", "roles", "roles", TRUE, FALSE },
    [REPORT_LOOSE] = { NULL, "loose",
                       "ranks that wait as another of their role does", FALSE,
                       FALSE },
    [REPORT_OPS] = { NULL, "operations", "operations", TRUE, FALSE },
    [REPORT_DEPS] = { NULL, "dependencies",
                      "dependencies, in addition to "
                      "queues",
                      TRUE, FALSE },
    [REPORT_GROUPS] = { NULL, "groups",
                        "groups, in addition to that of all "
                        "ranks",
                        FALSE, FALSE },
    [REPORT_GAPS] = { NULL, "gaps", "gaps that nothing explains", FALSE,
                      FALSE },
    [REPORT_GAP_PS] = { NULL, "gap_ps", "their time, mean over ranks", FALSE,
                        FALSE },
    [REPORT_SKEW_PS] = { NULL, "skew_ps",
                         "from the first rank's begin to the last's", FALSE,
                         FALSE },
    [REPORT_COMM_PS] = { "communication", "comm_ps",
                         "in its kernels, mean over ranks", FALSE, FALSE },
    [REPORT_COMM_LONGEST_PS] = { NULL, "comm_longest_ps",
                                 "in its kernels, of the rank with most", FALSE,
                                 FALSE },
    [REPORT_NETWORK_PS] = { NULL, "network_ps",
                            "less what waits for the last rank", FALSE, FALSE },
    [REPORT_EXPOSED_PS] = { NULL, "exposed_ps",
                            "with nothing computed meanwhile, mean over "
                            "ranks",
                            FALSE, FALSE },
    [REPORT_HOST_WAIT_PS] = { NULL, "host_wait_ps",
                              "in which the host waited for the device", FALSE,
                              FALSE },
};

static char *report_value_text(const Row *row, uint64_t value)
{
    if (g_str_has_suffix(row->key, "_ps"))
        return g_strdup_printf("%.1f us", (double)value / 1e6);
    return g_strdup_printf("%" G_GUINT64_FORMAT, value);
}

GString *record_report_text(const RecordReport *report)
{
    GString *text = g_string_new(NULL);
    const char *heading = NULL, *last_heading = NULL;

    for (int i = 0; i < REPORT_N; i++) {
        g_autofree char *value = report_value_text(&rows[i], report->n[i]);

        heading = rows[i].heading ? rows[i].heading : heading;
        if (report->n[i] == 0 && !rows[i].always)
            continue;
        g_string_append_printf(text, "%-14s%14s  %s\n",
                               heading != last_heading ? heading : "", value,
                               rows[i].text);
        last_heading = heading;
    }
    return text;
}

GPtrArray *record_report_notes(const RecordReport *report)
{
    GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);
    const char *heading = NULL;

    for (int i = 0; i < REPORT_N; i++) {
        g_autofree char *value = report_value_text(&rows[i], report->n[i]);

        heading = rows[i].heading ? rows[i].heading : heading;
        if (report->n[i] > 0 && rows[i].is_noted)
            g_ptr_array_add(notes, g_strdup_printf("%s: %s %s", heading, value,
                                                   rows[i].text));
    }
    return notes;
}

void record_report_json(const RecordReport *report, Json *json)
{
    gboolean open = FALSE;

    json_begin_object(json, "import");
    json_add_text(json, "format", report->format);
    if (report->version)
        json_add_text(json, "version", report->version);
    for (int i = 0; i < REPORT_N; i++) {
        if (rows[i].heading) {
            if (open)
                json_end_object(json);
            json_begin_object(json, rows[i].heading);
            open = TRUE;
        }
        json_add_u64(json, rows[i].key, report->n[i]);
    }
    json_end_object(json);
    json_end_object(json);
}
