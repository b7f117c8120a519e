/* ace_slack.h - whether ACE would have behaved identically with other sizes */
#ifndef MODELS_ENDPOINTS_SLACK_ACE_SLACK_H
#define MODELS_ENDPOINTS_SLACK_ACE_SLACK_H

#include "models/endpoints/slack/slack.h"

extern const EndpointSlack ace_slack;

#endif
