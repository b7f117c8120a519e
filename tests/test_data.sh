#!/usr/bin/env bash
# test_data.sh - results as data: names and units of columns, the dictionary of a
# folder, and how pandas reads it

. "$SRCDIR/tests/shell.sh"

small_run >run.yaml
cat >sweep.yaml <<EOF
base: run.yaml
axes:
  - platform.npu.hbm.bandwidth: [900 GB/s, 1.8 TB/s]
  - workload.payload: [1 MiB, 64 KiB]
  - collectives.chunk: [auto, 32 KiB]
  - endpoint:
      - {kind: ideal, name: slow}
      - $SRCDIR/configs/endpoints/ace.yaml
compare: {baselines: [slow]}
EOF
"$ACESIM" sweep sweep.yaml -q -o data --per-layer --per-link --per-job \
    --utilisation >out 2>err && "$ACESIM" compare data >out 2>err
report $? 'a sweep is compared'
"$ACESIM" report data --explain-for 60s >out 2>err
report $? 'and reported'

cut -d, -f1-6 data/runs.csv | sed -n '1,2p;6p;10p' >out
cat >expected <<EOF
platform.npu.hbm.bandwidth_gb_per_s,workload.payload_bytes,collectives.chunk_bytes,workload,n_npus,endpoint
900,1048576,,c,4,slow
900,65536,,c,4,slow
1800,1048576,,c,4,slow
EOF
diff expected out >err
report $? 'swept quantities are numbers, with the unit in the name'

# python NAME MODULE - reports whether the script on standard input succeeds;
# skips it if no Python has the module
python() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $2" 2>err || continue
        "$python" - >out 2>err
        report $? "$1"
        return
    done
    cat >err
    skip "$1" "no python3 has the module $2 here"
}

"$ACESIM" run run.yaml --csv row.csv --json >run.json 2>err
python 'run --json and the row of --csv have the same names and values' json <<EOF
import csv, json
with open("row.csv") as file:
    row = next(csv.DictReader(file))
run = json.load(open("run.json"), parse_float=str, parse_int=str)
assert run.pop("format") == "2"
for key in "version", "config", "folded":
    run.pop(key)
assert run.pop("notes") == [] and row.pop("notes") == ""
assert set(run) == set(row), (list(run), list(row))
for key, cell in row.items():
    assert (run[key] if run[key] is not None else "") == cell, key
EOF

python 'the dictionary names every column of every file' json <<EOF
import csv, glob, json, os
package = json.load(open("data/datapackage.json"))
files = {os.path.basename(f) for f in glob.glob("data/*.csv")}
assert files == {r["path"] for r in package["resources"]}, files
assert {"runs.csv", "compare.csv", "attribution.csv", "what_ifs.csv",
        "config.csv", "layers.csv", "links.csv", "jobs.csv",
        "utilisation.csv"} <= files, files
units = {"_us": "us", "_gb_per_s": "GB/s", "_bytes": "bytes"}
for resource in package["resources"]:
    with open("data/" + resource["path"]) as file:
        head = next(csv.reader(file))
    fields = resource["schema"]["fields"]
    assert head == [f["name"] for f in fields], resource["path"]
    for field in fields:
        assert field["description"] and field["title"], field
        assert field["type"] != "any", field
        for end, unit in units.items():
            assert not field["name"].endswith(end) or field["unit"] == unit
        # Only swept keys may be described by their name.
        assert "." in field["name"] or "swept" not in field["description"], field
EOF

python 'pandas reads numbers as numbers' pandas <<EOF
import json, pandas
package = json.load(open("data/datapackage.json"))
for resource in package["resources"]:
    table = pandas.read_csv("data/" + resource["path"])
    for field in resource["schema"]["fields"]:
        column = table[field["name"]]
        text = column.dtype == object
        assert not text or field["type"] == "string", (resource, field)
        assert field["type"] != "boolean" or column.dtype == bool
runs = pandas.read_csv("data/runs.csv")
texts = [c for c in runs if runs[c].dtype == object]
assert set(texts) <= {"workload", "endpoint", "expected_error_from",
                      "expected_error_basis", "notes", "status"}, texts
assert runs["collectives.chunk_bytes"].isna().sum() == 8
EOF

python 'the parts of every point add up to its time, to the picosecond' json <<EOF
import csv
from decimal import Decimal
def rows(name):
    with open(name) as file:
        return list(csv.DictReader(file))
runs, parts = rows("data/runs.csv"), rows("data/attribution.csv")
axes = list(runs[0])[:6]
sums, shares = {}, {}
for part in parts:
    point = tuple(part[a] for a in axes)
    sums[point] = sums.get(point, 0) + Decimal(part["time_us"])
    shares[point] = shares.get(point, 0) + Decimal(part["share"])
assert len(sums) == len(runs) == 16
for run in runs:
    point = tuple(run[a] for a in axes)
    assert sums[point] == Decimal(run["iteration_time_us"]), point
    assert abs(shares[point] - 1) < Decimal("0.0001"), point
EOF

echo "1..$n"
