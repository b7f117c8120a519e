/*
 * trace_args.h - what a slice or a counter says: names and values, in order
 *
 * Names are those of the program and outlive everything.
 *
 * Owner    texts are borrowed until the event is written, but for one that the
 *          args may own
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_ARGS_H
#define SIM_VIEW_TIMELINE_TRACE_ARGS_H

#include <glib.h>
#include <stdint.h>

#define TRACE_MAX_ARGS 24 /* a collective that was recorded has 18 */

typedef enum {
    TRACE_NUMBER,
    TRACE_DECIMAL, /* a number and how many of its digits are behind a point */
    TRACE_FLAG,
    TRACE_TEXT,
    TRACE_LISTS, /* of numbers, as JSON has them */
} TraceArgType;

typedef struct {
    const char *name;
    TraceArgType type;
    guint n_digits;  /* behind the point */
    uint64_t number; /* of a decimal, in units of its last digit */
    const char *text;
} TraceArg;

typedef struct {
    guint n;
    TraceArg args[TRACE_MAX_ARGS];
    char *owned; /* NULL: nothing */
} TraceArgs;

void trace_args_clear(TraceArgs *args);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TraceArgs, trace_args_clear)

void trace_args_number(TraceArgs *args, const char *name, uint64_t number);
void trace_args_decimal(TraceArgs *args, const char *name, uint64_t number,
                        guint n_digits);
void trace_args_flag(TraceArgs *args, const char *name, gboolean value);
void trace_args_text(TraceArgs *args, const char *name, const char *text);
/* Takes @json, once. */
void trace_args_lists(TraceArgs *args, const char *name, char *json);

/* Whether both have the same numbers. */
gboolean trace_args_are_alike(const TraceArgs *a, const TraceArgs *b);

#endif
