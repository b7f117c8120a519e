/*
 * servers.h - the parameter-server exchange while it is added to a graph
 *
 * The header is private to parameter_server.c and this folder.  It declares the
 * parameters, the servers and workers that were found, and the functions that
 * add their roles and messages:
 *
 *   ranks.c     finds the servers and workers, and checks the settings
 *   roles.c     adds roles, groups and lanes
 *   synchronous.c  adds the messages of synchronous workers
 *   asynchronous.c     adds the messages of asynchronous workers
 *
 * Units    bytes
 * Errors   CONFIG_ERROR at the servers, or at the exchange
 */
#ifndef WORKLOADS_EXCHANGE_SERVERS_SERVERS_H
#define WORKLOADS_EXCHANGE_SERVERS_SERVERS_H

#include "workloads/exchange/exchange_impl.h"
#include "workloads/exchange/servers/placement.h"

/* Selects the NPUs that are servers. */
typedef struct {
    uint64_t size, stride, remainder; /* NPUs with id / stride mod size = at;
                                       * CONFIG_AUTO: NPUs of .list */
    ConfigList list;                  /* of uint64_t */
    const ConfigNode *node;
} ServerRanks;

typedef enum {
    PUSH_READY,  /* as soon as the tensor is ready */
    PUSH_STEP,   /* when back-propagation has ended */
    PUSH_BUFFER, /* when back-propagation has ended, all tensors as one */
} PushSetting;

typedef enum {
    PULL_READY, /* as soon as the server has the sum */
    PULL_STEP,  /* when the iteration's kernels and all updates are done */
} PullSetting;

typedef enum {
    LOCAL_NONE,
    LOCAL_REDUCE, /* the workers of a machine reduce to one of them first;
                   * another one for each part */
} LocalSetting;

#define STALE_ANY UINT64_C(1000000) /* this value means no bound */

typedef struct {
    ExchangeCommon common;
    ServerRanks servers;
    int placement;               /* index of placement_names */
    uint64_t partition_bytes;    /* largest piece, if the placement cuts
                                  * tensors */
    int local;                   /* LocalSetting */
    uint64_t machine;            /* NPUs of a machine; CONFIG_AUTO:
                                  * .servers.size x .stride */
    int push;                    /* PushSetting */
    int pull;                    /* PullSetting */
    uint64_t update_bytes_per_s; /* rate at which a server updates weights; 0:
                                  * it only adds */
    gboolean asynchronous;
    uint64_t stale; /* iterations that the slowest worker may be behind */
    int order;      /* OpLaneOrder of messages */
    uint64_t at_a_time, credit_bytes; /* limits of the messages in flight; 0:
                                       * none */
} ParameterServerParams;

/* A parameter-server exchange while its operations are added to a graph. */
typedef struct {
    const ConfigVariant *exchange; /* borrowed, like the next three */
    const ParameterServerParams *params;
    const ExchangeRequest *request;
    OpGraph *graph;
    uint32_t n_npus;
    uint32_t *servers, *workers; /* owned: ids, ascending */
    uint32_t n_servers, n_workers;
    uint32_t n_local; /* workers of a machine that reduce first; 1 if they
                       * do not */
    GArray *parts;    /* owned: of PlacedTensorPart */
    /* The roles of the workers, which are the first of the graph, and their
     * number.  The role of each server follows them. */
    const RoleSet *worker_roles;
    uint32_t n_worker_roles;
    /* Owned: .n_local groups for each server.  Group l has the server, and
     * worker l of each machine. */
    uint32_t *groups;
    uint32_t machines; /* the group of the workers of a machine */
    /* Owned: lanes of pushes and of pulls, one per asynchronous worker, or one
     * in total; NULL: no lanes. */
    uint32_t *push_lanes, *pull_lanes;
} Servers;

void parameter_servers_clear(Servers *servers);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Servers, parameter_servers_clear)

static inline const RoleSet *parameter_server_role(const Servers *servers,
                                                   uint32_t server)
{
    return role_sets_of_one_role(servers->graph->role_sets,
                                 servers->n_worker_roles + server);
}

/* Returns the operation after which @tensor is pushed. */
static inline uint32_t
parameter_servers_add_result_of_push(const Servers *servers,
                                     const ExchangeTensor *tensor)
{
    return servers->params->push == PUSH_READY ? tensor->ready
                                               : servers->request->last;
}

/* Returns the tensor of @part. */
static inline const ExchangeTensor *
parameter_servers_tensor(const Servers *servers, const PlacedTensorPart *part)
{
    return &servers->request->tensors[part->tensor];
}

/* ranks.c: sets .servers, .workers and .n_local. */
G_GNUC_WARN_UNUSED_RESULT
gboolean parameter_servers_find_ranks(Servers *servers, GError **error);
/* Returns whether the operations of @n_parts parts fit into a graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean parameter_servers_check_parts(const Servers *servers, uint64_t n_parts,
                                       GError **error);
/* Checks that settings, roles and other operations fit together. */
G_GNUC_WARN_UNUSED_RESULT
gboolean parameter_servers_check(const Servers *servers, GError **error);
/* Sets @error to CONFIG_ERROR_CONFLICT at @node with @text, which it frees.
 * Returns FALSE. */
gboolean parameter_servers_set_error(const ConfigNode *node, GError **error,
                                     char *text);

/* roles.c: adds the roles, groups and lanes. */
void parameter_servers_add_roles(Servers *servers);
/* Puts @op on the lane of @worker, one of @lanes (.push_lanes or
 * .pull_lanes). */
void parameter_servers_put_op_on_lane(const Servers *servers, uint32_t op,
                                      const uint32_t *lanes, uint32_t worker);
/* Adds the server's update after @push.  Returns the operation after which the
 * server has the result: the update, or @push if there is none. */
uint32_t parameter_servers_add_weight_update(const Servers *servers,
                                             const PlacedTensorPart *part,
                                             uint32_t push);

/* Add the messages of synchronous or of asynchronous workers. */
void parameter_servers_add_synchronous(const Servers *servers);
void parameter_servers_add_asynchronous(const Servers *servers);

#endif
