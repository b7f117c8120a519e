/* region_queue.c - queues of messages from one region to another */
#include "models/run/regions/regions_impl.h"

/* Moves @message from the network of @system to the output queue for region
 * @to. */
static void move_message_to_output_queue(System *system, uint32_t to,
                                         uint32_t message, SimTime at_ps,
                                         gboolean is_there)
{
    RegionMessage queued_message = {
        *network_get_message(system->state.network, message), at_ps, is_there
    };

    network_message_free(system->state.network, message);
    g_array_append_val(region_of_system(system)->sent[to], queued_message);
}

gboolean region_queue_deliver_early(gpointer self, uint32_t npu,
                                    uint32_t message, SimTime at_ps)
{
    System *system = self;
    const Regions *regions = system->regions;
    const Region *region = region_of_system(system);

    if (npu - region->first_npu < region->n_npus)
        return regions->foresee &&
               regions->foresee(system, npu, message, at_ps);
    move_message_to_output_queue(
        system, region_number_of_unit(regions, npu / regions->unit_ends),
        message, at_ps, TRUE);
    return TRUE;
}

/* Returns FALSE if the message stays.  It continues in the region of the link
 * that it takes next. */
gboolean region_queue_move_if_link_is_elsewhere(gpointer self, uint32_t message,
                                                SimTime at_ps)
{
    System *system = self;
    const Regions *regions = system->regions;
    const Region *region = region_of_system(system);
    const NetMessage *net_message =
        network_get_message(system->state.network, message);
    uint32_t link =
        topology_next_link(system->plan.topology, net_message->next_node,
                           net_message->dst, net_message->path_id);

    if (link - region->first_link < region->n_links)
        return FALSE;
    move_message_to_output_queue(
        system, region_number_of_unit(regions, link / regions->n_ports),
        message, at_ps, FALSE);
    return TRUE;
}

/* Moves all messages of @sent to the queue of @to. */
static void append_to_queue(Region *to, GArray *sent)
{
    pthread_mutex_lock(&to->lock);
    g_array_append_vals(to->queued, sent->data, sent->len);
    atomic_store(&to->n_queued, to->queued->len);
    pthread_mutex_unlock(&to->lock);
    g_array_set_size(sent, 0);
}

void region_queue_send_all(Region *region)
{
    const Regions *regions = region->system->regions;

    for (uint32_t i = 0; i < regions->n; i++)
        if (region->sent[i]->len > 0)
            append_to_queue(&regions->regions[i], region->sent[i]);
}

void region_queue_receive_all(Region *region)
{
    GArray *queued;

    if (atomic_load(&region->n_queued) == 0)
        return;
    pthread_mutex_lock(&region->lock);
    queued = region->queued;
    region->queued = region->delivering;
    atomic_store(&region->n_queued, 0);
    pthread_mutex_unlock(&region->lock);
    region->delivering = queued;
    for (guint i = 0; i < queued->len; i++) {
        const RegionMessage *queued_message =
            &g_array_index(queued, RegionMessage, i);

        network_insert_message_from_region(
            region->system->state.network, &queued_message->message,
            queued_message->is_there, queued_message->at_ps);
    }
    g_array_set_size(queued, 0);
}
