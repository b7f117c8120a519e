/* inventory_text.c - the counts as text and as JSON */
#include "workloads/recording/inventory.h"

#include <inttypes.h>

#include "sim/core/aligned_table.h"

/* Largest number of ranks that get separate lines. */
#define MAX_RANK_LINES 16
#define PS_PER_MS      1e9

static const char *const place_names[INVENTORY_N_PLACES] = { "device", "host" };

static uint64_t sum_of_counts_by_kind(const uint64_t of[RECORD_N_KINDS])
{
    uint64_t n = 0;

    for (int kind = 0; kind < RECORD_N_KINDS; kind++)
        n += of[kind];
    return n;
}

/* ---- text ------------------------------------------------------------- */

static void add_milliseconds_cell(Table *table, uint64_t ps)
{
    table_add_cell_printf(table, "%.3f", (double)ps / PS_PER_MS);
}

static void add_rank_row(Table *table, const InventoryRank *rank_inventory)
{
    if (!rank_inventory->rank)
        table_add_cell(table, "all");
    else if (rank_inventory->rank->rank == RECORD_NO_RANK)
        table_add_cell(table, "any");
    else
        table_add_cell_printf(table, "%u", rank_inventory->rank->rank);
    table_add_cell_printf(table, "%" PRIu64, rank_inventory->n_nodes);
    table_add_cell_printf(
        table, "%" PRIu64,
        sum_of_counts_by_kind(rank_inventory->n_by[INVENTORY_ON_HOST]));
    table_add_cell_printf(
        table, "%" PRIu64,
        sum_of_counts_by_kind(rank_inventory->n_by[INVENTORY_ON_DEVICE]));
    table_add_cell_printf(table, "%" PRIu64,
                          rank_inventory->n_data_deps +
                              rank_inventory->n_control_deps);
    table_add_cell_printf(table, "%" PRIu64, rank_inventory->n_absent_deps);
    add_milliseconds_cell(table, rank_inventory->span_ps);
    add_milliseconds_cell(table, rank_inventory->compute_busy_ps);
    add_milliseconds_cell(table, rank_inventory->comm_busy_ps);
    add_milliseconds_cell(table, rank_inventory->overlap_ps);
}

static void write_rank_table(const Inventory *inventory, GString *out)
{
    static const TableColumn columns[] = {
        { "rank", TRUE, 0 },          { "nodes", TRUE, 0 },
        { "of host", TRUE, 0 },       { "of device", TRUE, 0 },
        { "depend", TRUE, 0 },        { "on absent", TRUE, 0 },
        { "span ms", TRUE, 0 },       { "computing ms", TRUE, 0 },
        { "communicating", TRUE, 0 }, { "both", TRUE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    if (inventory->ranks->len <= MAX_RANK_LINES)
        for (guint i = 0; i < inventory->ranks->len; i++)
            add_rank_row(table, inventory_rank(inventory, i));
    if (inventory->ranks->len != 1)
        add_rank_row(table, inventory->sum_of_ranks);
    table_write(table, out, 2, 0);
}

static const char *group_text_of_communication(const Inventory *inventory,
                                               const InventoryComm *comm)
{
    const OpGroup *group;

    if (comm->group == RECORD_NONE)
        return "-";
    group = &g_array_index(inventory->recording->groups, OpGroup, comm->group);
    return group->name ? group->name : "unnamed";
}

static void write_communication_table(const Inventory *inventory, GString *out)
{
    static const TableColumn columns[] = {
        { "communication", FALSE, 0 },
        { "of", FALSE, 0 },
        { "group", FALSE, 0 },
        { "n", TRUE, 0 },
        { "bytes", TRUE, 0 },
        { "no size", TRUE, 0 },
        { "ms", TRUE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    const GArray *comms = inventory->sum_of_ranks->comms;

    for (guint i = 0; i < comms->len; i++) {
        const InventoryComm *comm = &g_array_index(comms, InventoryComm, i);

        table_add_cell(table, inventory_comm_name(comm));
        table_add_cell(table, place_names[comm->place]);
        table_add_cell(table, group_text_of_communication(inventory, comm));
        table_add_cell_printf(table, "%" PRIu64, comm->n);
        table_add_cell_printf(table, "%" PRIu64, comm->bytes);
        table_add_cell_printf(table, "%" PRIu64, comm->n_without_bytes);
        add_milliseconds_cell(table, comm->duration_ps);
    }
    if (comms->len)
        table_write(table, out, 2, 0);
}

char *inventory_text(const Inventory *inventory)
{
    const Recording *of = inventory->recording;
    GString *out = g_string_new(NULL);

    g_string_append_printf(
        out, "%s%s%s: %u rank%s", of->format ? of->format : "nothing",
        of->version ? " " : "", of->version ? of->version : "", of->ranks->len,
        of->ranks->len == 1 ? "" : "s");
    if (of->n_world)
        g_string_append_printf(out, " of %u", of->n_world);
    g_string_append_c(out, '\n');
    write_rank_table(inventory, out);
    write_communication_table(inventory, out);
    return g_string_free(out, FALSE);
}

/* ---- JSON ------------------------------------------------------------- */

static void write_place_json(const InventoryRank *rank_inventory,
                             InventoryPlace place, Json *json)
{
    json_begin_object(json, place_names[place]);
    for (int kind = 0; kind < RECORD_N_KINDS; kind++) {
        if (!rank_inventory->n_by[place][kind])
            continue;
        json_begin_object(json, record_kind_names[kind]);
        json_add_u64(json, "n", rank_inventory->n_by[place][kind]);
        json_add_u64(json, "duration_ps",
                     rank_inventory->duration_ps_by[place][kind]);
        json_end_object(json);
    }
    json_end_object(json);
}

static void write_communications_json(const Inventory *inventory,
                                      const InventoryRank *rank_inventory,
                                      Json *json)
{
    json_begin_array(json, "communication");
    for (guint i = 0; i < rank_inventory->comms->len; i++) {
        const InventoryComm *comm =
            &g_array_index(rank_inventory->comms, InventoryComm, i);

        json_begin_object(json, NULL);
        json_add_text(json, "kind", inventory_comm_name(comm));
        json_add_text(json, "place", place_names[comm->place]);
        json_add_text(json, "group",
                      group_text_of_communication(inventory, comm));
        if (comm->pass < OP_N_PASSES)
            json_add_text(json, "pass", op_pass_names[comm->pass]);
        json_add_u64(json, "n", comm->n);
        json_add_u64(json, "bytes", comm->bytes);
        json_add_u64(json, "n_without_bytes", comm->n_without_bytes);
        json_add_u64(json, "duration_ps", comm->duration_ps);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_rank_json(const Inventory *inventory,
                            const InventoryRank *rank_inventory, Json *json,
                            const char *key)
{
    json_begin_object(json, key);
    if (rank_inventory->rank)
        json_add_text(json, "file", rank_inventory->rank->file);
    if (rank_inventory->rank && rank_inventory->rank->rank != RECORD_NO_RANK)
        json_add_u64(json, "rank", rank_inventory->rank->rank);
    json_add_u64(json, "found", rank_inventory->n_found);
    json_add_u64(json, "nodes", rank_inventory->n_nodes);
    write_place_json(rank_inventory, INVENTORY_ON_DEVICE, json);
    write_place_json(rank_inventory, INVENTORY_ON_HOST, json);
    json_add_u64(json, "data_dependencies", rank_inventory->n_data_deps);
    json_add_u64(json, "control_dependencies", rank_inventory->n_control_deps);
    json_add_u64(json, "absent_dependencies", rank_inventory->n_absent_deps);
    json_add_u64(json, "steps", rank_inventory->n_steps);
    json_add_u64(json, "without_launch", rank_inventory->n_without_launch);
    json_add_u64(json, "span_ps", rank_inventory->span_ps);
    json_add_u64(json, "busy_ps", rank_inventory->busy_ps);
    json_add_u64(json, "compute_busy_ps", rank_inventory->compute_busy_ps);
    json_add_u64(json, "communication_busy_ps", rank_inventory->comm_busy_ps);
    json_add_u64(json, "overlap_ps", rank_inventory->overlap_ps);
    write_communications_json(inventory, rank_inventory, json);
    json_end_object(json);
}

void inventory_json(const Inventory *inventory, Json *json, const char *key)
{
    const Recording *of = inventory->recording;

    json_begin_object(json, key);
    if (of->format)
        json_add_text(json, "format", of->format);
    if (of->version)
        json_add_text(json, "version", of->version);
    json_add_u64(json, "world", of->n_world);
    write_rank_json(inventory, inventory->sum_of_ranks, json, "all");
    json_begin_array(json, "ranks");
    for (guint i = 0; i < inventory->ranks->len; i++)
        write_rank_json(inventory, inventory_rank(inventory, i), json, NULL);
    json_end_array(json);
    json_end_object(json);
}
