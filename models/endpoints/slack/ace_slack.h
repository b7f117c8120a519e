/* ace_slack.h - for which other sizes ACE would have done the same */
#ifndef MODELS_ENDPOINTS_SLACK_ACE_SLACK_H
#define MODELS_ENDPOINTS_SLACK_ACE_SLACK_H

#include "models/endpoints/slack/slack.h"

extern const EndpointSlack ace_slack;

#endif
