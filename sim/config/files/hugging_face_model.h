/*
 * hugging_face_model.h - reads the config.json of a Hugging Face model
 *
 * Such a file describes the shape of a language model with other keys than
 * configs/models/.  It is translated when it is loaded, so that it can be used
 * wherever a file of configs/models/ can: `hidden_size` becomes `hidden`, and
 * so on.  Every translated value keeps its position.  Of the architectures,
 * only those are known whose number of weights the translated keys give
 * exactly.  Other keys, such as those of tokens, rotary positions and
 * initialisation, change no shape and are ignored.
 *
 * Errors   problems of the source: an unknown architecture, a missing key, a
 *          value that is no number in range, or a key that changes the
 *          architecture in a way that is not modelled
 * Source   the configuration classes of the transformers library, versions 4.40
 *          to 4.57: names, and defaults of absent keys
 */
#ifndef SIM_CONFIG_FILES_HUGGING_FACE_MODEL_H
#define SIM_CONFIG_FILES_HUGGING_FACE_MODEL_H

#include "sim/config/config_node_impl.h"

/* The key that every config.json has, and no other file. */
#define HUGGING_FACE_TYPE_KEY "model_type"

/* Replaces the root of @source, which was just parsed, if it is a config.json:
 * a map with the key `model_type`.  On failure, adds problems and sets the root
 * to NULL. */
void hugging_face_translate(ConfigDoc *doc, ConfigSource *source);

#endif
