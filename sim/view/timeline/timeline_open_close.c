/* timeline_open_close.c - writes a run as a trace for a viewer;
 * see timeline.h */
#include "sim/view/timeline/timeline.h"

#include "sim/view/timeline/timeline_impl.h"

GArray *timeline_parse_npus(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    g_autoptr(GArray) npus = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    if (g_str_equal(text, "all"))
        return g_steal_pointer(&npus);
    for (char **word = words; *word; word++) {
        guint64 value;
        uint32_t npu;

        if (!g_ascii_string_to_unsigned(g_strstrip(*word), 10, 0, UINT32_MAX,
                                        &value, NULL))
            return NULL;
        npu = (uint32_t)value;
        g_array_append_val(npus, npu);
    }
    return npus->len > 0 ? g_steal_pointer(&npus) : NULL;
}

/* Returns the number of trace processes per NPU. */
static uint32_t processes_per_npu(const Timeline *timeline)
{
    return timeline->recorded ? PROCESS_RECORDED : N_PROCESSES;
}

static void add_watched_npu(Timeline *timeline, uint32_t npu)
{
    static const char *const names[] = { [PROCESS_NPU] = "",
                                         [PROCESS_COLLECTIVES] = " collectives",
                                         [PROCESS_CHUNKS] = " chunks" };
    WatchedNpu *watched_npu = g_new0(WatchedNpu, 1);

    watched_npu->npu = npu;
    watched_npu->place = system_representative_npu(timeline->system, npu);
    watched_npu->process = watched_npu->place * processes_per_npu(timeline);
    watched_npu->collectives = g_array_new(FALSE, TRUE, sizeof(TimelinePiece));
    watched_npu->chunks = g_array_new(FALSE, TRUE, sizeof(TimelinePiece));
    watched_npu->loads = g_array_new(FALSE, TRUE, sizeof(TimelinePiece));
    watched_npu->utilisation = utilisation_set_add(timeline->utilisations, npu);
    for (uint32_t p = PROCESS_NPU; p <= N_PROCESSES; p++) {
        g_autofree char *name = g_strdup_printf("NPU %u%s", npu, names[p]);

        watched_npu->is_thread_taken[p] =
            g_array_new(FALSE, TRUE, sizeof(gboolean));
        trace_file_name_process(
            timeline->file, watched_npu->process + p,
            p == PROCESS_NPU ? 0 : watched_npu->process + PROCESS_NPU, name);
    }
    trace_file_name_thread(
        timeline->file,
        timeline_track_of_npu(watched_npu, PROCESS_NPU, THREAD_MAIN),
        "main stream");
    trace_file_name_thread(timeline->file,
                           timeline_track_of_npu(watched_npu, PROCESS_NPU,
                                                 THREAD_MAIN + OP_STREAM_SIDE),
                           "side stream");
    trace_file_name_thread(
        timeline->file,
        timeline_track_of_npu(watched_npu, PROCESS_NPU, THREAD_WAITS),
        "exposed waits");
    timeline->watched[watched_npu->place] = watched_npu;
    timeline->n_watched++;
}

static void free_watched_npu(WatchedNpu *watched_npu)
{
    if (!watched_npu)
        return;
    g_array_unref(watched_npu->collectives);
    g_array_unref(watched_npu->chunks);
    g_array_unref(watched_npu->loads);
    for (uint32_t p = PROCESS_NPU; p <= N_PROCESSES; p++)
        g_array_unref(watched_npu->is_thread_taken[p]);
    g_free(watched_npu);
}

/* Returns all simulated NPUs.  The caller owns the array. */
static GArray *all_simulated_npus(const System *system)
{
    GArray *npus = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < topology_n_npus(system_topology(system)); i++)
        if (system_simulates_npu(system, i))
            g_array_append_val(npus, i);
    return npus;
}

static gboolean check_npus_simulated(const Timeline *timeline,
                                     const GArray *npus, GError **error)
{
    uint32_t n_all = topology_n_npus(system_topology(timeline->system));

    for (guint i = 0; i < npus->len; i++) {
        uint32_t npu = g_array_index(npus, uint32_t, i);

        if (system_simulates_npu(timeline->system, npu))
            continue;
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "--timeline-npus: there is no NPU %u; %u of %u are "
                    "simulated%s",
                    npu, timeline->n_npus, n_all,
                    timeline->n_npus == n_all ? ""
                                              : ", --fold=off simulates all");
        return FALSE;
    }
    return TRUE;
}

Timeline *timeline_open_with_recording(const char *path, const GArray *npus,
                                       uint64_t max_slices,
                                       const TimelineRecorded *recorded,
                                       System *system, GError **error)
{
    g_autoptr(Timeline) t = g_new0(Timeline, 1);
    g_autoptr(GArray) all = npus->len == 0 ? all_simulated_npus(system) : NULL;
    gboolean has_pipeline = system_graph(system)->units->len > 0;
    g_autofree char *json = NULL;
    TraceFileHead head;

    npus = all ? all : npus;
    t->path = path;
    t->recorded = recorded;
    t->system = system;
    t->op_names = g_ptr_array_new_with_free_func(g_free);
    t->stages = g_array_new(FALSE, FALSE, sizeof(PipelineStage));
    t->phase_names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    t->n_npus = system_n_simulated_npus(system);
    t->watched = g_new0(WatchedNpu *, t->n_npus);
    if (!check_npus_simulated(t, npus, error))
        return NULL;
    json = timeline_head_json(t, npus);
    head =
        (TraceFileHead){ workload_name(&system_config(system)->workload), json,
                         t->n_npus * processes_per_npu(t) +
                             (has_pipeline ? 1 : 0) };
    t->file = trace_file_open(path, &head, max_slices, error);
    if (!t->file)
        return NULL;
    t->utilisations = utilisation_set_new(system);
    for (guint i = 0; i < npus->len; i++)
        if (!timeline_find_watched(t, g_array_index(npus, uint32_t, i)))
            add_watched_npu(t, g_array_index(npus, uint32_t, i));
    system_add_listener(system, &timeline_ops, t);
    system_add_listener(system, &timeline_lanes, t);
    system_add_listener(system, &timeline_stages, t);
    if (has_pipeline) {
        t->pipeline_process = head.max_process;
        trace_file_name_process(t->file, t->pipeline_process, 0, "pipeline");
        system_add_listener(system, &timeline_pipeline, t);
    }
    if (recorded)
        system_add_listener(system, &timeline_recorded_ops, t);
    return g_steal_pointer(&t);
}

Timeline *timeline_open(const char *path, const GArray *npus,
                        uint64_t max_slices, System *system, GError **error)
{
    return timeline_open_with_recording(path, npus, max_slices, NULL, system,
                                        error);
}

void timeline_free(Timeline *timeline)
{
    if (!timeline)
        return;
    for (guint i = 0; i < timeline->n_npus; i++)
        free_watched_npu(timeline->watched[i]);
    g_free(timeline->watched);
    g_array_unref(timeline->stages);
    g_ptr_array_unref(timeline->op_names);
    g_hash_table_unref(timeline->phase_names);
    utilisation_set_free(timeline->utilisations);
    trace_file_free(timeline->file);
    g_free(timeline);
}

gboolean timeline_finish(Timeline *timeline, GError **error)
{
    SimTime total_ps = system_result(timeline->system).total_ps;

    for (guint i = 0; i < timeline->n_npus; i++) {
        WatchedNpu *watched_npu = timeline->watched[i];
        SimTime end_ps;

        if (!watched_npu)
            continue;
        if (!watched_npu->runs)
            timeline_add_wait(timeline, watched_npu, watched_npu->last_op,
                              total_ps);
        end_ps = utilisation_finish(watched_npu->utilisation);
        timeline_add_counters(
            timeline->file,
            timeline_track_of_npu(watched_npu, PROCESS_NPU, 0).process,
            utilisation_buckets(watched_npu->utilisation), timeline->system,
            end_ps);
    }
    timeline_finish_pipeline(timeline);
    if (timeline->recorded)
        timeline_add_recorded(timeline);
    return trace_file_finish(
        timeline->file, system_result(timeline->system).iteration_ps, error);
}

char *timeline_note_text(const Timeline *timeline)
{
    uint64_t left_out = trace_file_count_left_out(timeline->file);
    GString *text = g_string_new(NULL);

    g_string_printf(text,
                    "%s: %" G_GUINT64_FORMAT
                    " slices of %u NPU%s; open it in ui.perfetto.dev",
                    timeline->path, trace_file_count_slices(timeline->file),
                    timeline->n_watched, timeline->n_watched == 1 ? "" : "s");
    if (left_out > 0)
        g_string_append_printf(text,
                               "\n%" G_GUINT64_FORMAT
                               " more slices were left out, the last ones of "
                               "the run: see --timeline-events",
                               left_out);
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}
