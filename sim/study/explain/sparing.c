/* sparing.c - what-ifs that need not all be run */
#include "sim/study/explain/sparing.h"

#include "sim/study/explain/rest.h"

/* While the path is followed in one more run, which takes as long as two. */
#define N_BESIDE 3

void sparing_group(GArray *what_ifs, guint first)
{
    guint last = what_ifs->len - 1;

    for (guint i = first; i < last; i++)
        what_if_at(what_ifs, i)->under[BY_PATTERN] = 1 + last;
    what_if_at(what_ifs, last)->stands = last > first;
}

gboolean sparing_matters(SimTime base_ps, SimTime iteration_ps, double least)
{
    double gain = (double)base_ps / (double)iteration_ps - 1;

    return gain >= least || gain <= -least;
}

/* ---- in turns ------------------------------------------------------------ */

typedef struct {
    GArray *what_ifs;
    SimTime base_ps;
    guint n;        /* what-ifs that are told of; behind them are rests */
    GArray *firsts; /* borrowed, of guint: the first of each of these */
} Sparing;

/* Those that something stands for are left out, for now. */
static void put_off(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_at(what_ifs, i);

        if (what_if->how == WHAT_IF_ASKED &&
            (what_if->under[BY_PATTERN] > 0 || what_if->under[BY_REST] > 0))
            what_if->how = WHAT_IF_LEFT_OUT;
    }
}

static gboolean is_put_off(const WhatIf *what_if)
{
    return what_if->how == WHAT_IF_LEFT_OUT && what_if->iteration_ps == 0;
}

static gboolean is_to_be_seen(const WhatIf *what_if)
{
    return what_if->how == WHAT_IF_ASKED || is_put_off(what_if);
}

/* It has been seen, and changes something, or cannot be. */
static gboolean is_taken_apart(const Sparing *s, guint number)
{
    const WhatIf *all = what_if_at(s->what_ifs, number);
    double least = number < s->n ? SPARING_WORTH : SPARING_LEAST;

    return all->how != WHAT_IF_LEFT_OUT &&
           (all->reason ||
            sparing_matters(s->base_ps, all->iteration_ps, least));
}

typedef enum { LEAVE_OUT, ASK, WAIT } Verdict;

static guint first_of(const Sparing *s, guint rest)
{
    return g_array_index(s->firsts, guint, rest - s->n);
}

/* All at once are next to nothing, and the first of them alone is as much. */
static gboolean is_first_all(const Sparing *s, guint rest)
{
    const WhatIf *all = what_if_at(s->what_ifs, rest);
    const WhatIf *first = what_if_at(s->what_ifs, first_of(s, rest));

    return !all->reason && first->iteration_ps > 0 &&
           !sparing_matters(s->base_ps, all->iteration_ps, SPARING_WORTH) &&
           !sparing_matters(first->iteration_ps, all->iteration_ps,
                            SPARING_LEAST);
}

/* What @over, which stands for @number, says of it. */
static Verdict verdict(const Sparing *s, guint over, guint number)
{
    if (is_to_be_seen(what_if_at(s->what_ifs, over)))
        return WAIT;
    if (!is_taken_apart(s, over))
        return LEAVE_OUT;
    if (over < s->n || number == first_of(s, over))
        return ASK;
    if (is_to_be_seen(what_if_at(s->what_ifs, first_of(s, over))))
        return WAIT;
    return is_first_all(s, over) ? LEAVE_OUT : ASK;
}

/* One is enough to leave it out, all have to agree to ask for it. */
static void decide(const Sparing *s, guint number)
{
    WhatIf *what_if = what_if_at(s->what_ifs, number);
    Verdict all = ASK;

    for (guint i = 0; i < G_N_ELEMENTS(what_if->under); i++) {
        guint over = what_if->under[i];
        Verdict one = over > 0 ? verdict(s, over - 1, number) : ASK;

        if (one != ASK && all != LEAVE_OUT)
            all = one;
    }
    if (all == LEAVE_OUT)
        what_if->iteration_ps = s->base_ps;
    else if (all == ASK)
        what_if->how = WHAT_IF_ASKED;
}

/* FALSE: all that was put off has been decided on. */
static gboolean call_back(gpointer self)
{
    const Sparing *s = self;
    guint n_left = s->what_ifs->len, n_before;

    do {
        n_before = n_left;
        n_left = 0;
        for (guint i = 0; i < s->what_ifs->len; i++) {
            if (is_put_off(what_if_at(s->what_ifs, i)))
                decide(s, i);
            n_left += is_put_off(what_if_at(s->what_ifs, i)) ? 1 : 0;
        }
    } while (n_left < n_before && n_left > 0);
    return n_left > 0;
}

/* More of that will be proved to be the same (slack.c). */
static gboolean is_all_there_is(const SystemConfig *config, uint32_t row)
{
    return row == PATH_RESOURCES + RESOURCE_HBM_SHARE &&
           endpoint_claim(&config->endpoint).read_bytes_per_s >=
               hbm_usable_bytes_per_s(&config->platform.npu.hbm);
}

/* Of these nothing is proved as a rule, and nothing of the path matters. */
static gboolean is_sure(const GArray *what_ifs, const SystemConfig *config,
                        guint number)
{
    const WhatIf *what_if = what_if_at(what_ifs, number);

    return what_if->row == PATH_MEMORY ||
           (takes_from_kernels(what_if->row) &&
            !is_all_there_is(config, what_if->row));
}

/* A baseline's SMs with its share. */
static gboolean has_sure(const GArray *what_ifs, const SystemConfig *config,
                         guint number)
{
    char *const *sets = what_if_at(what_ifs, number)->sets;

    for (guint i = 0; i < number && what_if_at(what_ifs, number)->row == PATH_N;
         i++)
        if (is_sure(what_ifs, config, i) &&
            g_strv_contains((const char *const *)sets,
                            what_if_at(what_ifs, i)->sets[0]))
            return TRUE;
    return FALSE;
}

void sparing_ahead(const GArray *what_ifs, const SystemConfig *config,
                   GArray *ret)
{
    for (guint i = 0; i < what_ifs->len; i++)
        if (is_sure(what_ifs, config, i) || has_sure(what_ifs, config, i))
            g_array_append_val(ret, i);
    for (guint i = 0; i < what_ifs->len; i++)
        if (what_if_at(what_ifs, i)->stands)
            g_array_append_val(ret, i);
}

void sparing_hold(GArray *what_ifs, const SystemConfig *config)
{
    g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(guint));
    guint n = 0;

    sparing_ahead(what_ifs, config, first);
    for (guint i = 0; i < what_ifs->len; i++)
        if (what_if_at(what_ifs, i)->how == WHAT_IF_ASKED)
            what_if_at(what_ifs, i)->how = WHAT_IF_LEFT_OUT;
    for (guint i = 0; i < first->len && n < N_BESIDE; i++) {
        WhatIf *what_if = what_if_at(what_ifs, g_array_index(first, guint, i));

        if (what_if->how != WHAT_IF_LEFT_OUT)
            continue;
        what_if->how = WHAT_IF_ASKED;
        n++;
    }
}

static void let_go(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++)
        if (is_put_off(what_if_at(what_ifs, i)))
            what_if_at(what_ifs, i)->how = WHAT_IF_ASKED;
}

static void note_implied(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_at(what_ifs, i);
        guint over = what_if->under[BY_PATTERN];

        what_if->is_implied =
            what_if->how == WHAT_IF_LEFT_OUT && over > 0 &&
            what_if_at(what_ifs, over - 1)->how == WHAT_IF_LEFT_OUT;
    }
}

gboolean sparing_run(GArray *what_ifs, WhatIfs *runs, const System *system,
                     const SimTime *path_ps, GError **error)
{
    g_autoptr(GArray) firsts = g_array_new(FALSE, FALSE, sizeof(guint));
    SystemResult r = system_result(system);
    Sparing s = { what_ifs, r.iteration_ps, what_ifs->len, firsts };
    const WhatIfMore with = { .more = call_back, .self = &s };

    let_go(what_ifs);
    rest_make(what_ifs, path_ps, r.total_ps, firsts);
    put_off(what_ifs);
    if (!what_ifs_run_asked(runs, &with, error))
        return FALSE;
    g_array_set_size(what_ifs, s.n); /* nobody asked for rests */
    note_implied(what_ifs);
    return TRUE;
}
