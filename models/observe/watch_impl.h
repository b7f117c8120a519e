/* watch_impl.h - what pipeline.c and run.c tell watch.c; for models/ only */
#ifndef MODELS_OBSERVE_WATCH_IMPL_H
#define MODELS_OBSERVE_WATCH_IMPL_H

#include "models/run/npu_impl.h"

void watch_send(const Npu *npu, VerifyStep at, uint32_t message)
    __attribute__((cold));
void watch_arrive(const Npu *npu, VerifyStep at, uint32_t message)
    __attribute__((cold));
void watch_receive(const Npu *npu, VerifyStep at, uint32_t message)
    __attribute__((cold));
void watch_handle(const Npu *npu, VerifyStep at, gboolean added)
    __attribute__((cold));
/* Runs @n_max events where data is carried along, or up to the end or the
 * first thing wrong; returns how many. */
uint64_t watch_run(System *system, uint64_t n_max);
/* TRUE: nothing was wrong on the way, and nothing is missing at the end. */
G_GNUC_WARN_UNUSED_RESULT
gboolean watch_check(const System *system, GError **error);

#endif
