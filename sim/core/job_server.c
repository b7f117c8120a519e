/* job_server.c - rate servers: a queue of jobs before one or more
 * equal servers */
#include "sim/core/job_server.h"

#include "sim/core/cache_lines.h"

typedef struct {
    uint64_t order;
    uint64_t units;
    uint32_t arg;
} ServerJob;

/* The struct fills two cache lines, because little else of the servers of
 * thousands of NPUs is in the cache.  With several servers, a job that need not
 * wait touches only the first line. */
struct SimServer {
    SimEngine *engine; /* borrowed */
    SimEventFn done;
    gpointer self;           /* borrowed */
    uint32_t is_single : 1;  /* gboolean: .n_servers is 1 */
    uint32_t n_waiting : 31; /* the number of waiting jobs in .jobs */
    uint32_t n_free;         /* the number of idle servers */
    /* The units and the duration of the last job, because most jobs equal their
     * predecessor.  Both are 0 if unknown, for example while the rate is 0. */
    uint64_t memo_units;
    SimTime memo_ps;
    uint64_t units_done;
    SimTime busy_ps;
    CACHE_LINE_ALIGNED uint64_t rate;
    ServerJob *jobs; /* owned: a ring, in order of service */
    uint32_t n_servers;
    uint32_t first;          /* the index in .jobs of the next job */
    uint32_t mask : 31;      /* the length of .jobs less one */
    uint32_t has_queued : 1; /* gboolean: some job has found all servers busy */
    /* The argument of the job in service, if there is a single server. */
    uint32_t arg;
    SimTime since_ps;
    /* The end of the job in service; SIM_TIME_MAX while paused. */
    SimTime ends_ps;
    SimWide remaining; /* the units x 10^12 that are still to do at .since_ps */
} CACHE_LINE_ALIGNED;

G_STATIC_ASSERT(sizeof(SimServer) == 2 * CACHE_LINE_BYTES);

SimServer *sim_server_new(SimEngine *engine, uint32_t n_servers,
                          uint64_t units_per_s, SimEventFn done, gpointer self)
{
    SimServer *server = cache_lines_alloc_zeroed(sizeof *server);

    g_assert(n_servers > 0);
    server->engine = engine;
    server->done = done;
    server->self = self;
    server->n_servers = server->n_free = n_servers;
    server->is_single = n_servers == 1;
    server->rate = units_per_s;
    server->jobs = g_new(ServerJob, 16);
    server->mask = 15;
    return server;
}

void sim_server_free(SimServer *server)
{
    if (!server)
        return;
    g_free(server->jobs);
    cache_lines_free(server);
}

static void grow_job_queue(SimServer *server)
{
    uint32_t n = server->mask + 1;
    ServerJob *jobs = g_new(ServerJob, 2 * (gsize)n);

    for (uint32_t i = 0; i < server->n_waiting; i++)
        jobs[i] = server->jobs[(server->first + i) & server->mask];
    g_free(server->jobs);
    server->jobs = jobs;
    server->first = 0;
    g_assert(n <= INT32_MAX / 2);
    server->mask = (2 * n - 1) & INT32_MAX;
}

static ServerJob *waiting_server_job_at(const SimServer *server, uint32_t i)
{
    return &server->jobs[(server->first + i) & server->mask];
}

/* Returns the position for a job of @order: after all jobs with the same or a
 * smaller order.  Nearly always these are all jobs or nearly none. */
static uint32_t find_queue_position(const SimServer *server, uint64_t order)
{
    uint32_t from = 0, to = server->n_waiting;

    if (to == 0 || waiting_server_job_at(server, to - 1)->order <= order)
        return to;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (waiting_server_job_at(server, middle)->order <= order)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Inserts @job into the sorted ring.  The smaller part, before or after the
 * position, is moved. */
static void insert_waiting_server_job(SimServer *server, ServerJob job)
{
    uint32_t at, n = server->n_waiting;

    server->has_queued = TRUE;
    if (n > server->mask)
        grow_job_queue(server);
    at = find_queue_position(server, job.order);
    if (at <= n / 2) {
        server->first--;
        for (uint32_t i = 0; i < at; i++)
            *waiting_server_job_at(server, i) =
                *waiting_server_job_at(server, i + 1);
    } else {
        for (uint32_t i = n; i > at; i--)
            *waiting_server_job_at(server, i) =
                *waiting_server_job_at(server, i - 1);
    }
    *waiting_server_job_at(server, at) = job;
    server->n_waiting++;
}

static void finish_server_job(gpointer self, uint32_t arg, uint64_t now_ps);

/* Computes the duration of a job of @units.  Returns FALSE if the server is
 * paused. */
static G_GNUC_NO_INLINE gboolean compute_job_duration(SimServer *server,
                                                      uint64_t units)
{
    if (server->rate == 0)
        return FALSE;
    server->memo_units = units;
    server->memo_ps = sim_time_from_rate(units, server->rate);
    return TRUE;
}

/* Schedules the end of the job in service, @arg, after @takes_ps.  A change of
 * the rate makes this event obsolete. */
static void schedule_server_job_end(SimServer *server, SimWide takes_ps,
                                    uint32_t arg)
{
    SimWide ends_ps = sim_engine_now_ps(server->engine) + takes_ps;

    if (ends_ps > SIM_ENGINE_MAX_PS)
        return;
    if (server->is_single)
        server->ends_ps = (SimTime)ends_ps;
    server->busy_ps += (SimTime)takes_ps;
    sim_engine_schedule(server->engine, (SimTime)ends_ps, SIM_PHASE_ACT,
                        finish_server_job, server, arg);
}

static void start_on_single_server(SimServer *server, ServerJob job)
{
    server->since_ps = sim_engine_now_ps(server->engine);
    server->arg = job.arg;
    server->remaining = (SimWide)job.units * SIM_PS_PER_SEC;
    server->ends_ps = SIM_TIME_MAX;
}

static void start_server_job(SimServer *server, ServerJob job)
{
    server->n_free--;
    server->units_done += job.units;
    if (server->is_single)
        start_on_single_server(server, job);
    if (job.units == server->memo_units ||
        compute_job_duration(server, job.units))
        schedule_server_job_end(server, server->memo_ps, job.arg);
}

static void start_next_server_job(SimServer *server)
{
    ServerJob job;

    if (server->n_waiting == 0 || server->n_free == 0)
        return;
    job = *waiting_server_job_at(server, 0);
    server->first++;
    server->n_waiting--;
    start_server_job(server, job);
}

static void finish_server_job(gpointer self, uint32_t arg, uint64_t now_ps)
{
    SimServer *server = self;

    /* Ignores an event that a change of the rate has made obsolete: there is
     * another event for the job. */
    if (server->is_single) {
        if (server->n_free > 0 || now_ps != server->ends_ps)
            return;
        arg = server->arg; /* an obsolete event may come at the same time */
        server->ends_ps = SIM_TIME_MAX;
    }
    server->n_free++;
    start_next_server_job(server);
    server->done(server->self, arg, now_ps);
}

void sim_server_submit_job(SimServer *server, uint64_t order, uint64_t units,
                           uint32_t arg)
{
    ServerJob job = { order, units, arg };

    g_assert(units > 0);
    if (server->n_free > 0)
        start_server_job(server, job);
    else
        insert_waiting_server_job(server, job);
}

void sim_server_set_rate(SimServer *server, uint64_t units_per_s)
{
    SimTime now_ps = sim_engine_now_ps(server->engine);
    SimWide did = (SimWide)server->rate * (now_ps - server->since_ps);

    g_assert(server->is_single);
    if (units_per_s == server->rate)
        return;
    if (server->n_free == 0 && server->ends_ps != now_ps) {
        if (server->ends_ps != SIM_TIME_MAX)
            server->busy_ps -= server->ends_ps - now_ps;
        server->remaining -= MIN(did, server->remaining);
        server->since_ps = now_ps;
        server->ends_ps = SIM_TIME_MAX;
        if (units_per_s > 0)
            schedule_server_job_end(
                server, (server->remaining + units_per_s - 1) / units_per_s,
                server->arg);
    }
    server->rate = units_per_s;
    server->memo_units = 0;
    server->memo_ps = 0;
}

gboolean sim_server_has_queued(const SimServer *server)
{
    return server->has_queued;
}

gboolean sim_server_is_idle(const SimServer *server)
{
    return server->n_free == server->n_servers;
}

guint sim_server_count_waiting(const SimServer *server)
{
    return server->n_waiting;
}

uint64_t sim_server_processed_units(const SimServer *server)
{
    return server->units_done;
}

SimTime sim_server_busy_ps(const SimServer *server)
{
    return server->busy_ps;
}

static void ignore_steady_argument(gpointer self, SteadyWalk *walk,
                                   uint64_t order, uint32_t arg)
{
    (void)self;
    (void)walk;
    (void)order;
    (void)arg;
}

/* Visits the jobs in service.  An event of a single server carries only its
 * time. */
static void visit_jobs_in_service(SimServer *server, SteadyWalk *walk,
                                  SteadyArgFn arg, gpointer self)
{
    walk->own(walk, server, server->is_single ? ignore_steady_argument : arg,
              self);
    steady_visit_constant(walk, server->n_free);
    steady_visit_constant(walk, server->rate);
    if (!server->is_single || server->n_free > 0)
        return;
    steady_visit_constant(walk, (uint64_t)(server->remaining >> 64));
    steady_visit_constant(walk, (uint64_t)server->remaining);
    steady_visit_time(walk, &server->since_ps);
    steady_visit_time(walk, &server->ends_ps);
    arg(self, walk, 0, server->arg);
}

void sim_server_visit_state(SimServer *server, SteadyWalk *walk,
                            SteadyArgFn arg, gpointer self)
{
    visit_jobs_in_service(server, walk, arg, self);
    steady_visit_constant(walk, server->n_waiting);
    for (uint32_t i = 0; i < server->n_waiting; i++) {
        const ServerJob *job = waiting_server_job_at(server, i);

        steady_visit_constant(walk, job->units);
        arg(self, walk, job->order, job->arg);
    }
    steady_visit_counter(walk, &server->units_done);
    steady_visit_counter(walk, &server->busy_ps);
}
