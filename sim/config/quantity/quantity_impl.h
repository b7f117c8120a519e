/* quantity_impl.h - the units of quantities; private to quantity*.c */
#ifndef SIM_CONFIG_QUANTITY_QUANTITY_IMPL_H
#define SIM_CONFIG_QUANTITY_QUANTITY_IMPL_H

#include "sim/config/config_field.h"

typedef struct {
    const char *name;
    uint64_t scale;  /* the number of base units */
    gboolean binary; /* a power of 1024 */
    gboolean alias;  /* accepted as input, but never written */
} QuantityUnit;

typedef struct {
    const char *noun;
    const char *example;
    const char *finest;
    const QuantityUnit *units;
} QuantityDimension;

#define QUANTITY_N_DIMENSIONS (CONFIG_FRACTION + 1)

/* The table of units of each physical dimension, indexed by ConfigType. */
extern const QuantityDimension quantity_dimensions[QUANTITY_N_DIMENSIONS];

/* Returns the unit called @name, or NULL if @type has none. */
const QuantityUnit *quantity_find_unit(ConfigType type, const char *name);
gboolean quantity_is_unit_of_another(const char *name);
/* Returns whether @unit is a unit of bits ("Gb", "Gbps", "Gbits") for a type
 * that counts bytes. */
gboolean quantity_unit_is_in_bits(ConfigType type, const char *unit);
/* Returns the unit of @type that is most similar to the unknown @unit, or
 * NULL. */
const char *quantity_nearest_unit(ConfigType type, const char *unit);
#endif
