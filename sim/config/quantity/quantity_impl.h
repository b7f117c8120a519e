/* quantity_impl.h - the units of quantities; for quantity*.c only */
#ifndef SIM_CONFIG_QUANTITY_QUANTITY_IMPL_H
#define SIM_CONFIG_QUANTITY_QUANTITY_IMPL_H

#include "sim/config/config_field.h"

typedef struct {
    const char *name;
    uint64_t scale;  /* base units in one */
    gboolean binary; /* a power of 1024 */
    gboolean alias;  /* read, but never written */
} QuantityUnit;

typedef struct {
    const char *noun;
    const char *example;
    const char *finest;
    const QuantityUnit *units;
} QuantityDimension;

#define QUANTITY_N_DIMENSIONS (CONFIG_FRACTION + 1)

/* By ConfigType. */
extern const QuantityDimension quantity_dimensions[QUANTITY_N_DIMENSIONS];

/* NULL: @type has none of that name. */
const QuantityUnit *quantity_find_unit(ConfigType type, const char *name);
gboolean quantity_is_unit_of_another(const char *name);
/* "Gb", "Gbps", "Gbits": bits where they cannot be meant, or no unit. */
gboolean quantity_is_in_bits(ConfigType type, const char *unit);
/* What was meant by @unit, which is none of @type; NULL: who knows. */
const char *quantity_nearest_unit(ConfigType type, const char *unit);
#endif
