/*
 * chakra_node.h - one node of a Chakra execution trace; private to chakra.c
 *
 * Units    us; bytes
 * Owner    chakra_node_init() and chakra_node_clear(); texts are borrowed from
 *          the record
 */
#ifndef WORKLOADS_READERS_CHAKRA_NODE_H
#define WORKLOADS_READERS_CHAKRA_NODE_H

#include "workloads/readers/protobuf.h"

/* Types of nodes; other values are ignored. */
typedef enum {
    CHAKRA_MEMORY_LOAD = 2,
    CHAKRA_MEMORY_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECEIVE,
    CHAKRA_COLLECTIVE,
} ChakraType;

/* Attributes with a number. */
typedef enum {
    CHAKRA_IS_HOST, /* is_cpu_op: the node ran on the host */
    CHAKRA_COMM_TYPE,
    CHAKRA_COMM_SIZE,
    CHAKRA_COMM_FROM,
    CHAKRA_COMM_TO,
    CHAKRA_COMM_TAG,
    CHAKRA_COMM_GROUP,
    CHAKRA_GROUP_NUMBER, /* pg_name, if it is a number */
    CHAKRA_COMM_ROOT,
    CHAKRA_STREAM,
    CHAKRA_THREAD,
    CHAKRA_N_OPS,       /* num_ops: FLOP */
    CHAKRA_TENSOR_SIZE, /* bytes read and written */
    CHAKRA_N_NUMBERS,
} ChakraNumber;

extern const char *const chakra_number_names[CHAKRA_N_NUMBERS];

typedef struct {
    const char *text; /* a text that is not terminated by NUL; NULL if absent */
    gsize n_bytes;
} ChakraText;

typedef struct {
    /* Numbers of the node; 0 if absent. */
    uint64_t id, type, begin_us, duration_us;
    /* .group is the attribute pg_name or comm_group, if it is a text. */
    ChakraText name, group, inputs;
    /* Ranks of the attribute comm_group, if it is a list; the elements are
     * uint64_t. */
    GArray *group_ranks;
    /* Ids of dependencies; the elements are uint64_t. */
    GArray *data_deps, *control_deps;
    uint32_t numbers_present; /* bit n is set if the file gives .numbers[n] */
    int64_t numbers[CHAKRA_N_NUMBERS];
    uint32_t n_dims, dims; /* from involved_dim: bit d is dimension d */
} ChakraNode;

void chakra_node_init(ChakraNode *node);
void chakra_node_clear(ChakraNode *node);
/* Replaces the content of @node by the record in @scan.  Returns FALSE if the
 * record is invalid; @scan->wrong is then set. */
G_GNUC_WARN_UNUSED_RESULT
gboolean chakra_node_read(WireScan *scan, ChakraNode *node);

/* Returns number @n of the node, or 0 if it is absent. */
static inline int64_t chakra_number(const ChakraNode *node, ChakraNumber n)
{
    return node->numbers_present >> n & 1 ? node->numbers[n] : 0;
}

/* An attribute of a node, or of the metadata at the start of a file. */
typedef struct {
    ChakraText name, text;
    gboolean is_number;
    int64_t number;
    WireField list; /* a list of bools or of whole numbers, if .is_bytes */
} ChakraAttribute;

G_GNUC_WARN_UNUSED_RESULT
gboolean chakra_attribute_read(WireScan *scan, const WireField *field,
                               ChakraAttribute *ret);
gboolean chakra_text_is(const ChakraText *text, const char *other);

#endif
