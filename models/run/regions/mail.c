/* mail.c - messages that leave a region, and come into another */
#include "models/run/regions/regions_impl.h"

/* Takes @message out of the network of @system, for region number @to. */
static void post(System *system, uint32_t to, uint32_t message, SimTime at_ps,
                 gboolean is_there)
{
    Letter letter = { *network_message(system->network, message), at_ps,
                      is_there };

    network_message_free(system->network, message);
    g_array_append_val(region_of(system)->sent[to], letter);
}

gboolean mail_foresee(gpointer self, uint32_t npu, uint32_t message,
                      SimTime at_ps)
{
    System *system = self;
    const Regions *regions = system->regions;
    const Region *region = region_of(system);

    if (npu - region->first_npu < region->n_npus)
        return regions->foresee &&
               regions->foresee(system, npu, message, at_ps);
    post(system, regions_of_unit(regions, npu / regions->unit_ends), message,
         at_ps, TRUE);
    return TRUE;
}

/* Where it goes on is the region of the link that it takes next. */
gboolean mail_leave(gpointer self, uint32_t message, SimTime at_ps)
{
    System *system = self;
    const Regions *regions = system->regions;
    const Region *region = region_of(system);
    const NetMessage *m = network_message(system->network, message);
    uint32_t link = topology_next(system->topology, m->at, m->dst, m->way);

    if (link - region->first_link < region->n_links)
        return FALSE;
    post(system, regions_of_unit(regions, link / regions->n_ports), message,
         at_ps, FALSE);
    return TRUE;
}

static void hand_over(Region *to, GArray *sent)
{
    pthread_mutex_lock(&to->lock);
    g_array_append_vals(to->letters, sent->data, sent->len);
    atomic_store(&to->n_letters, to->letters->len);
    pthread_mutex_unlock(&to->lock);
    g_array_set_size(sent, 0);
}

void mail_send(Region *region)
{
    const Regions *regions = region->system->regions;

    for (uint32_t i = 0; i < regions->n; i++)
        if (region->sent[i]->len > 0)
            hand_over(&regions->of[i], region->sent[i]);
}

void mail_take(Region *region)
{
    GArray *letters;

    if (atomic_load(&region->n_letters) == 0)
        return;
    pthread_mutex_lock(&region->lock);
    letters = region->letters;
    region->letters = region->taken;
    atomic_store(&region->n_letters, 0);
    pthread_mutex_unlock(&region->lock);
    region->taken = letters;
    for (guint i = 0; i < letters->len; i++) {
        const Letter *letter = &g_array_index(letters, Letter, i);

        network_take_in(region->system->network, &letter->message,
                        letter->is_there, letter->at_ps);
    }
    g_array_set_size(letters, 0);
}
