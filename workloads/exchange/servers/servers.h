/*
 * servers.h - for parameter_server.c and this folder only
 *
 * What is configured, who serves and who works, and what of the graph stands
 * for them.
 *
 *   ranks.c     which NPUs serve, and what cannot be
 *   roles.c     roles, groups and lanes
 *   together.c  all workers push and pull as one
 *   apart.c     each for itself
 *
 * Units    bytes
 * Errors   CONFIG_ERROR at the servers, or at the exchange
 */
#ifndef WORKLOADS_EXCHANGE_SERVERS_SERVERS_H
#define WORKLOADS_EXCHANGE_SERVERS_SERVERS_H

#include "workloads/exchange/exchange_impl.h"
#include "workloads/exchange/servers/placement.h"

/* Which NPUs serve. */
typedef struct {
    uint64_t size, stride, at; /* id / stride mod size is at; 0: by list */
    ConfigList list;           /* of uint64_t */
    const ConfigNode *node;
} ServerRanks;

typedef enum {
    PUSH_READY,  /* as soon as a tensor is */
    PUSH_STEP,   /* when back-propagation has ended */
    PUSH_BUFFER, /* likewise, all tensors as one */
} PushSetting;

typedef enum {
    PULL_READY, /* as soon as the server has it */
    PULL_STEP,  /* when the iteration's kernels are done, and all updates */
} PullSetting;

typedef enum {
    LOCAL_NONE,
    LOCAL_REDUCE, /* in the machine first, to one of it after the other */
} LocalSetting;

#define STALE_ANY UINT64_C(1000000) /* as many iterations are any number */

typedef struct {
    ExchangeCommon common;
    ServerRanks servers;
    int placement;               /* index of placement_names */
    uint64_t partition_bytes;    /* of the placement that cuts */
    int local;                   /* LocalSetting */
    uint64_t machine;            /* NPUs of one; CONFIG_AUTO: .servers.size x
                                  * .stride */
    int push;                    /* PushSetting */
    int pull;                    /* PullSetting */
    uint64_t update_bytes_per_s; /* of weights, on a server; 0: it only adds */
    gboolean asynchronous;
    uint64_t stale; /* iterations that the slowest may be behind */
    int order;      /* OpLaneOrder of messages, */
    uint64_t at_a_time, credit_bytes; /* and how many; 0: any number */
} ParameterServerParams;

/* An exchange that is being added. */
typedef struct {
    const ConfigVariant *exchange; /* borrowed, as what follows */
    const ParameterServerParams *params;
    const ExchangeRequest *request;
    OpGraph *graph;
    uint32_t n_npus;
    uint32_t *servers, *workers; /* owned: ids, rising */
    uint32_t n_servers, n_workers;
    uint32_t n_local;      /* workers of a machine that reduce first; else 1 */
    GArray *parts;         /* owned: of Placed */
    uint64_t worker_roles; /* of the graph: the first ones, */
    uint32_t n_worker_roles; /* and then that of each server */
    /* Owned: .n_local of each server: the server, and of each machine the
     * worker of that number. */
    uint32_t *groups;
    uint32_t machines; /* the group of workers of one machine */
    /* Owned: of pushes and of pulls, for each worker where these are apart;
     * NULL: none. */
    uint32_t *push_lanes, *pull_lanes;
} Servers;

void servers_clear(Servers *servers);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Servers, servers_clear)

static inline uint64_t servers_role(const Servers *s, uint32_t server)
{
    return UINT64_C(1) << (s->n_worker_roles + server);
}

/* After which @tensor is pushed. */
static inline uint32_t servers_ready(const Servers *s,
                                     const ExchangeTensor *tensor)
{
    return s->params->push == PUSH_READY ? tensor->ready : s->request->last;
}

/* The tensor that @part is of. */
static inline const ExchangeTensor *servers_tensor(const Servers *s,
                                                   const Placed *part)
{
    return &s->request->tensors[part->tensor];
}

/* ranks.c: .servers, .workers and .n_local. */
G_GNUC_WARN_UNUSED_RESULT
gboolean servers_find(Servers *servers, GError **error);
/* Whether a graph may have the operations of so many parts. */
G_GNUC_WARN_UNUSED_RESULT
gboolean servers_check_parts(const Servers *servers, uint64_t n_parts,
                             GError **error);
/* What does not fit together. */
G_GNUC_WARN_UNUSED_RESULT
gboolean servers_check(const Servers *servers, GError **error);
/* CONFIG_ERROR_CONFLICT at @node, with @text, which is freed; FALSE. */
gboolean servers_fail(const ConfigNode *node, GError **error, char *text);

/* roles.c */
void servers_add_roles(Servers *servers);
void servers_set_lane(const Servers *servers, uint32_t op,
                      const uint32_t *lanes, uint32_t worker);
/* The operation after which the server has what @push brings. */
uint32_t servers_add_update(const Servers *servers, const Placed *part,
                            uint32_t push);

/* together.c, apart.c */
void servers_add_together(const Servers *servers);
void servers_add_apart(const Servers *servers);

#endif
