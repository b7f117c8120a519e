/*
 * timeline_impl.h - for timeline/ only: a timeline while it is read
 *
 * Of the first iteration each operation is a slice: what it is, on which of the
 * NPUs that were simulated, when it ran.  From slices and the head ranks are
 * made of all NPUs, those of whom one stood for the others, too.
 *
 * Units    ps, bytes
 */
#ifndef WORKLOADS_READERS_TIMELINE_IMPL_H
#define WORKLOADS_READERS_TIMELINE_IMPL_H

#include "workloads/readers/json/pull.h"
#include "workloads/readers/read_impl.h"

#define TIMELINE_PROCESSES     3 /* of an NPU, unless the head says */
#define TIMELINE_MAX_PROCESSES 16
#define TIMELINE_MAX_NPUS      (1U << 24)
#define TIMELINE_MAX_NODES     50000000   /* of all ranks */
#define TIMELINE_NONE          UINT64_MAX /* a number that is not there */

typedef struct {
    uint32_t op, back;
} TimelineDep;

/* What the args of a slice say.  Texts are the recording's. */
typedef struct {
    uint64_t line;
    uint64_t op, iteration, alone_ps, gap_ps, flop, hbm_bytes, written_bytes;
    uint64_t payload_bytes, group, from, to, priority;
    gboolean is_star, is_uneven, has_causes;
    const char *kind, *layer, *collective, *pass, *queue, *lane;
    guint first_dep, n_deps;   /* of .deps */
    uint32_t place;            /* the NPU's among those simulated */
    uint64_t thread;           /* of that */
    __int128 begin_ps, end_ps; /* -1: not seen */
} TimelineSlice;

typedef struct {
    const char *name;
    uint32_t n, size;           /* sets, and NPUs of one */
    GArray *ids;                /* of uint32_t: set after set */
    uint32_t *set_of, *rank_of; /* by NPU; made last */
} TimelineGroup;

typedef struct {
    Source *source; /* borrowed, as the next two */
    JsonPull *pull; /* of JSON that is read: all of the file, or a text in it */
    Recording *recording;
    GError *error;       /* owned: of a text, the first; NULL: none */
    gboolean is_packets; /* lines of slices are places in the file */
    uint64_t causes, n_npus, n_simulated, n_left_out;
    uint64_t n_processes; /* of an NPU, from 1 */
    const char *workload;
    GArray *place_of;  /* of uint32_t, by NPU */
    GArray *watched;   /* of uint32_t */
    GArray *groups;    /* of TimelineGroup */
    GArray *slices;    /* of TimelineSlice */
    GArray *deps;      /* of TimelineDep */
    GHashTable *opens; /* by thread: GArray of guint, what has begun in it; of
                        * .slices, counted from 1 */
} TimelineRead;

/* ---- slice.c ------------------------------------------------------------ */

typedef struct {
    uint64_t process, thread;
    __int128 at_ps;
} TimelineEvent;

/* A number, 1 of what is true, or a text. */
typedef struct {
    uint64_t number;
    const char *text; /* borrowed; NULL: none */
    gsize n_bytes;
} TimelineArg;

/* The array of events that has been entered. */
void timeline_read_events(TimelineRead *t);

/* One of which nothing has been said. */
TimelineSlice timeline_no_slice(uint64_t line);
/* The number of an arg of that name, from 1; 0: nothing is made of it. */
guint timeline_arg(const char *name, gsize n_bytes);
void timeline_set_arg(TimelineRead *t, TimelineSlice *slice, guint arg,
                      const TimelineArg *value);
/* Of the first iteration, and an operation, @slice is kept. */
void timeline_begin(TimelineRead *t, const TimelineEvent *event,
                    const TimelineSlice *slice);
void timeline_end(TimelineRead *t, const TimelineEvent *event);

/* ---- packets.c ---------------------------------------------------------- */

/* Looks at the source and skips nothing. */
gboolean timeline_is_packets(Source *source);
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_read_packets(TimelineRead *t, GError **error);

/* ---- head.c ------------------------------------------------------------- */

/* The value of "acesim". */
void timeline_read_head(TimelineRead *t, gpointer data);
/* The value of "otherData". */
void timeline_read_other(TimelineRead *t);

/* ---- text.c ------------------------------------------------------------- */

/* Lets @read ask .pull for the JSON of @text; what is wrong is in .error. */
void timeline_read_text(TimelineRead *t, const TimelineArg *text,
                        void (*read)(TimelineRead *t, gpointer data),
                        gpointer data);

/* ---- checks.c ----------------------------------------------------------- */

/* FALSE, always: "FILE:LINE:1: what is wrong". */
gboolean timeline_fail(const TimelineRead *t, uint64_t line, GError **error,
                       const char *format, ...) G_GNUC_PRINTF(4, 5);
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_check_head(const TimelineRead *t, GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_check_slice(const TimelineRead *t, const TimelineSlice *s,
                              GError **error);

/* ---- ranks.c ------------------------------------------------------------ */

/* FALSE: it says too little, or what cannot be. */
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_make_ranks(TimelineRead *t, GError **error);

static inline TimelineSlice *timeline_slice(const TimelineRead *t, guint i)
{
    return &g_array_index(t->slices, TimelineSlice, i);
}

static inline gboolean timeline_is_comm(const TimelineSlice *slice)
{
    return slice->collective != NULL;
}

static inline TimelineGroup *timeline_group(const TimelineRead *t, guint i)
{
    return &g_array_index(t->groups, TimelineGroup, i);
}

#endif
