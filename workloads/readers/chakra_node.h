/*
 * chakra_node.h - for chakra.c only: one node of an execution trace, as its
 * record says it
 *
 * Units    us; bytes
 * Owner    chakra_node_init() and chakra_node_clear(); texts are borrowed from
 *          the record
 */
#ifndef WORKLOADS_READERS_CHAKRA_NODE_H
#define WORKLOADS_READERS_CHAKRA_NODE_H

#include "workloads/readers/wire.h"

/* The values of a node's type; there are others, which mean nothing here. */
typedef enum {
    CHAKRA_COMPUTE = 4,
    CHAKRA_SEND,
    CHAKRA_RECEIVE,
    CHAKRA_COLLECTIVE,
} ChakraType;

/* Attributes that are numbers. */
typedef enum {
    CHAKRA_IS_HOST, /* is_cpu_op */
    CHAKRA_COMM_TYPE,
    CHAKRA_COMM_SIZE,
    CHAKRA_COMM_FROM,
    CHAKRA_COMM_TO,
    CHAKRA_COMM_TAG,
    CHAKRA_COMM_GROUP,
    CHAKRA_COMM_ROOT,
    CHAKRA_STREAM,
    CHAKRA_THREAD,
    CHAKRA_N_OPS,       /* num_ops: FLOP */
    CHAKRA_TENSOR_SIZE, /* bytes that are read and written */
    CHAKRA_N_NUMBERS,
} ChakraNumber;

extern const char *const chakra_number_names[CHAKRA_N_NUMBERS];

typedef struct {
    const char *text; /* no NUL behind it; NULL: none */
    gsize n_bytes;
} ChakraText;

typedef struct {
    uint64_t id, type, begin_us, duration_us; /* absent ones are 0 */
    ChakraText name, group, inputs;           /* .group is pg_name */
    GArray *data_deps, *control_deps;         /* of uint64_t */
    uint32_t has;                             /* bit n stands for number n */
    int64_t numbers[CHAKRA_N_NUMBERS];
    uint32_t n_dims, dims; /* involved_dim; bit d stands for dimension d */
} ChakraNode;

void chakra_node_init(ChakraNode *node);
void chakra_node_clear(ChakraNode *node);
/* What @scan has of a node, in place of what @node had; FALSE: .wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean chakra_node_read(WireScan *scan, ChakraNode *node);

/* 0: it has none. */
static inline int64_t chakra_number(const ChakraNode *node, ChakraNumber n)
{
    return node->has >> n & 1 ? node->numbers[n] : 0;
}

/* Of a node, and of the metadata that a file begins with. */
typedef struct {
    ChakraText name, text;
    gboolean is_number;
    int64_t number;
    WireField list; /* of bools, where .is_bytes */
} ChakraAttribute;

G_GNUC_WARN_UNUSED_RESULT
gboolean chakra_attribute_read(WireScan *scan, const WireField *field,
                               ChakraAttribute *ret);
gboolean chakra_text_is(const ChakraText *text, const char *other);

#endif
