/*
 * timeline_state_impl.h - a timeline while it is read; private to timeline/
 *
 * Each operation of the first iteration is a slice, with its properties, its
 * simulated NPU and its times.  The slices and the head are expanded to ranks
 * for all NPUs, including those that another NPU represents.
 *
 * Units    ps, bytes
 */
#ifndef WORKLOADS_READERS_TIMELINE_IMPL_H
#define WORKLOADS_READERS_TIMELINE_IMPL_H

#include "sim/config/json/pull_parser.h"
#include "workloads/readers/reader_common_impl.h"

/* Number of processes per NPU, unless the head says otherwise. */
#define TIMELINE_PROCESSES     3
#define TIMELINE_MAX_PROCESSES 16
#define TIMELINE_MAX_NPUS      (1U << 24)
/* Largest number of nodes of all ranks together. */
#define TIMELINE_MAX_NODES 50000000
#define TIMELINE_NONE      UINT64_MAX /* value of an absent number */

typedef struct {
    uint32_t op, back;
} TimelineDep;

/* The args of a slice; the recording owns the texts. */
typedef struct {
    uint64_t line;
    uint64_t op, iteration, alone_ps, gap_ps, flop, hbm_bytes, written_bytes;
    uint64_t payload_bytes, group, from, to, priority;
    gboolean is_star, is_uneven, has_causes;
    const char *kind, *layer, *collective, *pass, *queue, *lane;
    guint first_dep, n_deps;   /* range of the slice's dependencies in .deps */
    uint32_t place;            /* index of the NPU among the simulated NPUs */
    uint64_t thread;           /* thread of that NPU in the file */
    __int128 begin_ps, end_ps; /* .end_ps is -1 until the end is read */
} TimelineSlice;

typedef struct {
    const char *name;
    uint32_t n, size; /* number of sets, and NPUs per set */
    /* Members of all sets, set after set; the elements are uint32_t. */
    GArray *ids;
    /* Set of each NPU and its index there; computed after all sets are read. */
    uint32_t *set_of, *rank_of;
} TimelineGroup;

typedef struct {
    Source *source; /* borrowed, like the next two fields */
    JsonPull *pull; /* parser of the file, or of JSON that is embedded in it */
    Recording *recording;
    /* Owned: the first error in embedded JSON; NULL if there is none. */
    GError *error;
    /* The file is protobuf, and .line of a slice is an offset in the file. */
    gboolean is_packets;
    uint64_t causes, n_npus, n_simulated, n_left_out;
    uint64_t n_processes; /* number of processes per NPU, counted from 1 */
    const char *workload;
    /* For each NPU the index of the simulated NPU that represents it; the
     * elements are uint32_t. */
    GArray *place_of;
    /* NPUs with slices in the file; the elements are uint32_t. */
    GArray *watched;
    GArray *groups; /* the elements are TimelineGroup */
    GArray *slices; /* the elements are TimelineSlice */
    GArray *deps;   /* the elements are TimelineDep */
    /* For each thread its open slices, a GArray of guint: 1 + index in
     * .slices. */
    GHashTable *opens;
} TimelineRead;

/* ---- slice_reader.c ------------------------------------------------------ */

typedef struct {
    uint64_t process, thread;
    __int128 at_ps;
} TimelineEvent;

/* The value of an arg: a number, 1 for true, or a text. */
typedef struct {
    uint64_t number;
    const char *text; /* borrowed; NULL if the value is not a text */
    gsize n_bytes;
} TimelineArg;

/* Reads the array of events that was entered. */
void timeline_read_events(TimelineRead *t);

/* Returns a slice without properties. */
TimelineSlice timeline_empty_slice(uint64_t line);
/* Returns the number, from 1, of the arg with this name, or 0 if the arg is
 * ignored. */
guint timeline_arg_number(const char *name, gsize n_bytes);
void timeline_set_arg(TimelineRead *t, TimelineSlice *slice, guint arg,
                      const TimelineArg *value);
/* Opens @slice, and keeps it if it is an operation of the first iteration. */
void timeline_open_slice(TimelineRead *t, const TimelineEvent *event,
                         const TimelineSlice *slice);
void timeline_close_slice(TimelineRead *t, const TimelineEvent *event);

/* ---- perfetto.c ---------------------------------------------------------- */

/* Returns whether the source has a timeline as Perfetto packets.  Peeks at it
 * and skips nothing. */
gboolean timeline_is_packets(Source *source);
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_read_packets(TimelineRead *t, GError **error);

/* ---- timeline_head.c ----------------------------------------------------- */

/* Reads the head of the timeline, which is the value of "acesim". */
void timeline_read_head(TimelineRead *t, gpointer data);
/* Reads the end of the timeline, which is the value of "otherData". */
void timeline_read_other(TimelineRead *t);

/* ---- embedded_json.c ---------------------------------------------------- */

/* Calls @read while .pull parses the JSON in @text.  Errors are stored in
 * .error. */
void timeline_read_text(TimelineRead *t, const TimelineArg *text,
                        void (*read)(TimelineRead *t, gpointer data),
                        gpointer data);

/* ---- timeline_checks.c --------------------------------------------------- */

/* Sets the error "FILE:LINE:1: what is wrong" and returns FALSE. */
gboolean timeline_set_error(const TimelineRead *t, uint64_t line,
                            GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_check_head(const TimelineRead *t, GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_check_slice(const TimelineRead *t, const TimelineSlice *s,
                              GError **error);

/* ---- rank_expansion.c ---------------------------------------------------- */

/* Adds the ranks of the timeline to the recording.  Returns FALSE and sets
 * @error if the timeline is incomplete or contradictory. */
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_add_ranks(TimelineRead *t, GError **error);

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
