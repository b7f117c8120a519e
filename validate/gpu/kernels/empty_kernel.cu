/* empty_kernel.cu - kernels that do nothing, to measure the cost of a launch */
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/prepared_case.cuh"

/* Number of kernels in a graph.  In a batch, the last kernels hide the cost of
 * starting the next graph. */
#define GRAPH_KERNELS 100

static __global__ void empty_kernel()
{
}

class EmptyWork : public Work
{
  public:
    EmptyWork(GpuContext &gpu, const MeasureCase &c);
    ~EmptyWork() override;
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;

  private:
    void make_graph();

    GpuContext &gpu;
    MeasureCase c;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t graph_ready = nullptr;
};

EmptyWork::EmptyWork(GpuContext &l, const MeasureCase &the_case)
    : gpu(l), c(the_case)
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
    CHECKED(cudaStreamBeginCapture(gpu.main, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < GRAPH_KERNELS; i++)
        ::launch(empty_kernel, c.n_sms, c.n_threads, 0, gpu.main);
    CHECKED(cudaStreamEndCapture(gpu.main, &graph));
    CHECKED(cudaGraphInstantiate(&graph_ready, graph, 0));
    CHECKED(cudaGraphUpload(graph_ready, gpu.main));
    gpu.sync();
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
    launch(gpu.main, 0);
    gpu.sync();
}

std::unique_ptr<Work> make_empty(GpuContext &gpu, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new EmptyWork(gpu, request.c));
}
