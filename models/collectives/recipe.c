/* recipe.c - what a recipe owns */
#include "models/collectives/recipe.h"

void coll_recipe_free(CollRecipe *recipe)
{
    if (!recipe)
        return;
    for (uint32_t c = 0; c < recipe->n_channels; c++)
        g_free(recipe->channels[c].order);
    g_free(recipe->channels);
    g_free(recipe);
}
