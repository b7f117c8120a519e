/*
 * chakra_node.c - parses the fields and attributes of a node
 *
 *   Node            1 id, 2 name, 3 type, 4 control deps, 5 data deps, 6 begin
 *                   in us, 7 duration in us, 8 and 9 inputs and outputs, 10
 *                   attributes
 *   AttributeProto  1 name, 2 description, and one of 3 .. 32: numbers of many
 *                   types at odd numbers, lists of them at even numbers
 *
 * Other fields are ignored: versions of the schema differ only in them.
 */
#include "workloads/readers/chakra_node.h"

#include <string.h>

enum {
    NODE_ID = 1,
    NODE_NAME,
    NODE_TYPE,
    NODE_CONTROL_DEPS,
    NODE_DATA_DEPS,
    NODE_BEGIN_US,
    NODE_DURATION_US,
    NODE_INPUTS,
    NODE_ATTRIBUTES = 10,
};

enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_DOUBLE = 3,
    ATTRIBUTE_FLOAT = 5,
    ATTRIBUTE_INT32_LIST = 8,
    ATTRIBUTE_UINT64_LIST = 14,
    ATTRIBUTE_SINT32 = 15,
    ATTRIBUTE_SINT64 = 17,
    ATTRIBUTE_BOOL = 27,
    ATTRIBUTE_BOOL_LIST,
    ATTRIBUTE_STRING,
};

const char *const chakra_number_names[CHAKRA_N_NUMBERS] = {
    [CHAKRA_IS_HOST] = "is_cpu_op",     [CHAKRA_COMM_TYPE] = "comm_type",
    [CHAKRA_COMM_SIZE] = "comm_size",   [CHAKRA_COMM_FROM] = "comm_src",
    [CHAKRA_COMM_TO] = "comm_dst",      [CHAKRA_COMM_TAG] = "comm_tag",
    [CHAKRA_COMM_GROUP] = "comm_group", [CHAKRA_COMM_ROOT] = "root",
    [CHAKRA_STREAM] = "stream",         [CHAKRA_THREAD] = "tid",
    [CHAKRA_N_OPS] = "num_ops",         [CHAKRA_TENSOR_SIZE] = "tensor_size",
    [CHAKRA_GROUP_NUMBER] = "pg_name",
};

void chakra_node_init(ChakraNode *node)
{
    *node = (ChakraNode){ 0 };
    node->data_deps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    node->control_deps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    node->group_ranks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

void chakra_node_clear(ChakraNode *node)
{
    g_array_unref(node->data_deps);
    g_array_unref(node->control_deps);
    g_array_unref(node->group_ranks);
}

gboolean chakra_text_is(const ChakraText *text, const char *other)
{
    return text->text && text->n_bytes == strlen(other) &&
           memcmp(text->text, other, text->n_bytes) == 0;
}

static ChakraText text_of_protobuf_field(const WireField *field)
{
    return (ChakraText){ (const char *)field->bytes, field->n_bytes };
}

/* Copies the error of @inside, if there is one, to @scan, and returns whether
 * there is none. */
static gboolean copy_scan_error(WireScan *scan, const WireScan *inside)
{
    if (!inside->wrong)
        return TRUE;
    scan->at = inside->at;
    scan->wrong = inside->wrong;
    return FALSE;
}

/* Reads a floating-point number as a whole number; some tools write FLOP this
 * way. */
static void read_float_as_integer(const WireField *field, ChakraAttribute *ret)
{
    double value;
    float single;
    uint32_t bits = (uint32_t)field->value;

    memcpy(&value, &field->value, sizeof value);
    memcpy(&single, &bits, sizeof single);
    if (field->number == ATTRIBUTE_FLOAT)
        value = (double)single;
    ret->is_number = value >= 0 && value < (double)(INT64_C(1) << 62);
    ret->number = ret->is_number ? (int64_t)value : 0;
}

static void read_attribute_value(const WireField *field, ChakraAttribute *ret)
{
    if (field->is_bytes) {
        if (field->number == ATTRIBUTE_STRING)
            ret->text = text_of_protobuf_field(field);
        if (field->number == ATTRIBUTE_BOOL_LIST ||
            (field->number >= ATTRIBUTE_INT32_LIST &&
             field->number <= ATTRIBUTE_UINT64_LIST && field->number % 2 == 0))
            ret->list = *field;
        return;
    }
    if (field->number == ATTRIBUTE_DOUBLE || field->number == ATTRIBUTE_FLOAT) {
        read_float_as_integer(field, ret);
        return;
    }
    ret->is_number = field->number > ATTRIBUTE_FLOAT &&
                     field->number <= ATTRIBUTE_BOOL && field->number % 2 == 1;
    ret->number =
        field->number == ATTRIBUTE_SINT32 || field->number == ATTRIBUTE_SINT64
            ? protobuf_decode_zigzag(field->value)
            : (int64_t)field->value;
}

gboolean chakra_attribute_read(WireScan *scan, const WireField *field,
                               ChakraAttribute *ret)
{
    WireScan inside = protobuf_scan_submessage(scan, field);
    WireField part;

    *ret = (ChakraAttribute){ 0 };
    while (protobuf_scan_next_field(&inside, &part))
        if (part.number == ATTRIBUTE_NAME && part.is_bytes)
            ret->name = text_of_protobuf_field(&part);
        else if (part.number >= ATTRIBUTE_DOUBLE)
            read_attribute_value(&part, ret);
    return copy_scan_error(scan, &inside);
}

/* Reads a list of numbers, a message with one repeated field, into
 * @ret (uint64_t). */
static gboolean read_number_list(WireScan *scan, const WireField *list,
                                 GArray *ret)
{
    WireScan inside = protobuf_scan_submessage(scan, list);
    WireField part;

    g_array_set_size(ret, 0);
    while (protobuf_scan_next_field(&inside, &part))
        if (part.number == 1 && !protobuf_append_numbers(&inside, &part, ret))
            break;
    return copy_scan_error(scan, &inside);
}

static gboolean read_involved_dims(WireScan *scan, const WireField *list,
                                   ChakraNode *node)
{
    g_autoptr(GArray) bools = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    if (!read_number_list(scan, list, bools))
        return FALSE;
    node->n_dims = bools->len;
    node->dims = 0;
    for (guint d = 0; d < MIN(bools->len, 32); d++)
        if (g_array_index(bools, uint64_t, d))
            node->dims |= UINT32_C(1) << d;
    return TRUE;
}

static gboolean add_node_attribute(WireScan *scan, const WireField *field,
                                   ChakraNode *node)
{
    ChakraAttribute attribute;

    if (!chakra_attribute_read(scan, field, &attribute))
        return FALSE;
    if (attribute.list.is_bytes &&
        chakra_text_is(&attribute.name, "involved_dim"))
        return read_involved_dims(scan, &attribute.list, node);
    if (attribute.list.is_bytes &&
        chakra_text_is(&attribute.name, "comm_group"))
        return read_number_list(scan, &attribute.list, node->group_ranks);
    if (attribute.text.text && (chakra_text_is(&attribute.name, "pg_name") ||
                                chakra_text_is(&attribute.name, "comm_group")))
        node->group = attribute.text;
    for (guint n = 0; attribute.is_number && n < CHAKRA_N_NUMBERS; n++)
        if (chakra_text_is(&attribute.name, chakra_number_names[n])) {
            node->numbers_present |= UINT32_C(1) << n;
            node->numbers[n] = attribute.number;
        }
    return TRUE;
}

/* Reads an IOInfo; its first field has all values as one text. */
static gboolean read_input_texts(WireScan *scan, const WireField *field,
                                 ChakraNode *node)
{
    WireScan inside = protobuf_scan_submessage(scan, field);
    WireField part;

    while (protobuf_scan_next_field(&inside, &part))
        if (part.number == 1 && part.is_bytes)
            node->inputs = text_of_protobuf_field(&part);
    return copy_scan_error(scan, &inside);
}

static gboolean set_node_bytes_field(WireScan *scan, const WireField *field,
                                     ChakraNode *node)
{
    switch (field->number) {
    case NODE_NAME:
        node->name = text_of_protobuf_field(field);
        return TRUE;
    case NODE_CONTROL_DEPS:
        return protobuf_append_numbers(scan, field, node->control_deps);
    case NODE_DATA_DEPS:
        return protobuf_append_numbers(scan, field, node->data_deps);
    case NODE_INPUTS:
        return read_input_texts(scan, field, node);
    case NODE_ATTRIBUTES:
        return add_node_attribute(scan, field, node);
    default:
        return TRUE;
    }
}

static gboolean set_node_number_field(WireScan *scan, const WireField *field,
                                      ChakraNode *node)
{
    switch (field->number) {
    case NODE_ID:
        node->id = field->value;
        return TRUE;
    case NODE_TYPE:
        node->type = field->value;
        return TRUE;
    case NODE_BEGIN_US:
        node->begin_us = field->value;
        return TRUE;
    case NODE_DURATION_US:
        node->duration_us = field->value;
        return TRUE;
    case NODE_CONTROL_DEPS:
        return protobuf_append_numbers(scan, field, node->control_deps);
    case NODE_DATA_DEPS:
        return protobuf_append_numbers(scan, field, node->data_deps);
    default:
        return TRUE;
    }
}

gboolean chakra_node_read(WireScan *scan, ChakraNode *node)
{
    WireField field;

    node->id = node->type = node->begin_us = node->duration_us = 0;
    node->name = node->group = node->inputs = (ChakraText){ NULL, 0 };
    node->numbers_present = node->n_dims = node->dims = 0;
    g_array_set_size(node->data_deps, 0);
    g_array_set_size(node->control_deps, 0);
    g_array_set_size(node->group_ranks, 0);
    while (protobuf_scan_next_field(scan, &field))
        if (!(field.is_bytes ? set_node_bytes_field
                             : set_node_number_field)(scan, &field, node))
            return FALSE;
    return !scan->wrong;
}
