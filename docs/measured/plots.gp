# plots.gp - what was measured on an H100 and an H200, and the simulation of it;
# ../measured.md has the commands.  D holds streams-NPU.csv of `acesim kernels`
# and overlap-NPU.csv of acesim-validate.
if (!exists("D")) D = 'results/measured'
set encoding utf8
set datafile separator ','
npus = 'h100-sxm h200'
names = 'H100~SXM H200'
peaks = '3350 4800'
name(i) = system("echo '" . word(names, i) . "' | tr '~' ' '")
data(i) = 'validate/data/' . word(npus, i) . '-measured.csv'
array colour[5] = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7']
set border 3
set tics nomirror
set grid lc rgb '#dddddd'

# Rows of DATA with 256 MiB and the default loads: n_sms, GB/s.
rates(i, kernel) = "< awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i;" \
    . " next } $c[\"kernel\"] == \"" . kernel . "\" && $c[\"bytes\"] ==" \
    . " 268435456 && $c[\"beside\"] == \"\" && $c[\"threads\"] == 512 &&" \
    . " $c[\"second\"] == \"\" && ($c[\"ways\"] == \"\" || $c[\"ways\"] == 2)" \
    . " && ($c[\"dtype\"] == \"\" || $c[\"dtype\"] == \"fp32\")" \
    . " { print $c[\"n_sms\"] \",\" ($c[\"read_bytes\"] +" \
    . " $c[\"write_bytes\"]) / $c[\"median_us\"] / 1e3 }' " . data(i)
kernels = 'read-slices reduce copy write-slices'
words = 'reads reductions copies writes'
set terminal svg size 380,680 font 'sans-serif,12' background 'white'
set output 'docs/measured/bandwidth.svg'
set multiplot layout 2,1
set key outside bottom center horizontal samplen 1
set xlabel 'SMs'
set xrange [0:136]
set ylabel 'GB/s'
do for [i = 1:2] {
    set title name(i)
    set yrange [0:real(word(peaks, i))]
    plot for [k = 1:4] D . '/streams-' . word(npus, i) . '.csv' \
             using (strcol(1) eq word(kernels, k) ? $4 : NaN):($7 / $9 / 1e3) \
             with lines lw 2 lc rgb colour[k] notitle, \
         for [k = 1:4] rates(i, word(kernels, k)) using 1:2 \
             with points pt 7 ps .45 lc rgb colour[k] title word(words, k)
}
unset multiplot

# Pairs: family,kernel,partner,sms,partner_sms,flop_per_byte, four slowdowns.
pairs(i, kernel, from, to) = "< awk -F, '$1 == \"overlap\" && $2 == \"" \
    . kernel . "\" && $3 == \"reduce\" && $6 > " . from . " && $6 < " . to \
    . "' " . D . '/overlap-' . word(npus, i) . '.csv | sort -t, -k5,5n'
products = 'own cublas cublas-told'
tells = 'one~tile~an~SM cuBLAS cuBLAS,~told'
tell(k) = system("echo '" . word(tells, k) . "' | tr '~' ' '")
set output 'docs/measured/products.svg'
set multiplot layout 2,1
set xlabel 'SMs of the reduction beside it'
set ylabel 'time of a product, 1 is alone'
set xrange [0:34]
set yrange [.9:2.2]
do for [i = 1:2] {
    set title name(i)
    plot for [k = 1:3] pairs(i, word(products, k), '900', '3000') \
             using 5:8 with lines lw 2 lc rgb colour[k] notitle, \
         for [k = 1:3] pairs(i, word(products, k), '900', '3000') \
             using 5:7 with points pt 7 ps .5 lc rgb colour[k] title tell(k)
}
unset multiplot

set output 'docs/measured/partners.svg'
set multiplot layout 2,1
set xlabel 'SMs of the reduction'
set ylabel 'time of a reduction, 1 is alone'
set yrange [.5:6.5]
do for [i = 1:2] {
    set title name(i)
    plot pairs(i, 'lookup', '0', '1') using 5:10 with lines lw 2 \
             lc rgb colour[4] notitle, \
         pairs(i, 'lookup', '0', '1') using 5:9 with points pt 7 ps .5 \
             lc rgb colour[4] title 'beside lookups', \
         pairs(i, 'cublas', '900', '3000') using 5:10 with lines lw 2 \
             lc rgb colour[2] notitle, \
         pairs(i, 'cublas', '900', '3000') using 5:9 with points pt 7 ps .5 \
             lc rgb colour[2] title 'beside a product'
}
unset multiplot
