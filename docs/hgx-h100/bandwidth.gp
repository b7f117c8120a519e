# bandwidth.gp - busbw against payload on 1, 8 and 128 HGX H100: published, NCCL
# simulated, and what could be had.  Reads D/NAME-NODES.csv of `acesim
# collectives` and the published rows; README.md beside it has the commands.
if (!exists("D")) D = 'results/hgx-h100-bandwidth'
rows = 'validate/data/collectives/measured.csv'
set datafile separator ','
set terminal svg size 380,860 font 'Helvetica,11' background rgb 'white'
set output 'docs/hgx-h100/bandwidth.svg'
set multiplot layout 3,1
set logscale x 2
set xrange [512:2.0**34]
set xtics ('1 KiB' 2.0**10, '32 KiB' 2.0**15, '1 MiB' 2.0**20, \
    '32 MiB' 2.0**25, '1 GiB' 2.0**30)
set yrange [0:640]
set ytics 0, 100, 500
set border 3
set xtics nomirror
set ytics nomirror
set grid ytics linecolor rgb '#dddddd'
set key top left reverse Left samplen 2
set ylabel 'busbw, GB/s'
# Of n GPUs the bus carries 2 (n - 1) / n payloads.
busbw(bytes, us, n) = bytes / us / 1000.0 * 2 * (n - 1) / n
azure = 'H100' # of "H100, Azure" what is before the comma
ideal = '#d55e00'
halves = '#e69f00'
nccl = '#0072b2'
set title '1 node, 8 GPUs'
plot D.'/in-switch-1.csv' using 4:10 with lines lw 2 lc rgb ideal \
         title 'ideal, in the switch', \
     D.'/nccl-1.csv' using 4:10 with lines lw 2 lc rgb nccl \
         title 'NCCL, simulated', \
     rows using (strcol(2) eq 'p5' && $3 == 8 ? $6 : NaN):(busbw($6, $7, 8)) \
         with points pt 7 ps .4 lc rgb 'black' title 'published, p5', \
     rows using (strcol(2) eq azure ? $6 : NaN):(busbw($6, $7, 8)) \
         with points pt 6 ps .5 lc rgb 'black' title 'published, Azure'
set title '8 nodes, 64 GPUs'
plot D.'/direct-8.csv' using 4:10 with lines lw 2 lc rgb ideal \
         title 'ideal, direct', \
     D.'/halving-doubling-8.csv' using 4:10 with lines lw 2 lc rgb halves \
         title 'ideal, halving and doubling', \
     D.'/nccl-8.csv' using 4:10 with lines lw 2 lc rgb nccl \
         title 'NCCL, simulated', \
     rows using (strcol(2) eq '8 x HGX-H100' ? $6 : NaN):(busbw($6, $7, 64)) \
         with points pt 7 ps .5 lc rgb 'black' title 'published'
set title '128 nodes, 1,024 GPUs'
plot D.'/direct-128.csv' using 4:10 with lines lw 2 lc rgb ideal \
         title 'ideal, direct', \
     D.'/halving-doubling-128.csv' using 4:10 with lines lw 2 lc rgb halves \
         title 'ideal, halving and doubling', \
     D.'/nccl-128.csv' using 4:10 with lines lw 2 lc rgb nccl \
         title 'NCCL, simulated'
unset multiplot
