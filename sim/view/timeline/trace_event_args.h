/*
 * trace_event_args.h - args of a slice or a counter: an ordered list of names
 * and values
 *
 * Names are static.
 *
 * Owner    texts are borrowed until the event is written, except one text that
 *          the args may own
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_EVENT_ARGS_H
#define SIM_VIEW_TIMELINE_TRACE_EVENT_ARGS_H

#include <glib.h>
#include <stdint.h>

/* Enough for a recorded collective, which has 18 args. */
#define TRACE_MAX_ARGS 24

typedef enum {
    TRACE_NUMBER,
    TRACE_DECIMAL, /* a number with some digits after the point */
    TRACE_FLAG,
    TRACE_TEXT,
    TRACE_LISTS, /* lists of numbers, as JSON */
} TraceArgType;

typedef struct {
    const char *name;
    TraceArgType type;
    guint n_digits;  /* number of digits after the point */
    uint64_t number; /* of a TRACE_DECIMAL, in units of its last digit */
    const char *text;
} TraceArg;

typedef struct {
    guint n;
    TraceArg args[TRACE_MAX_ARGS];
    char *owned; /* may be NULL */
} TraceArgs;

void trace_args_clear(TraceArgs *args);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TraceArgs, trace_args_clear)

void trace_args_add_number(TraceArgs *args, const char *name, uint64_t number);
void trace_args_add_decimal(TraceArgs *args, const char *name, uint64_t number,
                            guint n_digits);
void trace_args_add_flag(TraceArgs *args, const char *name, gboolean value);
void trace_args_add_text(TraceArgs *args, const char *name, const char *text);
/* Adds @json and takes ownership of it; at most once per TraceArgs. */
void trace_args_add_lists(TraceArgs *args, const char *name, char *json);

/* Returns whether both have the same numbers. */
gboolean trace_args_are_equal(const TraceArgs *a, const TraceArgs *b);

#endif
