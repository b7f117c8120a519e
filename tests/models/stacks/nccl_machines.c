/* nccl_machines.c - builds the machines of NCCL's search test as graphs */
#include "tests/models/stacks/nccl_machines.h"

#include <ctype.h>

#include "tests/network/topology_fixture.h"

#define DGX1_HOST "((0 1 n0)(2 3 n1))((4 5 n2)(6 7 n3))"

static const Machine machines[] = {
    { "pci-1-root",
      "((n0 0 1 2 3)(4 5 6 7))",
      8,
      1,
      0,
      0,
      PLAN_QPI,
      { { 0 } },
      { { 0 } } },
    { "pci-2-roots",
      "((n0 0 1 2 3))((4 5 6 7))",
      8,
      1,
      0,
      0,
      PLAN_QPI,
      { { 0 } },
      { { 0 } } },
    { "dgx1p",
      DGX1_HOST,
      8,
      4,
      0,
      PLAN_PASCAL,
      PLAN_QPI,
      { { 0, 1, 1 },
        { 0, 2, 1 },
        { 0, 3, 1 },
        { 0, 4, 1 },
        { 1, 2, 1 },
        { 1, 3, 1 },
        { 1, 5, 1 },
        { 2, 3, 1 },
        { 2, 6, 1 },
        { 3, 7, 1 },
        { 4, 5, 1 },
        { 4, 6, 1 },
        { 4, 7, 1 },
        { 5, 6, 1 },
        { 5, 7, 1 },
        { 6, 7, 1 } },
      { { 0 } } },
    { "dgx1v",
      DGX1_HOST,
      8,
      4,
      0,
      PLAN_VOLTA,
      PLAN_QPI,
      { { 0, 1, 1 },
        { 0, 2, 1 },
        { 0, 3, 2 },
        { 0, 4, 2 },
        { 1, 2, 2 },
        { 1, 3, 1 },
        { 1, 5, 2 },
        { 2, 3, 2 },
        { 2, 6, 1 },
        { 3, 7, 1 },
        { 4, 5, 1 },
        { 4, 6, 1 },
        { 4, 7, 2 },
        { 5, 6, 2 },
        { 5, 7, 1 },
        { 6, 7, 2 } },
      { { 0 } } },
    { "dgx2",
      "(((0 1 n0)(2 3 n1))((4 5 n2)(6 7 n3)))"
      "(((8 9 n4)(10 11 n5))((12 13 n6)(14 15 n7)))",
      16,
      8,
      6,
      PLAN_VOLTA,
      PLAN_QPI,
      { { 0 } },
      { { 0 } } },
    { "gcp-v100",
      "((n0)(0 1)(2 3))((4 5)(6 7))",
      8,
      1,
      0,
      PLAN_VOLTA,
      PLAN_QPI,
      { { 0, 1, 3 },
        { 0, 5, 3 },
        { 1, 3, 3 },
        { 2, 3, 3 },
        { 2, 7, 3 },
        { 4, 5, 3 },
        { 4, 6, 3 },
        { 6, 7, 3 } },
      { { 0 } } },
    /* The source does not say where the NICs are; one at each CPU is assumed.
     * It gives the width between the CPUs as 8 in an unknown unit, so that two
     * flows of NVLinks fit; that width is used here. */
    { "p9-6v",
      "(n0)(n1)",
      6,
      2,
      0,
      PLAN_VOLTA,
      2 * PLAN_VOLTA,
      { { 0, 1, 2 },
        { 0, 2, 2 },
        { 1, 2, 2 },
        { 3, 4, 2 },
        { 3, 5, 2 },
        { 4, 5, 2 } },
      { { 0, 0, 2 },
        { 1, 0, 2 },
        { 2, 0, 2 },
        { 3, 1, 2 },
        { 4, 1, 2 },
        { 5, 1, 2 } } },
};

typedef struct {
    GString *nodes, *links;
    uint32_t n_cpus, n_switches;
} MachineText;

static void add_machine_link(MachineText *text, const char *from,
                             const char *to, uint32_t n, uint32_t gb_per_s)
{
    g_string_append_printf(text->links,
                           "{from: %s, to: %s, links: %u, bandwidth: %u GB/s, "
                           "latency: 500 ns}, ",
                           from, to, n, gb_per_s);
}

static void add_machine_node(MachineText *text, const char *name,
                             const char *kind)
{
    g_string_append_printf(text->nodes, "{name: %s, kind: %s}, ", name, kind);
}

/* Adds the contents of the bracket that starts at @at, below @above.  Returns
 * the text after the bracket. */
static const char *add_nvlink_bracket(MachineText *text, const char *at,
                                      const char *above)
{
    g_autofree char *name = above ? g_strdup_printf("plx%u", text->n_switches++)
                                  : g_strdup_printf("cpu%u", text->n_cpus++);

    add_machine_node(text, name, above ? "pcie" : "cpu");
    if (above)
        add_machine_link(text, name, above, 1, PLAN_PCIE);
    for (at++; *at != ')';) {
        gboolean is_nic = *at == 'n';
        g_autofree char *leaf = NULL;

        if (*at == '(') {
            at = add_nvlink_bracket(text, at, name);
            continue;
        }
        if (isdigit(*at) || is_nic) {
            char *end;

            leaf = g_strdup_printf("%s%lu", is_nic ? "nic" : "gpu",
                                   strtoul(at + is_nic, &end, 10));
            add_machine_link(text, leaf, name, 1, PLAN_PCIE);
            at = end;
            continue;
        }
        at++;
    }
    return at + 1;
}

static void add_machine_nvlinks(MachineText *text, const Machine *machine)
{
    for (guint i = 0; i < 24 && machine->nvlinks[i][2] > 0; i++) {
        g_autofree char *from =
            g_strdup_printf("gpu%u", machine->nvlinks[i][0]);
        g_autofree char *to = g_strdup_printf("gpu%u", machine->nvlinks[i][1]);

        add_machine_link(text, from, to, machine->nvlinks[i][2],
                         machine->nvlink_gb_per_s);
    }
    for (guint i = 0; i < 8 && machine->to_cpu[i][2] > 0; i++) {
        g_autofree char *from = g_strdup_printf("gpu%u", machine->to_cpu[i][0]);
        g_autofree char *to = g_strdup_printf("cpu%u", machine->to_cpu[i][1]);

        add_machine_link(text, from, to, machine->to_cpu[i][2],
                         machine->nvlink_gb_per_s);
    }
    for (uint32_t i = 0; i < machine->n_gpus && machine->n_ports > 0; i++) {
        g_autofree char *from = g_strdup_printf("gpu%u", i);

        add_machine_link(text, from, "nvswitch", machine->n_ports,
                         machine->nvlink_gb_per_s);
    }
}

static void add_machine_nodes(MachineText *text, const Machine *machine)
{
    for (uint32_t i = 0; i < machine->n_gpus + machine->n_nics; i++) {
        gboolean is_gpu = i < machine->n_gpus;
        g_autofree char *name = g_strdup_printf(
            "%s%u", is_gpu ? "gpu" : "nic", is_gpu ? i : i - machine->n_gpus);

        add_machine_node(text, name, is_gpu ? "npu" : "nic");
    }
    if (machine->n_ports > 0)
        add_machine_node(text, "nvswitch", "switch");
}

Topology *build_machine_topology(const Machine *machine)
{
    g_autoptr(GString) nodes = g_string_new(NULL);
    g_autoptr(GString) links = g_string_new(NULL);
    g_autofree char *yaml = NULL;
    MachineText text = { .nodes = nodes, .links = links };

    add_machine_nodes(&text, machine);
    for (const char *at = machine->host; *at;)
        at = add_nvlink_bracket(&text, at, NULL);
    if (text.n_cpus > 1)
        add_machine_link(&text, "cpu0", "cpu1", 1, machine->cpu_gb_per_s);
    add_machine_nvlinks(&text, machine);
    yaml = g_strdup_printf(
        "{kind: nested, count: 2, inner: {kind: graph, npus_forward: false, "
        "nodes: [%s], links: [%s]}, outer: {kind: switch, npus: %u, "
        "bandwidth: %u GB/s, latency: 1 us}}",
        nodes->str, links->str, 2 * machine->n_nics, PLAN_NETWORK);
    return topology_from_valid_yaml(yaml);
}

const Machine *find_machine_by_name(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    fail_msg("there is no machine %s", name);
    return NULL;
}
