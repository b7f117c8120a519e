/*
 * resource_list.h - the resources of a run that can delay something, as data
 *
 * A module that owns a resource declares it in a table: resource_list.c those
 * of every run, each kind of endpoint its own (EndpointOps.resources), the
 * fabric its links. The resource list of a system is the common table followed
 * by that of its endpoint, and the number of a resource is its index in that
 * list. Counters, the summary, --explain, what-ifs, the timeline and the CSV
 * columns walk the list; none of them knows a resource of an endpoint by name.
 *
 * Units    as ResourceKind.unit says; ps
 * Range    an endpoint declares at most RESOURCE_MAX_OWN
 * Owner    tables are static
 */
#ifndef MODELS_TRACE_RESOURCE_LIST_H
#define MODELS_TRACE_RESOURCE_LIST_H

#include "sim/config/config_field.h"
#include "sim/core/time.h"

typedef enum {
    RESOURCE_SERVER, /* the resource serves one job after the other */
    /* The resource is a fixed delay: jobs do not wait for each other. */
    RESOURCE_DELAY,
    /* The resource is held while something else is in progress. */
    RESOURCE_CAPACITY,
    RESOURCE_N_FORMS,
} ResourceForm;

typedef struct {
    const char *name; /* name in CSV and JSON: "bus"; NULL ends a table */
    const char
        *name_in_sentence; /* name in a sentence: "the NPU-to-fabric bus" */
    const char *title;     /* title in tables; NULL: the use is not counted */
    ResourceForm form;
    ConfigType unit; /* unit of the capacity: CONFIG_COUNT or CONFIG_BYTES */
    /* A remark beside the use in tables; NULL: the capacity is printed. */
    const char *detail;
    /* A configuration key whose double value makes the resource twice as good;
     * NULL: none. */
    const char *doubles;
    /* A configuration key whose half value makes the resource twice as good;
     * NULL: none. */
    const char *halves;
    const char *each; /* fabric only: the last word of such keys, of which a
                         topology may have several; NULL: not of the fabric */
    /* A configuration key that may have to grow together with .doubles; NULL:
     * none. */
    const char *related_key;
    const char *column; /* column of runs.csv, NAME_busy_us, or NAME_peak_bytes
                           if .unit is bytes; NULL: none */
    /* Description in one line of the items that wait for the resource. */
    const char *help;
} ResourceKind;

/* The resources of every run, by number. */
enum {
    /* The endpoint's share of the HBM bandwidth, memory_bandwidth. */
    RESOURCE_HBM_SHARE,
    RESOURCE_HBM,       /* HBM bandwidth that others leave, under `shared` */
    RESOURCE_SMS,       /* SMs that move the endpoint's data */
    RESOURCE_BUS,       /* the bus between NPU and fabric */
    RESOURCE_CYCLES,    /* cycles of the endpoint before a message leaves */
    RESOURCE_STEP,      /* the endpoint's step time before a message leaves */
    RESOURCE_PROTOCOL,  /* step time of the protocol of a stack before a message
                           leaves */
    RESOURCE_LAUNCH,    /* launch time of a collective */
    RESOURCE_WINDOW,    /* the window of chunks in flight */
    RESOURCE_LANE_TURN, /* a turn in a lane (workloads/collective_lane.h) */
    RESOURCE_LANE_CYCLE,       /* the cycle time of a lane */
    RESOURCE_LANE_NEGOTIATION, /* the negotiation of a lane */
    RESOURCE_LANE_COPY, /* copies of a lane into buffers and out of them */
    /* First resource of the endpoint: add its index in the endpoint's table. */
    RESOURCE_OWN,
};

#define RESOURCE_MAX_OWN 8
#define RESOURCE_MAX     (RESOURCE_OWN + RESOURCE_MAX_OWN)

extern const ResourceKind resource_common[RESOURCE_OWN + 1];

/* Resources of the fabric, one per dimension; %u in .name stands for the
 * dimension.  They have no numbers.  Half the value of .each improves a
 * RESOURCE_DELAY. */
extern const ResourceKind resource_links, resource_latencies;

/* Use of a resource on one NPU over a run.  Uncounted fields are 0. */
typedef struct {
    uint64_t capacity; /* number of units in total */
    SimTime busy_ps;   /* busy time, summed over the units */
    uint64_t peak;     /* largest number of units in use at once */
    uint64_t unit_us;  /* number of units in use, integrated over time */
} ResourceUse;

/* Returns the number of resources of a system whose endpoint declares @own,
 * which may be NULL. */
guint resource_count(const ResourceKind *own);

/* Returns resource @i, which must be below resource_count(). */
const ResourceKind *resource_kind(const ResourceKind *own, guint i);

/* Sets *@ret to the number of the resource called @name.  Returns FALSE if
 * there is none. */
gboolean resource_find_by_name(const ResourceKind *own, const char *name,
                               guint *ret);

/* Returns @text with %u replaced by @dim.  The caller owns the result. */
char *resource_text_with_dimension(const char *text, const char *dim);

/* Writes all resource numbers to @ret in the order of tables: servers, then
 * delays, then capacities.  Within servers and delays, those of every run
 * precede those of the endpoint; within capacities it is the reverse.  Returns
 * the count. */
guint sort_order_of_resource(const ResourceKind *own,
                             uint32_t ret[RESOURCE_MAX]);

#endif
