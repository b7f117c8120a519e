/* compute_stream.c - rescales the remaining time of a kernel with its share */
#include "models/npu/compute_stream.h"

struct ComputeStream {
    SimEngine *engine;      /* borrowed */
    KernelDemands *demands; /* borrowed */
    SimEventFn done;
    gpointer self; /* borrowed */
    uint64_t n_sms, bytes_per_s;
    const OpWork *work; /* borrowed: the current kernel; NULL: idle */
    ComputeScale scale;
    uint64_t factor_ppm;
    uint32_t arg;
    gboolean runs; /* FALSE: idle, or stalled for lack of SMs or bandwidth */
    SimTime
        total_ps;    /* time of the whole kernel with the current share, or 0 */
    SimTime left_ps; /* the part of .total_ps that remained at .since_ps */
    SimTime since_ps;
    SimTime ends_ps; /* SIM_TIME_MAX while the kernel does not run */
    SimTime busy_ps;
    SimWide sm_ps;
    uint64_t bytes;
    ComputePieceFn ran; /* reports pieces of kernels; may be NULL */
    gpointer listener;  /* borrowed: argument of .ran */
};

ComputeStream *compute_stream_new(SimEngine *engine, KernelDemands *demands,
                                  SimEventFn done, gpointer self)
{
    ComputeStream *stream = g_new0(ComputeStream, 1);

    stream->engine = engine;
    stream->demands = demands;
    stream->done = done;
    stream->self = self;
    stream->ends_ps = SIM_TIME_MAX;
    return stream;
}

void compute_stream_free(ComputeStream *stream)
{
    g_free(stream);
}

static void on_kernel_end(gpointer self, uint32_t arg, uint64_t now_ps);

static void report_kernel_time_piece(const ComputeStream *stream)
{
    ComputePiece piece = { .arg = stream->arg,
                           .from_ps = stream->since_ps,
                           .total_ps = stream->runs ? stream->total_ps : 0,
                           .n_sms = stream->n_sms,
                           .bytes_per_s = stream->bytes_per_s,
                           .scale = stream->scale };

    stream->ran(stream->listener, &piece);
}

/* Accounts for the time since the last change of share. */
static void update_kernel_progress(ComputeStream *stream, SimTime now_ps)
{
    SimTime passed_ps = now_ps - stream->since_ps;

    if (stream->ran && passed_ps > 0)
        report_kernel_time_piece(stream);
    stream->since_ps = now_ps;
    if (!stream->runs)
        return;
    stream->busy_ps += passed_ps;
    stream->sm_ps += (SimWide)passed_ps * stream->n_sms;
    stream->left_ps -= MIN(passed_ps, stream->left_ps);
}

/* Continues the kernel with the current share of the NPU, or stalls it. */
static void resume_or_stall_kernel(ComputeStream *stream)
{
    SimTime total_ps =
        kernel_demands_time_ps(stream->demands, stream->work, stream->scale,
                               stream->n_sms, stream->bytes_per_s);

    total_ps = sim_time_scaled(total_ps, stream->factor_ppm, 1000000);
    stream->runs = total_ps != SIM_TIME_MAX;
    stream->ends_ps = SIM_TIME_MAX;
    if (!stream->runs && stream->ran)
        report_kernel_time_piece(stream);
    if (!stream->runs)
        return;
    stream->left_ps =
        stream->total_ps == 0
            ? total_ps
            : sim_time_scaled(stream->left_ps, total_ps, stream->total_ps);
    stream->total_ps = total_ps;
    stream->ends_ps = sim_time_add(stream->since_ps, stream->left_ps);
    sim_engine_schedule(stream->engine, stream->ends_ps, SIM_PHASE_ACT,
                        on_kernel_end, stream, 0);
}

static void on_kernel_end(gpointer self, uint32_t arg, uint64_t now_ps)
{
    ComputeStream *stream = self;

    (void)arg;
    if (!stream->runs || stream->ends_ps != now_ps)
        return; /* the share has changed after this event was scheduled */
    update_kernel_progress(stream, now_ps);
    stream->bytes += stream->work->bytes;
    stream->work = NULL;
    stream->runs = FALSE;
    stream->done(stream->self, stream->arg, now_ps);
}

void compute_stream_start_kernel(ComputeStream *stream, const OpWork *work,
                                 ComputeScale scale, uint64_t factor_ppm,
                                 uint32_t arg)
{
    g_assert(!stream->work);
    stream->work = work;
    stream->scale = scale;
    stream->factor_ppm = factor_ppm;
    stream->arg = arg;
    stream->total_ps = 0;
    stream->since_ps = sim_engine_now_ps(stream->engine);
    resume_or_stall_kernel(stream);
}

void compute_stream_set_share(ComputeStream *stream, uint64_t n_sms,
                              uint64_t bytes_per_s)
{
    SimTime now_ps = sim_engine_now_ps(stream->engine);
    gboolean same =
        stream->n_sms == n_sms && stream->bytes_per_s == bytes_per_s;
    gboolean was_stalled = stream->work && !stream->runs;

    if (same)
        return;
    if (stream->work)
        update_kernel_progress(stream, now_ps);
    stream->n_sms = n_sms;
    stream->bytes_per_s = bytes_per_s;
    if (stream->work && stream->ends_ps != now_ps)
        resume_or_stall_kernel(stream);
    if (was_stalled && stream->runs && stream->ran)
        report_kernel_time_piece(stream);
}

void compute_stream_set_listener(ComputeStream *stream, ComputePieceFn ran,
                                 gpointer self)
{
    stream->ran = ran;
    stream->listener = self;
}

gpointer compute_stream_copy_state(const ComputeStream *stream)
{
    return g_memdup2(stream, sizeof *stream);
}

void compute_stream_restore_state(ComputeStream *stream, gconstpointer copy)
{
    *stream = *(const ComputeStream *)copy;
}

void compute_stream_visit_state(ComputeStream *stream, SteadyWalk *walk)
{
    steady_visit_constant(walk, stream->n_sms);
    steady_visit_constant(walk, stream->bytes_per_s);
    steady_visit_constant(walk, (uintptr_t)stream->work);
    if (stream->work) {
        steady_visit_constant(walk, stream->arg);
        steady_visit_constant(walk, stream->total_ps);
        steady_visit_constant(walk, stream->left_ps);
        steady_visit_time(walk, &stream->since_ps);
        steady_visit_time(walk, &stream->ends_ps);
    }
    steady_visit_counter(walk, &stream->busy_ps);
    steady_visit_wide_counter(walk, &stream->sm_ps);
    steady_visit_counter(walk, &stream->bytes);
}

gboolean compute_stream_is_idle(const ComputeStream *stream)
{
    return stream->work == NULL;
}

SimTime compute_stream_busy_ps(const ComputeStream *stream)
{
    return stream->busy_ps;
}

uint64_t compute_stream_busy_sm_ns(const ComputeStream *stream)
{
    return (uint64_t)(stream->sm_ps / 1000);
}

uint64_t compute_stream_bytes_moved(const ComputeStream *stream)
{
    return stream->bytes;
}
