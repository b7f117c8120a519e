/*
 * rank_path_fixture.h - the critical path over all NPUs as a text
 *
 * Each part of the path is a line "NPU kind operation@iteration from-to", with
 * times in us.  The kind is left out if the operation runs.
 */
#ifndef TESTS_MODELS_OBSERVE_RANK_PATH_FIXTURE_H
#define TESTS_MODELS_OBSERVE_RANK_PATH_FIXTURE_H

#include "tests/models/run/collective_lanes_fixture.h"

#include "models/observe/ranks/rank_path.h"

typedef struct {
    Run run;
    RankPath *path;
    SystemResult r;
} FollowedPath;

static inline const RankPathPart *rank_path_part_at(const FollowedPath *f,
                                                    guint i)
{
    return &g_array_index(rank_path_parts(f->path), RankPathPart, i);
}

/* Checks that the path has no gap from 0 to the end, and that each part is
 * within its operation. */
static inline void assert_path_adds_up(const FollowedPath *f)
{
    const GArray *parts = rank_path_parts(f->path);
    SimTime at_ps = 0;

    for (guint i = 0; i < parts->len; i++) {
        const RankPathPart *p = rank_path_part_at(f, i);
        RankSpan span = rank_path_span(f->path, p->npu, p->op, p->iteration);

        assert_int_equal(p->from_ps, at_ps);
        assert_true(p->to_ps > p->from_ps);
        if (p->kind == RANK_PATH_OP)
            assert_true(span.begin_ps <= p->from_ps && p->to_ps <= span.end_ps);
        else
            assert_true(p->to_ps <= span.begin_ps);
        at_ps = p->to_ps;
    }
    assert_int_equal(at_ps, f->r.total_ps);
}

/* Runs the set-up and follows its path.  The caller calls
 * followed_path_clear(). */
static inline void follow_rank_path(FollowedPath *f, const Setup *setup,
                                    FoldMode fold)
{
    GError *error = NULL;

    read_run_setup(&f->run, setup);
    f->run.system =
        system_new(&f->run.config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    f->path = rank_path_new(f->run.system, &error);
    assert_no_error(error);
    (void)!system_run(f->run.system, &error);
    assert_no_error(error);
    f->r = system_result(f->run.system);
    rank_path_finish(f->path, &f->r);
    assert_path_adds_up(f);
}

static inline void followed_path_clear(FollowedPath *f)
{
    rank_path_free(f->path);
    run_clear(&f->run);
}

static inline const char *followed_path_text(const FollowedPath *f)
{
    static const char *const whats[] = { "", "cycle ", "talk ", "gap " };
    const OpGraph *graph = system_graph(f->run.system);
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < rank_path_parts(f->path)->len; i++) {
        const RankPathPart *p = rank_path_part_at(f, i);
        uint32_t layer = op_graph_op(graph, p->op)->layer;

        g_string_append_printf(
            text, "%u %s%s@%" G_GUINT64_FORMAT " %.6g-%.6g\n", p->npu,
            whats[p->kind],
            (const char *)g_ptr_array_index(graph->layers, layer), p->iteration,
            (double)p->from_ps / 1e6, (double)p->to_ps / 1e6);
    }
    return keep_text_until_exit(text->str);
}

static inline const char *rank_path_text(const Setup *setup, FoldMode fold)
{
    FollowedPath f;
    const char *text;

    follow_rank_path(&f, setup, fold);
    text = followed_path_text(&f);
    followed_path_clear(&f);
    return text;
}

#endif
