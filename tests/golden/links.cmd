run configs/runs/isca21.yaml --per-link @OUT@
