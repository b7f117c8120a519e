sensitivity configs/runs/isca21.yaml --only release,tuning,platform.npu.flops_efficiency,training.optimiser,training.precision --csv @OUT@
