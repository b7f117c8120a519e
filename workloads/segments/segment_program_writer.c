/*
 * segment_program_writer.c - writes expanded segments as a program with roles
 *
 * A stage is a role whose list has all operations of its units.  A run of the
 * written program takes the same times to the picosecond, because both are
 * numbered in the same way; see segment_expansion.c.
 */
#include "sim/config/config_write.h"
#include "workloads/segments/segments.h"

typedef struct {
    const SegmentItems *items;
    GString *out;
} FlatWriter;

/* Returns the name of item @i: the name in its segment and its number.  The
 * caller owns it. */
static char *unique_item_name(const FlatWriter *writer, uint32_t i)
{
    return g_strdup_printf(
        "%s.%u",
        program_op_common(program_item_at(writer->items->items, i)->op)->name,
        i);
}

/* Sets *@ret to the names of the items for which @role waits in @item.  The
 * caller owns the array and the names. */
static GPtrArray *names_of_awaited_items(const FlatWriter *writer,
                                         const ProgramItem *item, uint32_t role)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

    for (guint d = 0; d < program_item_n_deps(item); d++) {
        const ProgramDep *dep = &g_array_index(item->deps, ProgramDep, d);
        g_autofree char *name = unique_item_name(writer, dep->on);

        if (!role_set_has(dep->roles, role))
            continue;
        g_assert(dep->n_iterations_back <= 1);
        g_ptr_array_add(
            names,
            g_strdup_printf("%s%s", name, dep->n_iterations_back ? "@-1" : ""));
    }
    return names;
}

static void write_item_of_role(const FlatWriter *writer, uint32_t i,
                               uint32_t role)
{
    const ProgramItem *item = program_item_at(writer->items->items, i);
    const ConfigKind *kind = item->op->kind;
    g_autofree ProgramCommon *common = g_memdup2(item->op->params, kind->size);
    g_autoptr(GPtrArray) after = names_of_awaited_items(writer, item, role);
    g_autofree char *name = unique_item_name(writer, i);
    ConfigVariant op = { .kind = kind, .params = common };

    common->name = name;
    common->after = (ConfigList){ .items = after->pdata, .n = after->len };
    if (program_op_kind(item->op)->type == PROGRAM_MESSAGE &&
        !role_set_has(item->senders, role))
        op.kind = config_find_kind(&program_op_registry, "receive");
    g_string_append(writer->out, "      - ");
    config_write_variant(writer->out, &op);
    g_string_append_c(writer->out, '\n');
}

void segments_write_roles(const SegmentItems *items, const Mesh *mesh,
                          GString *out)
{
    const FlatWriter w = { items, out };

    g_string_append(out, "roles:\n");
    for (uint32_t s = 0; s < items->n_stages; s++) {
        const GArray *list = items->lists[s];
        OpRole role = mesh_stage_role(mesh, NULL, s);

        g_string_append_printf(out, "  - name: stage%u\n", s);
        if (role.ranks_by == RANKS_STRIDE)
            g_string_append_printf(
                out, "    ranks: {size: %u, stride: %u, at: %u}\n", role.size,
                role.stride, role.remainder);
        g_string_append(out, "    ops:\n");
        for (guint i = 0; i < list->len; i++)
            write_item_of_role(&w, g_array_index(list, uint32_t, i), s);
    }
}
