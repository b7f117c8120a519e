/*
 * send_receive_batches.c - batches of sends and receives (batch_isend_irecv)
 *
 * In a batch, each send and receive is an operation record_param_comms with a
 * peer and a size.  One kernel does all of them.  It is launched when the group
 * of calls ends, so it is inside none of the operations and has no metadata: it
 * is the next kernel that the same thread launches.  If as many kernels follow
 * as there are operations, each kernel belongs to one operation, because NCCL
 * has one kernel per communicator.
 */
#include "workloads/readers/kineto/kineto_state_impl.h"

#include <string.h>

typedef struct {
    uint32_t thread;
    /* Begin time of the operation, or launch time of the kernel. */
    int64_t at_ps;
    guint comm; /* index of the communication in .comms */
    gboolean is_kernel;
} Entry;

static gint compare_batch_entries(gconstpointer a, gconstpointer b)
{
    const Entry *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->is_kernel != y->is_kernel)
        return x->is_kernel ? 1 : -1;
    return x->comm < y->comm ? -1 : x->comm > y->comm;
}

static KinetoComm *kineto_comm_at(const Kineto *kineto, guint i)
{
    return &g_array_index(kineto->comms, KinetoComm, i);
}

static gboolean operation_is_send_or_receive(const KinetoComm *comm)
{
    RecordKind as = RECORD_COLLECTIVE;

    if (comm->args.collective)
        (void)reader_communication_kind_of_name(comm->args.collective, &as);
    return as != RECORD_COLLECTIVE;
}

/* Returns whether a kernel is a send and receive without metadata. */
static gboolean is_kernel_without_metadata(const Kineto *kineto,
                                           const KinetoComm *comm)
{
    const char *collective = comm->args.collective;

    return strstr(record_node(kineto->rank, comm->node)->name, "SendRecv") &&
           (!collective || strstr(collective, "coalesced"));
}

/* Returns the unassigned sends and receives, and the kernels without metadata,
 * sorted by thread and time.  The caller owns the array. */
static GArray *list_batch_entries(const Kineto *kineto)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));

    for (guint i = 0; i < kineto->comms->len; i++) {
        const KinetoComm *comm = kineto_comm_at(kineto, i);
        Entry entry = { comm->thread, comm->begin_ps, i, FALSE };
        const RecordNode *call;

        if (comm->node == RECORD_NONE) {
            if (operation_is_send_or_receive(comm) && !comm->is_taken)
                g_array_append_val(entries, entry);
            continue;
        }
        if (record_node(kineto->rank, comm->node)->launch == RECORD_NONE ||
            !is_kernel_without_metadata(kineto, comm))
            continue;
        call = record_node(kineto->rank,
                           record_node(kineto->rank, comm->node)->launch);
        entry = (Entry){ call->stream, call->begin_ps, i, TRUE };
        if (call->begin_ps != RECORD_NO_TIME)
            g_array_append_val(entries, entry);
    }
    g_array_sort(entries, compare_batch_entries);
    return entries;
}

/* Replaces the metadata of kernel @kernel by that of operation @operation. */
static void assign_operation_to_kernel(Kineto *kineto, guint kernel,
                                       guint operation)
{
    kineto_comm_at(kineto, kernel)->args.collective = NULL;
    kineto_complete_args(&kineto_comm_at(kineto, kernel)->args,
                         &kineto_comm_at(kineto, operation)->args);
}

/* Adds a further message of a kernel, as a separate node with the same
 * times. */
static void add_kernel_message(Kineto *kineto, guint kernel, guint operation)
{
    uint32_t whole = kineto_comm_at(kineto, kernel)->node;
    RecordNode node = *record_node(kineto->rank, whole);
    KinetoComm added = { .args = kineto_comm_at(kineto, kernel)->args };

    /* The id is new: no event has this number. */
    node.id = kineto->rank->n_found + kineto->rank->nodes->len + 1;
    node.part_of = whole + 1;
    added.node = record_add_node(kineto->rank, &node);
    added.args.in_split = added.args.out_split = NULL;
    g_array_append_val(kineto->comms, added);
    assign_operation_to_kernel(kineto, kineto->comms->len - 1, operation);
}

/* Assigns the operations from @first to the kernels, which start at @kernels
 * and end before @end. */
static void assign_batch_to_kernels(Kineto *kineto, const GArray *entries,
                                    guint first, guint kernels, guint end)
{
    guint n = kernels - first, n_kernels = end - kernels;

    if (n == 0 || n_kernels == 0)
        return;
    for (guint i = 0; i < n; i++) {
        guint from = g_array_index(entries, Entry, first + i).comm;
        guint at = n == n_kernels ? i : 0;
        guint to = g_array_index(entries, Entry, kernels + at).comm;

        if (i == at)
            assign_operation_to_kernel(kineto, to, from);
        else
            add_kernel_message(kineto, to, from);
    }
}

void kineto_set_batches(Kineto *kineto)
{
    g_autoptr(GArray) entries = list_batch_entries(kineto);
    guint first = 0;

    while (first < entries->len) {
        uint32_t thread = g_array_index(entries, Entry, first).thread;
        guint kernels = first, end;

        while (kernels < entries->len &&
               !g_array_index(entries, Entry, kernels).is_kernel &&
               g_array_index(entries, Entry, kernels).thread == thread)
            kernels++;
        end = kernels;
        while (end < entries->len &&
               g_array_index(entries, Entry, end).is_kernel &&
               g_array_index(entries, Entry, end).thread == thread)
            end++;
        assign_batch_to_kernels(kineto, entries, first, kernels, end);
        first = MAX(end, first + 1);
    }
}
