/* trace_event_args.c - args of slices and counters; see trace_event_args.h */
#include "sim/view/timeline/trace_event_args.h"

void trace_args_clear(TraceArgs *args)
{
    g_free(args->owned);
    args->owned = NULL;
    args->n = 0;
}

static TraceArg *add_trace_arg(TraceArgs *args, const char *name,
                               TraceArgType type)
{
    TraceArg *arg;

    g_assert(args->n < TRACE_MAX_ARGS);
    arg = &args->args[args->n++];
    *arg = (TraceArg){ .name = name, .type = type };
    return arg;
}

void trace_args_add_number(TraceArgs *args, const char *name, uint64_t number)
{
    add_trace_arg(args, name, TRACE_NUMBER)->number = number;
}

void trace_args_add_decimal(TraceArgs *args, const char *name, uint64_t number,
                            guint n_digits)
{
    TraceArg *arg = add_trace_arg(args, name, TRACE_DECIMAL);

    g_assert(n_digits > 0);
    arg->number = number;
    arg->n_digits = n_digits;
}

void trace_args_add_flag(TraceArgs *args, const char *name, gboolean value)
{
    add_trace_arg(args, name, TRACE_FLAG)->number = value ? 1 : 0;
}

void trace_args_add_text(TraceArgs *args, const char *name, const char *text)
{
    add_trace_arg(args, name, TRACE_TEXT)->text = text;
}

void trace_args_add_lists(TraceArgs *args, const char *name, char *json)
{
    g_assert(!args->owned);
    args->owned = json;
    add_trace_arg(args, name, TRACE_LISTS)->text = json;
}

gboolean trace_args_are_equal(const TraceArgs *a, const TraceArgs *b)
{
    if (a->n != b->n)
        return FALSE;
    for (guint i = 0; i < a->n; i++)
        if (a->args[i].number != b->args[i].number)
            return FALSE;
    return TRUE;
}
