/* program_writer.c - writes a program as YAML */
#include "workloads/recording/trace_to_program/program_writer.h"

#include "workloads/recording/trace_to_program/program_writer_impl.h"

/* ---- head and groups -------------------------------------------------- */

static void write_program_notes(GString *out, const GPtrArray *notes)
{
    for (guint i = 0; i < notes->len; i++) {
        g_string_append(out, i == 0 ? ",\n  notes: [" : ",\n    ");
        config_write_quoted(out, g_ptr_array_index(notes, i));
    }
    g_string_append(out, notes->len > 0 ? "]" : "");
}

static void write_program_head(const Writer *writer)
{
    const Replay *replay = writer->imported->replay;
    uint64_t iteration_ps = replay->is_plan ? replay->recording->iteration_ps
                                            : replay->window->iteration_ps;
    uint64_t n_unsized = replay->report.n[REPORT_NO_BYTES];
    g_autoptr(GPtrArray) notes = record_report_notes(&replay->report);
    GString *out = writer->out;

    g_string_append_printf(
        out,
        "# A program as acesim import made it of a recording; change it as "
        "you like.\n"
        "# host: what a thread of the host did until it called; device: a "
        "stream beside\n"
        "# the main one; gap: what nothing in the recording explains.\n"
        "# For %u NPUs%s.\n"
        "kind: program\nname: ",
        writer->imported->n_ranks,
        writer->for_multiples ? ", or a multiple of them" : "");
    config_write_quoted(out, writer->options->name);
    g_string_append(out, "\n");
    if (iteration_ps == 0 && n_unsized == 0 && notes->len == 0)
        return;
    g_string_append(out, "recorded: {");
    if (iteration_ps > 0) {
        g_string_append(out, "iteration: ");
        write_time_with_unit(out, iteration_ps);
        g_string_append(out, ", ");
    }
    g_string_append_printf(out, "ranks: %u, ",
                           replay->is_plan ? writer->imported->n_ranks
                                           : replay->ranks->len);
    if (n_unsized > 0)
        g_string_append_printf(out, "unsized: %" G_GUINT64_FORMAT ", ",
                               n_unsized);
    g_string_append(out, "from: ");
    config_write_quoted(out, writer->options->from);
    write_program_notes(out, notes);
    g_string_append(out, "}\n");
}

static void write_group_lists(GString *out, const ImportedGroup *group)
{
    g_string_append(out, "ranks: [");
    for (guint i = 0; i < group->ids->len; i++)
        g_string_append_printf(out, "%s%s%u%s", i == 0 ? "" : ", ",
                               i % group->size == 0 ? "[" : "",
                               g_array_index(group->ids, uint32_t, i),
                               i % group->size == group->size - 1 ? "]" : "");
    g_string_append(out, "]");
}

static void write_group_dims(GString *out, uint32_t mask)
{
    const char *comma = "";

    g_string_append(out, "dims: [");
    for (guint dim = 0; dim < 32; dim++) {
        if (!(mask >> dim & 1))
            continue;
        g_string_append_printf(out, "%s%u", comma, dim);
        comma = ", ";
    }
    g_string_append(out, "]");
}

static void write_program_groups(const Writer *writer)
{
    if (writer->imported->groups->len > 1)
        g_string_append(writer->out, "groups:\n");
    for (guint i = 1; i < writer->imported->groups->len; i++) {
        const ImportedGroup *group = imported_group(writer->imported, i);

        g_string_append_printf(writer->out, "  - {name: %s, ", group->name);
        if (group->grouped_by == GROUP_LISTS)
            write_group_lists(writer->out, group);
        else if (group->grouped_by == GROUP_DIMS)
            write_group_dims(writer->out, group->dims_mask);
        else
            g_string_append_printf(writer->out, "size: %u", group->size);
        if (group->grouped_by == GROUP_STRIDE && group->stride > 1)
            g_string_append_printf(writer->out, ", stride: %u", group->stride);
        g_string_append(writer->out, "}\n");
    }
}

/* ---- roles ------------------------------------------------------------ */

static void write_role_npus(const Writer *writer, const ImportedRole *role)
{
    if (role->ranks_by == RANKS_STRIDE) {
        g_string_append_printf(writer->out, "    ranks: {size: %u, at: %u",
                               role->size, role->remainder);
        if (role->stride > 1)
            g_string_append_printf(writer->out, ", stride: %u", role->stride);
        g_string_append(writer->out, "}\n");
    } else if (role->ranks_by == RANKS_LIST) {
        g_string_append(writer->out, "    ranks: {list: [");
        for (guint i = 0; i < role->npus->len; i++)
            g_string_append_printf(writer->out, "%s%u", i == 0 ? "" : ", ",
                                   g_array_index(role->npus, uint32_t, i));
        g_string_append(writer->out, "]}\n");
    }
}

/* Writes a YAML comment with the begin of the role's first rank, if that is
 * after the first of all ranks. */
static void write_begin_comment(const Writer *writer, const ImportedRole *role)
{
    const RecordWindow *window = writer->imported->replay->window;
    int64_t begin_ps = INT64_MAX, first_ps = INT64_MAX;

    for (guint r = 0; r < window->spans->len; r++)
        first_ps = MIN(first_ps, record_span_of_rank(window, r)->begin_ps);
    for (guint i = 0; i < role->ranks->len; i++)
        begin_ps = MIN(
            begin_ps,
            record_span_of_rank(window, g_array_index(role->ranks, uint32_t, i))
                ->begin_ps);
    if (writer->imported->replay->is_plan || begin_ps == first_ps ||
        first_ps == RECORD_NO_TIME)
        return;
    g_string_append(writer->out, "    # begins ");
    write_time_with_unit(writer->out, (uint64_t)(begin_ps - first_ps));
    g_string_append(writer->out, " after the first rank did: the first gap\n");
}

static void write_role_name(const Writer *writer, const ImportedRole *role)
{
    uint32_t first = g_array_index(role->ranks, uint32_t, 0);
    const RecordRank *rank =
        record_rank(writer->imported->replay->recording, first);

    if (role->ranks_by == RANKS_ALL)
        g_string_append(writer->out, "  - name: all\n");
    else
        g_string_append_printf(writer->out, "  - name: %s%u\n",
                               role->npus->len > 1 ? "as-rank-" : "rank-",
                               rank->rank);
}

static void write_program_roles(Writer *writer)
{
    g_string_append(writer->out, "roles:\n");
    for (guint i = 0; i < writer->imported->roles->len; i++) {
        const ImportedRole *role = imported_role(writer->imported, i);

        write_role_name(writer, role);
        write_begin_comment(writer, role);
        write_role_npus(writer, role);
        g_string_append(writer->out, "    ops:\n");
        write_ops_of_role(writer, role);
    }
}

static gboolean program_fits_multiples(const ImportedProgram *imported)
{
    for (guint i = 0; i < imported->roles->len; i++)
        if (imported_role(imported, i)->ranks_by == RANKS_LIST)
            return FALSE;
    for (guint i = 0; i < imported->groups->len; i++)
        if (imported_group(imported, i)->grouped_by == GROUP_LISTS)
            return FALSE;
    return TRUE;
}

GString *imported_program_write(const ImportedProgram *imported,
                                const WriteOptions *options)
{
    Writer w = { .imported = imported,
                 .options = options,
                 .out = g_string_new(NULL),
                 .for_multiples = program_fits_multiples(imported) };
    uint64_t *mean = imported->replay->report.n;

    write_program_head(&w);
    write_program_groups(&w);
    write_program_roles(&w);
    mean[REPORT_GAP_PS] /= MAX(imported->replay->ranks->len, 1);
    mean[REPORT_HOST_WAIT_PS] /= MAX(imported->replay->ranks->len, 1);
    return w.out;
}
