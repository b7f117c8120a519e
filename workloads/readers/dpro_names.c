/* dpro_names.c - parses the names of dPRO's events */
#include "workloads/readers/dpro_names.h"

#include <string.h>

char *dpro_plain_name(const char *name)
{
    const char *begin = strstr(name, "->");
    const char *end;

    begin = begin ? begin + 2 : name;
    end = strstr(begin, "~>");
    return g_strndup(begin, end ? (gsize)(end - begin) : strlen(begin));
}

static const struct {
    const char *begin;
    RecordKind kind;
    OpPass pass;
} categories[] = {
    { "FW.", RECORD_KERNEL, OP_FORWARD },
    { "BW.", RECORD_KERNEL, OP_WEIGHT_GRADIENT },
    { "UPDATE_", RECORD_KERNEL, OP_UPDATE },
    { "OUTPUT", RECORD_KERNEL, OP_FORWARD },
    { "I/O", RECORD_HOST, OP_N_PASSES },
};

/* Kinds by a part of the last component of a name; the first match counts. */
static const struct {
    const char *part;
    RecordKind kind;
} parts[] = {
    { "NEGOTIATE", RECORD_OTHER },      { "QUEUE", RECORD_OTHER },
    { "Sync", RECORD_OTHER },           { "MEMCPY", RECORD_COPY },
    { "ALLREDUCE", RECORD_COLLECTIVE }, { "SEND", RECORD_SEND },
    { "REC", RECORD_RECEIVE },          { "PUSH_REQ", RECORD_SEND },
    { "PULL_RES", RECORD_RECEIVE },
};

RecordKind dpro_kind_of(const char *name, OpPass *ret_pass)
{
    const char *part = strrchr(name, '.');
    gboolean is_comm = g_str_has_prefix(name, "Comm.") ||
                       strstr(name, "PUSH") || strstr(name, "PULL");

    *ret_pass = OP_N_PASSES;
    for (guint i = 0; !is_comm && i < G_N_ELEMENTS(categories); i++)
        if (g_str_has_prefix(name, categories[i].begin)) {
            *ret_pass = categories[i].pass;
            return categories[i].kind;
        }
    for (guint i = 0; is_comm && part && i < G_N_ELEMENTS(parts); i++)
        if (strstr(part, parts[i].part))
            return parts[i].kind;
    return RECORD_OTHER;
}

gboolean dpro_parse_pid(const char *pid, uint32_t *ret_host,
                        uint32_t *ret_place)
{
    g_auto(GStrv) two = g_strsplit(pid, ".rank", 2);
    guint64 host, place;

    if (g_strv_length(two) != 2 || !g_str_has_prefix(two[0], "host") ||
        !g_ascii_string_to_unsigned(two[0] + 4, 10, 0, UINT16_MAX, &host,
                                    NULL) ||
        !g_ascii_string_to_unsigned(two[1], 10, 0, UINT16_MAX, &place, NULL))
        return FALSE;
    *ret_host = (uint32_t)host;
    *ret_place = (uint32_t)place;
    return TRUE;
}
