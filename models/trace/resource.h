/*
 * resource.h - what a run can want for, as data
 *
 * Whoever has something that others may have to wait for declares it in a
 * table: resource.c what every run has, a kind of endpoint what is its own
 * (EndpointOps.resources), the fabric its links.  The list of a system is the
 * run's table and then its endpoint's, and the number of a resource is its
 * place in that list.  Counters, the summary, --explain, what-ifs, the timeline
 * and the columns of CSV walk the list; none of them knows a resource of an
 * endpoint by its name.
 *
 * Units    as ResourceKind.unit says; ps
 * Range    an endpoint declares at most RESOURCE_MAX_OWN
 * Owner    tables are static
 */
#ifndef MODELS_TRACE_RESOURCE_H
#define MODELS_TRACE_RESOURCE_H

#include "sim/config/config_field.h"
#include "sim/core/time.h"

typedef enum {
    RESOURCE_SERVER, /* it works on one thing after the other */
    RESOURCE_DELAY,  /* it is waited out, by each one for itself */
    RESOURCE_ROOM,   /* it is held while something else goes on */
    RESOURCE_N_FORMS,
} ResourceForm;

typedef struct {
    const char *name;  /* in CSV and JSON: "bus"; NULL ends a table */
    const char *what;  /* in a sentence: "the NPU-to-fabric bus" */
    const char *title; /* in tables; NULL: its use is not counted */
    ResourceForm form;
    ConfigType unit;     /* of its units: CONFIG_COUNT or CONFIG_BYTES */
    const char *detail;  /* beside its use in tables; NULL: how much there is */
    const char *doubles; /* a key that is twice as good with twice the value;
                            NULL: none */
    const char *halves;  /* likewise, with half of it */
    const char *each;   /* of the fabric: the last word of such keys, of which a
                           topology may have several; NULL: it is not */
    const char *with;   /* a key without which more of .doubles may be of no
                           use; NULL: there is none */
    const char *column; /* of runs.csv, NAME_busy_us or, of bytes,
                           NAME_peak_bytes; NULL: it has none */
    const char *help;   /* what waits for it, in a line */
} ResourceKind;

/* Those of every run. */
enum {
    RESOURCE_HBM_SHARE, /* the endpoint's memory_bandwidth */
    RESOURCE_HBM,       /* what others leave of the HBM, under `shared` */
    RESOURCE_SMS,       /* that move the endpoint's data */
    RESOURCE_BUS,       /* between NPU and fabric */
    RESOURCE_CYCLES,    /* of the endpoint, before a message goes out */
    RESOURCE_STEP,      /* likewise, for its step */
    RESOURCE_PROTOCOL,  /* likewise, for that of a stack's protocol */
    RESOURCE_LAUNCH,    /* of a collective */
    RESOURCE_WINDOW,    /* of chunks in flight */
    RESOURCE_TURN,      /* in a lane, see workloads/lane.h; there, too: */
    RESOURCE_TICK,      /* of its cycle, */
    RESOURCE_TALK,      /* what is negotiated, */
    RESOURCE_COPY,      /* and copies into buffers and out of them */
    RESOURCE_OWN,       /* + place in the endpoint's table */
};

#define RESOURCE_MAX_OWN 8
#define RESOURCE_MAX     (RESOURCE_OWN + RESOURCE_MAX_OWN)

extern const ResourceKind resource_run[RESOURCE_OWN + 1];

/* Of the fabric, one in each dimension, %u in .name standing for it.  They have
 * no numbers; a .form of RESOURCE_DELAY is better by half. */
extern const ResourceKind resource_links, resource_latencies;

/* How a resource was used on one NPU, over a run.  What is not counted is 0. */
typedef struct {
    uint64_t capacity; /* units, all together */
    SimTime busy_ps;   /* summed over the units */
    uint64_t peak;     /* most units in use at once */
    uint64_t unit_us;  /* units in use, over time */
} ResourceUse;

/* How many a system has whose endpoint declares @own, which may be NULL. */
guint resource_n(const ResourceKind *own);

/* Of number @i below resource_n(). */
const ResourceKind *resource_kind(const ResourceKind *own, guint i);

/* The number of the resource of that name; FALSE: there is none. */
gboolean resource_find(const ResourceKind *own, const char *name, guint *ret);

/* @text with @dim in the place of %u.  Owner: the caller. */
char *resource_text(const char *text, const char *dim);

/* All numbers in the order of tables: what serves, what is waited out, what is
 * held, that of the endpoint before what is around it.  Returns how many. */
guint resource_order(const ResourceKind *own, uint32_t ret[RESOURCE_MAX]);

#endif
