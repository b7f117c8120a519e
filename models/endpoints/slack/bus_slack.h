/*
 * bus_slack.h - for which other buses an endpoint would have done the same
 *
 * Of kinds whose SMs or engines feed an EndpointBus each way and that judge
 * none of their own parameters, but for `memory_bandwidth`, which is a share.
 *
 * Owner    all NPUs of a run share the notes, zeroed before
 */
#ifndef MODELS_ENDPOINTS_SLACK_BUS_SLACK_H
#define MODELS_ENDPOINTS_SLACK_BUS_SLACK_H

#include "models/endpoints/slack/slack.h"

typedef struct {
    gboolean has_held; /* some message, longer than its feed took */
} BusNotes;

extern const EndpointSlack bus_slack;

#endif
