/* empty.cu - kernels that do nothing, to measure the cost of a launch */
#include "validate/gpu/kernels/launch.cuh"
#include "validate/gpu/kernels/work.cuh"

/* Number of kernels in a graph.  In a batch, the last kernels hide the cost of
 * starting the next graph. */
#define GRAPH_KERNELS 100

static __global__ void empty_kernel()
{
}

class EmptyWork : public Work
{
  public:
    EmptyWork(Lab &lab, const MeasureCase &c);
    ~EmptyWork() override;
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;

  private:
    void make_graph();

    Lab &lab;
    MeasureCase c;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t graph_ready = nullptr;
};

EmptyWork::EmptyWork(Lab &l, const MeasureCase &the_case) : lab(l), c(the_case)
{
    is_held = c.kernel != KERNEL_EMPTY_ENQUEUED;
    is_single = c.kernel == KERNEL_EMPTY_SINGLE;
    if (c.kernel == KERNEL_EMPTY_GRAPH)
        make_graph();
}

EmptyWork::~EmptyWork()
{
    if (graph_ready)
        (void)cudaGraphExecDestroy(graph_ready);
    if (graph)
        (void)cudaGraphDestroy(graph);
}

void EmptyWork::make_graph()
{
    n_inner = GRAPH_KERNELS;
    CHECKED(cudaStreamBeginCapture(lab.main, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < GRAPH_KERNELS; i++)
        ::launch(empty_kernel, c.n_sms, c.n_threads, 0, lab.main);
    CHECKED(cudaStreamEndCapture(lab.main, &graph));
    CHECKED(cudaGraphInstantiate(&graph_ready, graph, 0));
    CHECKED(cudaGraphUpload(graph_ready, lab.main));
    lab.sync();
}

void EmptyWork::launch(cudaStream_t stream, uint64_t)
{
    if (graph_ready)
        CHECKED(cudaGraphLaunch(graph_ready, stream));
    else
        ::launch(empty_kernel, c.n_sms, c.n_threads, 0, stream);
}

/* An empty kernel has no result, so the check only runs it. */
void EmptyWork::check()
{
    launch(lab.main, 0);
    lab.sync();
}

std::unique_ptr<Work> make_empty(Lab &lab, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new EmptyWork(lab, request.c));
}
