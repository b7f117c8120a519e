/* assumption.c - one thing that is assumed, and what it is tried with */
#include "sim/sensitivity/assumption.h"

void outcome_clear(Outcome *outcome)
{
    g_clear_pointer(&outcome->reason, g_free);
    g_clear_pointer(&outcome->best, g_free);
}

Try *try_new(const char *label)
{
    Try *attempt = g_new0(Try, 1);

    attempt->label = g_strdup(label);
    attempt->changes = g_array_new(FALSE, FALSE, sizeof(Change));
    g_array_set_clear_func(attempt->changes, change_clear);
    attempt->added =
        g_ptr_array_new_with_free_func((GDestroyNotify)contender_free);
    attempt->without = g_ptr_array_new();
    return attempt;
}

void try_free(Try *attempt)
{
    g_free(attempt->label);
    g_array_unref(attempt->changes);
    g_ptr_array_unref(attempt->added);
    g_ptr_array_unref(attempt->without);
    outcome_clear(&attempt->outcome);
    g_free(attempt);
}

Assumption *assumption_new(const char *name, const char *now,
                           const char *source, const char *why)
{
    Assumption *assumption = g_new0(Assumption, 1);

    assumption->name = g_strdup(name);
    assumption->now = g_strdup(now);
    assumption->source = g_strdup(source);
    assumption->why = why;
    assumption->tries =
        g_ptr_array_new_with_free_func((GDestroyNotify)try_free);
    return assumption;
}

void assumption_free(Assumption *assumption)
{
    g_free(assumption->name);
    g_free(assumption->now);
    g_free(assumption->source);
    g_ptr_array_unref(assumption->tries);
    g_free(assumption);
}

gboolean try_leaves_out(const Try *attempt, const Contender *c)
{
    return !c->is_offload && g_ptr_array_find_with_equal_func(
                                 attempt->without, c->name, g_str_equal, NULL);
}
