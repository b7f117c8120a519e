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
static uint32_t processes_per_npu(const Timeline *t)
{
    return t->recorded ? PROCESS_RECORDED : N_PROCESSES;
}

static void add_watched_npu(Timeline *t, uint32_t npu)
{
    static const char *const names[] = { [PROCESS_NPU] = "",
                                         [PROCESS_COLLECTIVES] = " collectives",
                                         [PROCESS_CHUNKS] = " chunks" };
    WatchedNpu *w = g_new0(WatchedNpu, 1);

    w->npu = npu;
    w->place = system_simulated_npu_of(t->system, npu);
    w->process = w->place * processes_per_npu(t);
    w->collectives = g_array_new(FALSE, TRUE, sizeof(TimelinePiece));
    w->chunks = g_array_new(FALSE, TRUE, sizeof(TimelinePiece));
    w->loads = g_array_new(FALSE, TRUE, sizeof(TimelinePiece));
    w->utilisation = utilisation_set_add(t->utilisations, npu);
    for (uint32_t p = PROCESS_NPU; p <= N_PROCESSES; p++) {
        g_autofree char *name = g_strdup_printf("NPU %u%s", npu, names[p]);

        w->is_thread_taken[p] = g_array_new(FALSE, TRUE, sizeof(gboolean));
        trace_file_name_process(t->file, w->process + p,
                                p == PROCESS_NPU ? 0 : w->process + PROCESS_NPU,
                                name);
    }
    trace_file_name_thread(
        t->file, timeline_track_of(w, PROCESS_NPU, THREAD_MAIN), "main stream");
    trace_file_name_thread(
        t->file,
        timeline_track_of(w, PROCESS_NPU, THREAD_MAIN + OP_STREAM_SIDE),
        "side stream");
    trace_file_name_thread(t->file,
                           timeline_track_of(w, PROCESS_NPU, THREAD_WAITS),
                           "exposed waits");
    t->watched[w->place] = w;
    t->n_watched++;
}

static void free_watched_npu(WatchedNpu *w)
{
    if (!w)
        return;
    g_array_unref(w->collectives);
    g_array_unref(w->chunks);
    g_array_unref(w->loads);
    for (uint32_t p = PROCESS_NPU; p <= N_PROCESSES; p++)
        g_array_unref(w->is_thread_taken[p]);
    g_free(w);
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

static gboolean check_npus_simulated(const Timeline *t, const GArray *npus,
                                     GError **error)
{
    uint32_t n_all = topology_n_npus(system_topology(t->system));

    for (guint i = 0; i < npus->len; i++) {
        uint32_t npu = g_array_index(npus, uint32_t, i);

        if (system_simulates_npu(t->system, npu))
            continue;
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "--timeline-npus: there is no NPU %u; %u of %u are "
                    "simulated%s",
                    npu, t->n_npus, n_all,
                    t->n_npus == n_all ? "" : ", --fold=off simulates all");
        return FALSE;
    }
    return TRUE;
}

Timeline *timeline_open_with_recording(const char *path, const GArray *npus,
                                       uint64_t max_slices,
                                       const TimelineRecorded *beside,
                                       System *system, GError **error)
{
    g_autoptr(Timeline) t = g_new0(Timeline, 1);
    g_autoptr(GArray) all = npus->len == 0 ? all_simulated_npus(system) : NULL;
    gboolean has_pipeline = system_graph(system)->units->len > 0;
    g_autofree char *json = NULL;
    TraceFileHead head;

    npus = all ? all : npus;
    t->path = path;
    t->recorded = beside;
    t->system = system;
    t->op_names = g_ptr_array_new_with_free_func(g_free);
    t->stages = g_array_new(FALSE, FALSE, sizeof(PipelineStage));
    t->phase_names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    t->n_npus = system_n_simulated(system);
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
    if (beside)
        system_add_listener(system, &timeline_recorded_ops, t);
    return g_steal_pointer(&t);
}

Timeline *timeline_open(const char *path, const GArray *npus,
                        uint64_t max_slices, System *system, GError **error)
{
    return timeline_open_with_recording(path, npus, max_slices, NULL, system,
                                        error);
}

void timeline_free(Timeline *t)
{
    if (!t)
        return;
    for (guint i = 0; i < t->n_npus; i++)
        free_watched_npu(t->watched[i]);
    g_free(t->watched);
    g_array_unref(t->stages);
    g_ptr_array_unref(t->op_names);
    g_hash_table_unref(t->phase_names);
    utilisation_set_free(t->utilisations);
    trace_file_free(t->file);
    g_free(t);
}

gboolean timeline_finish(Timeline *t, GError **error)
{
    SimTime total_ps = system_result(t->system).total_ps;

    for (guint i = 0; i < t->n_npus; i++) {
        WatchedNpu *w = t->watched[i];
        SimTime end_ps;

        if (!w)
            continue;
        if (!w->runs)
            timeline_add_wait(t, w, w->last_op, total_ps);
        end_ps = utilisation_finish(w->utilisation);
        timeline_add_counters(
            t->file, timeline_track_of(w, PROCESS_NPU, 0).process,
            utilisation_buckets(w->utilisation), t->system, end_ps);
    }
    timeline_finish_pipeline(t);
    if (t->recorded)
        timeline_add_recorded(t);
    return trace_file_finish(t->file, system_result(t->system).iteration_ps,
                             error);
}

char *timeline_note_text(const Timeline *t)
{
    uint64_t left_out = trace_file_count_left_out(t->file);
    GString *text = g_string_new(NULL);

    g_string_printf(text,
                    "%s: %" G_GUINT64_FORMAT
                    " slices of %u NPU%s; open it in ui.perfetto.dev",
                    t->path, trace_file_count_slices(t->file), t->n_watched,
                    t->n_watched == 1 ? "" : "s");
    if (left_out > 0)
        g_string_append_printf(text,
                               "\n%" G_GUINT64_FORMAT
                               " more slices were left out, the last ones of "
                               "the run: see --timeline-events",
                               left_out);
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}
