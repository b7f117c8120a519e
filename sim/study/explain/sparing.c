/* sparing.c - what-ifs that need not all be run */
#include "sim/study/explain/sparing.h"

#include "models/observe/path_rows.h"

#define THE_REST 1 /* the group of what nobody waited for */

void sparing_group(GArray *what_ifs, guint first)
{
    for (guint i = first; i < what_ifs->len; i++) {
        WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        what_if->group = THE_REST + 1 + first;
        what_if->is_of_group = i + 1 == what_ifs->len;
    }
}

gboolean sparing_matters(SimTime base_ps, SimTime iteration_ps, double least)
{
    double gain = (double)base_ps / (double)iteration_ps - 1;

    return gain >= least || gain <= -least;
}

/* ---- what nobody waited for ------------------------------------------- */

/* More of these is taken from kernels. */
static gboolean takes_from_kernels(uint32_t row)
{
    return row == PATH_RESOURCES + RESOURCE_HBM_SHARE ||
           row == PATH_RESOURCES + RESOURCE_SMS;
}

static gboolean is_of_rest(const WhatIf *what_if, const SimTime *path_ps,
                           SimTime total_ps)
{
    return what_if->how == WHAT_IF_ASKED && what_if->group == 0 &&
           what_if->row < PATH_N && path_row_is_communication(what_if->row) &&
           !takes_from_kernels(what_if->row) &&
           (double)path_ps[what_if->row] < SPARING_LEAST * (double)total_ps;
}

static gboolean has_all(char *const *sets, GPtrArray *known)
{
    for (; *sets; sets++)
        if (!g_ptr_array_find_with_equal_func(known, *sets, g_str_equal, NULL))
            return FALSE;
    return TRUE;
}

/* Two that bind each other, which are both in it. */
static void add_pairs(GArray *what_ifs, GPtrArray *sets)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (what_if->how == WHAT_IF_ASKED && what_if->group == 0 &&
            has_all(what_if->sets, sets))
            what_if->group = THE_REST;
    }
}

static void add_all(GArray *what_ifs, const GPtrArray *sets)
{
    WhatIf all = { .row = PATH_N,
                   .name = g_strdup("all at once"),
                   .sets = g_new0(char *, sets->len + 1),
                   .group = THE_REST,
                   .is_of_group = TRUE };

    for (guint i = 0; i < sets->len; i++)
        all.sets[i] = g_strdup(g_ptr_array_index(sets, i));
    g_array_append_val(what_ifs, all);
}

/* One is a group of nothing. */
static void make_rest(GArray *what_ifs, const SimTime *path_ps,
                      SimTime total_ps)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new();
    guint n = 0, last = 0;

    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (!is_of_rest(what_if, path_ps, total_ps))
            continue;
        what_if->group = THE_REST;
        for (char **set = what_if->sets; *set; set++)
            g_ptr_array_add(sets, *set);
        last = i;
        n++;
    }
    if (n > 1) {
        add_pairs(what_ifs, sets);
        add_all(what_ifs, sets);
    } else if (n == 1) {
        g_array_index(what_ifs, WhatIf, last).group = 0;
    }
}

/* ---- in two turns ------------------------------------------------------ */

/* Those that something stands for are left out, for now. */
static void put_off(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (what_if->how == WHAT_IF_ASKED && what_if->group > 0 &&
            !what_if->is_of_group)
            what_if->how = WHAT_IF_LEFT_OUT;
    }
}

static const WhatIf *who_stands_for(const GArray *what_ifs, guint group)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (what_if->group == group && what_if->is_of_group)
            return what_if;
    }
    g_assert_not_reached();
}

static gboolean is_taken_apart(const WhatIf *all, SimTime base_ps)
{
    double least = all->group == THE_REST ? SPARING_LEAST : SPARING_WORTH;

    return all->reason || sparing_matters(base_ps, all->iteration_ps, least);
}

typedef struct {
    GArray *what_ifs;
    SimTime base_ps;
} Sparing;

/* Those whose group changes something, or cannot be, are asked for again.
 * FALSE: of no group it is still to be seen. */
static gboolean call_back(gpointer self)
{
    const Sparing *s = self;
    gboolean is_to_be_seen = FALSE;

    for (guint i = 0; i < s->what_ifs->len; i++) {
        WhatIf *what_if = &g_array_index(s->what_ifs, WhatIf, i);
        const WhatIf *all;

        if (what_if->how != WHAT_IF_LEFT_OUT || what_if->iteration_ps > 0)
            continue;
        all = who_stands_for(s->what_ifs, what_if->group);
        if (all->how == WHAT_IF_ASKED)
            is_to_be_seen = TRUE;
        else if (is_taken_apart(all, s->base_ps))
            what_if->how = WHAT_IF_ASKED;
        else
            what_if->iteration_ps = s->base_ps;
    }
    return is_to_be_seen;
}

/* Nobody asked for what is all of the rest. */
static void forget_rest(GArray *what_ifs)
{
    guint last = what_ifs->len - 1;
    const WhatIf *what_if = &g_array_index(what_ifs, WhatIf, last);

    if (what_if->group == THE_REST && what_if->is_of_group)
        g_array_set_size(what_ifs, last);
}

/* More of that will be proved to be the same (slack.c). */
static gboolean is_all_there_is(const SystemConfig *config, uint32_t row)
{
    return row == PATH_RESOURCES + RESOURCE_HBM_SHARE &&
           endpoint_claim(&config->endpoint).read_bytes_per_s >=
               hbm_usable_bytes_per_s(&config->platform.npu.hbm);
}

void sparing_sure(const GArray *what_ifs, const SystemConfig *config,
                  GArray *ret)
{
    for (guint i = 0; i < what_ifs->len; i++)
        if (g_array_index(what_ifs, WhatIf, i).is_of_group)
            g_array_append_val(ret, i);
    for (guint i = 0; i < what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (what_if->group == 0 && takes_from_kernels(what_if->row) &&
            !is_all_there_is(config, what_if->row))
            g_array_append_val(ret, i);
    }
}

gboolean sparing_run(GArray *what_ifs, WhatIfs *runs, const System *system,
                     const SimTime *path_ps, GError **error)
{
    SystemResult r = system_result(system);
    Sparing s = { what_ifs, r.iteration_ps };
    const WhatIfMore with = { .more = call_back, .self = &s };

    what_ifs_prove(runs);
    make_rest(what_ifs, path_ps, r.total_ps);
    put_off(what_ifs);
    if (!what_ifs_run_asked(runs, &with, error))
        return FALSE;
    forget_rest(what_ifs);
    return TRUE;
}
