run configs/runs/isca21.yaml --set endpoint=configs/endpoints/comp-opt.yaml --per-layer @OUT@
