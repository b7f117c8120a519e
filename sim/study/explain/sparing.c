/* sparing.c - what-ifs that need not all be run */
#include "sim/study/explain/sparing.h"

#include "models/observe/path_rows.h"

/* Of .under: a dimension is under all dimensions, anything under the rest. */
enum { BY_PATTERN, BY_REST };

/* Of the path at most, for one of the rest.  It says only who is tried at once:
 * what is told comes of runs, whatever the path promised.  With 1 % fewest are
 * made of three workloads with five endpoints on five platforms: 487, and 510
 * with 0.2 %, as waits that go are often followed by others. */
#define REST_SHARE 0.01
/* Some of the rest may matter, most likely those with most of the path: so many
 * are taken off one by one, and then all others are run (one: 512 runs, three:
 * 489). */
#define MOST_RESTS 2

static WhatIf *at(const GArray *what_ifs, guint number)
{
    return &g_array_index(what_ifs, WhatIf, number);
}

void sparing_group(GArray *what_ifs, guint first)
{
    guint last = what_ifs->len - 1;

    for (guint i = first; i < last; i++)
        at(what_ifs, i)->under[BY_PATTERN] = 1 + last;
    at(what_ifs, last)->stands = last > first;
}

gboolean sparing_matters(SimTime base_ps, SimTime iteration_ps, double least)
{
    double gain = (double)base_ps / (double)iteration_ps - 1;

    return gain >= least || gain <= -least;
}

/* ---- what hardly anybody waited for ------------------------------------- */

/* More of these is taken from kernels. */
static gboolean takes_from_kernels(uint32_t row)
{
    return row == PATH_RESOURCES + RESOURCE_HBM_SHARE ||
           row == PATH_RESOURCES + RESOURCE_SMS;
}

/* Those that are tried all at once, the ones with most of the path first. */
typedef struct {
    GArray *what_ifs;
    const SimTime *path_ps; /* over the whole run, by row */
    SimTime most_ps;        /* of the path, for one of them */
    GArray *some;           /* owned, of Some */
} Rest;

typedef struct {
    guint number;
    SimTime path_ps;
} Some;

static const Some *some_at(const Rest *rest, guint i)
{
    return &g_array_index(rest->some, Some, i);
}

/* What stands for others has all that they have. */
static SimTime path_ps(const Rest *rest, guint number)
{
    const WhatIf *what_if = at(rest->what_ifs, number);
    SimTime sum_ps = what_if->row < PATH_N ? rest->path_ps[what_if->row] : 0;

    for (guint i = 0; i < number && what_if->stands; i++)
        if (at(rest->what_ifs, i)->under[BY_PATTERN] == 1 + number)
            sum_ps += path_ps(rest, i);
    return sum_ps;
}

static gboolean is_known(const WhatIf *what_if)
{
    return what_if->row < PATH_N ? path_row_is_communication(what_if->row) &&
                                       !takes_from_kernels(what_if->row)
                                 : what_if->stands;
}

/* FALSE: too much of the path, or it is not known how much. */
static gboolean may_be_of_rest(const Rest *rest, guint number)
{
    const WhatIf *what_if = at(rest->what_ifs, number);

    return what_if->how == WHAT_IF_ASKED && is_known(what_if) &&
           path_ps(rest, number) < rest->most_ps;
}

static void add_some(Rest *rest)
{
    for (guint i = 0; i < rest->what_ifs->len; i++) {
        guint over = at(rest->what_ifs, i)->under[BY_PATTERN];
        const Some some = { i, path_ps(rest, i) };

        if (may_be_of_rest(rest, i) &&
            (over == 0 || !may_be_of_rest(rest, over - 1)))
            g_array_append_val(rest->some, some);
    }
}

static gboolean has(const GPtrArray *sets, const char *set)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)sets, set, g_str_equal,
                                            NULL);
}

/* What is set of those from @first on.  Owner: the caller; texts are borrowed.
 */
static GPtrArray *sets_from(const Rest *rest, guint first)
{
    GPtrArray *sets = g_ptr_array_new();

    for (guint i = first; i < rest->some->len; i++) {
        char **set = at(rest->what_ifs, some_at(rest, i)->number)->sets;

        for (; *set; set++)
            if (!has(sets, *set))
                g_ptr_array_add(sets, *set);
    }
    return sets;
}

static gboolean has_all(const GPtrArray *sets, char *const *some)
{
    for (; *some; some++)
        if (!has(sets, *some))
            return FALSE;
    return TRUE;
}

/* Two that bind each other, which are both in it, go last: what is left has
 * both of them. */
static void add_pairs(Rest *rest)
{
    g_autoptr(GPtrArray) sets = sets_from(rest, 0);

    for (guint i = 0; i < rest->what_ifs->len; i++) {
        const WhatIf *what_if = at(rest->what_ifs, i);
        const Some some = { i, 0 };

        if (what_if->how == WHAT_IF_ASKED && what_if->row == PATH_N &&
            !what_if->stands && has_all(sets, what_if->sets))
            g_array_append_val(rest->some, some);
    }
}

static gint by_path(gconstpointer a, gconstpointer b)
{
    const Some *x = a, *y = b;

    if (x->path_ps != y->path_ps)
        return x->path_ps > y->path_ps ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* All from @first on at once. */
static void add_all(const Rest *rest, guint first, guint over)
{
    g_autoptr(GPtrArray) sets = sets_from(rest, first);
    WhatIf all = { .row = PATH_N,
                   .name = g_strdup("all at once"),
                   .sets = g_new0(char *, sets->len + 1),
                   .under = { 0, over },
                   .stands = TRUE };

    for (guint i = 0; i < sets->len; i++)
        all.sets[i] = g_strdup(g_ptr_array_index(sets, i));
    g_array_append_val(rest->what_ifs, all);
}

/* Each stands for the first of those that it has, and for the next, which has
 * the others.  One is a rest of nothing. */
static void add_rests(const Rest *rest, GArray *firsts)
{
    guint over = 0, n = rest->some->len;

    for (guint i = 0; i < n; i++) {
        if (i < MOST_RESTS && n - i > 1) {
            add_all(rest, i, over);
            over = rest->what_ifs->len;
            g_array_append_val(firsts, some_at(rest, i)->number);
        }
        at(rest->what_ifs, some_at(rest, i)->number)->under[BY_REST] = over;
    }
}

static void make_rests(GArray *what_ifs, const SimTime *path_ps,
                       SimTime total_ps, GArray *firsts)
{
    g_autoptr(GArray) some = g_array_new(FALSE, FALSE, sizeof(Some));
    Rest rest = { what_ifs, path_ps, (SimTime)(REST_SHARE * (double)total_ps),
                  some };

    add_some(&rest);
    add_pairs(&rest);
    g_array_sort(some, by_path);
    add_rests(&rest, firsts);
}

/* ---- in turns ------------------------------------------------------------ */

typedef struct {
    GArray *what_ifs;
    SimTime base_ps;
    guint n;        /* what-ifs that are told of; behind them are rests */
    GArray *firsts; /* owned, of guint: the first of each of these */
} Sparing;

/* Those that something stands for are left out, for now. */
static void put_off(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = at(what_ifs, i);

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
    const WhatIf *all = at(s->what_ifs, number);
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
    const WhatIf *all = at(s->what_ifs, rest);
    const WhatIf *first = at(s->what_ifs, first_of(s, rest));

    return !all->reason && first->iteration_ps > 0 &&
           !sparing_matters(s->base_ps, all->iteration_ps, SPARING_WORTH) &&
           !sparing_matters(first->iteration_ps, all->iteration_ps,
                            SPARING_LEAST);
}

/* What @over, which stands for @number, says of it. */
static Verdict verdict(const Sparing *s, guint over, guint number)
{
    if (is_to_be_seen(at(s->what_ifs, over)))
        return WAIT;
    if (!is_taken_apart(s, over))
        return LEAVE_OUT;
    if (over < s->n || number == first_of(s, over))
        return ASK;
    if (is_to_be_seen(at(s->what_ifs, first_of(s, over))))
        return WAIT;
    return is_first_all(s, over) ? LEAVE_OUT : ASK;
}

/* One is enough to leave it out, all have to agree to ask for it. */
static void decide(const Sparing *s, guint number)
{
    WhatIf *what_if = at(s->what_ifs, number);
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
            if (is_put_off(at(s->what_ifs, i)))
                decide(s, i);
            n_left += is_put_off(at(s->what_ifs, i)) ? 1 : 0;
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
    const WhatIf *what_if = at(what_ifs, number);

    return what_if->row == PATH_MEMORY ||
           (takes_from_kernels(what_if->row) &&
            !is_all_there_is(config, what_if->row));
}

/* A baseline's SMs with its share. */
static gboolean has_sure(const GArray *what_ifs, const SystemConfig *config,
                         guint number)
{
    char *const *sets = at(what_ifs, number)->sets;

    for (guint i = 0; i < number && at(what_ifs, number)->row == PATH_N; i++)
        if (is_sure(what_ifs, config, i) &&
            g_strv_contains((const char *const *)sets,
                            at(what_ifs, i)->sets[0]))
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
        if (at(what_ifs, i)->stands)
            g_array_append_val(ret, i);
}

static void note_implied(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = at(what_ifs, i);
        guint over = what_if->under[BY_PATTERN];

        what_if->is_implied = what_if->how == WHAT_IF_LEFT_OUT && over > 0 &&
                              at(what_ifs, over - 1)->how == WHAT_IF_LEFT_OUT;
    }
}

gboolean sparing_run(GArray *what_ifs, WhatIfs *runs, const System *system,
                     const SimTime *path_ps, GError **error)
{
    g_autoptr(GArray) firsts = g_array_new(FALSE, FALSE, sizeof(guint));
    SystemResult r = system_result(system);
    Sparing s = { what_ifs, r.iteration_ps, what_ifs->len, firsts };
    const WhatIfMore with = { .more = call_back, .self = &s };

    what_ifs_prove(runs);
    make_rests(what_ifs, path_ps, r.total_ps, firsts);
    put_off(what_ifs);
    if (!what_ifs_run_asked(runs, &with, error))
        return FALSE;
    g_array_set_size(what_ifs, s.n); /* nobody asked for rests */
    note_implied(what_ifs);
    return TRUE;
}
