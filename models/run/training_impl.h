/* training_impl.h - an NPU runs the op graph: computes, issues, waits */
#ifndef MODELS_RUN_TRAINING_IMPL_H
#define MODELS_RUN_TRAINING_IMPL_H

#include "models/run/npu_impl.h"

/* Borrows @npu, and is told from now on when something on it is done. */
Training *training_new(Npu *npu);
void training_free(Training *training);
void training_begin(Training *training);
gboolean training_is_done(const Training *training);
/* Iterations of which nothing is left to do. */
uint64_t training_n_done(const Training *training);
/* End of the last iteration: of its compute, and of everything. */
SimTime training_compute_end_ps(const Training *training);
SimTime training_end_ps(const Training *training);
/* Time the main stream's kernels ran and waited, by layer and pass. */
SimTime training_layer_ps(const Training *training, uint32_t layer,
                          OpPass pass);
/* From the issues of @op to its ends. */
SimTime training_collective_ps(const Training *training, uint32_t op);
SimTime training_wait_ps(const Training *training, uint32_t layer, OpPass pass);
void training_explain(const Training *training, GString *text);

#endif
