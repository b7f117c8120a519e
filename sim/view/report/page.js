/* page.js - sorts, filters and opens the points of a report */
(function () {
'use strict';
var D = JSON.parse(document.getElementById('acesim-data').textContent);
var byName = {}, shown, nameColumn;
var table = document.getElementById('table'), body = table.tBodies[0];
var state = { sort: '', down: false, text: '', off: {}, point: null, limit: 200 };
var order = [], notRun = 'Not run for this point. The command below with --explain says it.';

D.columns.forEach((c) => { byName[c.name] = c; });
shown = D.columns.filter((c) => c.shown);
nameColumn = shown.filter((c) => c.name === 'endpoint')[0] || shown[0];
var time = byName.iteration_time_us ? byName.iteration_time_us.data : [];

function find(id) { return document.getElementById(id); }
function all(selector, act) { document.querySelectorAll(selector).forEach(act); }
function remark(text) { return make('p', { class: 'status', text: text }); }
function section(title, rest) { return make('div', {}, [make('h3', { text: title })].concat(rest)); }
function row(cells) { return make('tr', {}, cells.map((c) => { return c.nodeType ? make('td', {}, [c]) : make('td', { class: 'n', text: c }); })); }
function make(tag, attributes, children) {
  var e = document.createElement(tag), k;
  for (k in attributes || {})
    if (k === 'text') e.textContent = attributes[k];
    else if (k === 'style') e.style.cssText = attributes[k];
    else e.setAttribute(k, attributes[k]);
  (children || []).forEach((x) => { if (x) e.append(x); });
  return e;
}
function cell(c, i) { return c.values ? c.values[c.data[i]] : c.data[i]; }
function shownText(c, i) {
  var v = cell(c, i);
  if (v === null || v === '') return '–';
  return c.digits === undefined ? String(v) : (v / c.divide).toFixed(c.digits);
}
function timeText(us) {
  var a = Math.abs(us);
  return a >= 1e6 ? (us / 1e6).toFixed(3) + ' s' : a >= 1e3 ? (us / 1e3).toFixed(3) + ' ms' : us.toFixed(1) + ' µs';
}
function pointName(i) {
  return shown.filter((c) => c.kind === 'axis').map((c) => {
    var v = cell(c, i);
    if (v === null || v === '') v = 'auto';
    return (c.before ? c.before + ' ' : '') + v + (c.before && c.unit ? ' ' + c.unit : '') + (c.after || '');
  }).join(', ') || String(cell(D.columns[0], i));
}
function command(i) {
  return D.command && D.command + D.settings.map((s) => s.set[s.data.length ? s.data[i] : 0]).join('');
}
function groupOf(i) { return D.compare.groups[D.compare.of[i]]; }

/* ---- bars of parts */
function longest(i) {
  var g = groupOf(i), points = g ? g.points : time.keys();
  var most = 0;
  if (!g && longest.all) return longest.all;
  for (var p of points) most = Math.max(most, time[p] || 0);
  if (!g) longest.all = most;
  return most;
}
function bar(i, scale) {
  var parts = D.attribution[i], sums = {}, sum = 0, names = [];
  var b = make('span', { class: 'bar', style: '--w:' + (scale > 0 ? 100 * time[i] / scale : 0).toFixed(2) });
  if (!parts) { b.append(make('i', { class: 'g-none', style: '--w:100' })); return b; }
  parts.forEach((p) => {
    var g = D.parts[p[0]].group;
    sums[g] = (sums[g] || 0) + p[1];
    sum += p[1];
  });
  D.groups.forEach((g) => {
    var share = 100 * sums[g.name] / sum;
    if (!(share >= 0.1)) return;
    b.append(make('i', { class: 'g-' + g.name, style: '--w:' + share.toFixed(2), title: g.label + ' ' + share.toFixed(1) + ' %' }));
    names.push(g.label + ' ' + share.toFixed(1) + ' %');
  });
  b.setAttribute('role', 'img');
  b.setAttribute('aria-label', names.join(', '));
  return b;
}

/* ---- the panel of a point */
/* The differences of all parts add up to that of the times. */
function differences(i, j) {
  var sums = {};
  D.attribution[i].forEach((p) => { sums[p[0]] = (sums[p[0]] || 0) + p[1]; });
  D.attribution[j].forEach((p) => { sums[p[0]] = (sums[p[0]] || 0) - p[1]; });
  return Object.keys(sums).map((k) => [+k, sums[k] / 1e6])
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
}
function leadText(i) {
  var g = groupOf(i), other = g && (g.best >= 0 ? g.best : g.baseline), lead, gap, rest;
  var p = make('p', { class: 'whole' });
  if (time[i] === null || time[i] === undefined) {
    p.append(make('b', { text: pointName(i) + ': no result. ' }), byName.status ? String(cell(byName.status, i)) : '');
    return p;
  }
  lead = pointName(i) + ': ' + timeText(time[i]);
  if (!g || other === undefined || other < 0) { p.append(make('b', { text: lead + '.' })); return p; }
  if (other === i) {
    p.append(make('b', { text: lead + '. This is ' + (g.best >= 0 ? 'the best that could be built without it.' : 'the fastest baseline.') }));
    return p;
  }
  p.append(make('b', { text: lead + ', ' + (time[other] / time[i]).toFixed(2) + '× ' + (g.best >= 0 ? 'the best that could be built' : 'the fastest baseline') +
    ' (' + cell(byName.endpoint, other) + ', ' + timeText(time[other]) + '). ' }));
  if (!D.attribution[i] || !D.attribution[other]) return p;
  gap = time[i] - time[other];
  rest = differences(i, other).filter((d) => {
    return Math.abs(d[1]) >= 0.02 * Math.abs(gap) && Math.abs(d[1]) > 0.0005 * time[i];
  }).slice(0, 4);
  if (rest.length)
    p.append('It takes ' + timeText(Math.abs(gap)) + (gap < 0 ? ' less: ' : ' more: ') + rest.map((d) => {
      return (d[1] < 0 ? '−' : '+') + timeText(Math.abs(d[1])) + ' ' + D.parts[d[0]].label;
    }).join(', ') + '.');
  return p;
}
function endpointsTable(i) {
  var g = groupOf(i), rows = make('tbody');
  if (!g || g.points.length < 2) return null;
  g.points.slice().sort((a, b) => time[b] - time[a]).forEach((p) => {
    var name = cell(byName.endpoint, p), b = make('button', { type: 'button', class: 'opener', 'data-show': p, text: name });
    rows.append(make('tr', {}, [
      make('th', { scope: 'row', class: p === i ? 'here' : '' }, [p === i ? name : b]),
      make('td', { class: 'where' }, [bar(p, longest(i))]),
      make('td', { class: 'n', text: timeText(time[p]) })]));
  });
  return section('Other endpoints at the same point', [make('table', {}, [rows])]);
}
function partsTable(i) {
  var title = 'Where the iteration goes', parts = D.attribution[i], sum = 0, rows = make('tbody');
  if (!parts) return section(title, [remark(notRun)]);
  parts.forEach((p) => { sum += p[1]; });
  parts.slice().sort((a, b) => b[1] - a[1]).forEach((p) => {
    var part = D.parts[p[0]], r;
    r = row([make('span', {}, [make('span', { class: 'swatch g-' + part.group }), part.label]),
      timeText(p[1] / 1e6), (100 * p[1] / sum).toFixed(1) + ' %']);
    r.dataset.ps = p[1];
    rows.append(r);
  });
  return section(title, [make('table', { class: 'parts' }, [rows])]);
}
function figuresTable(i) {
  var rows = make('tbody');
  D.columns.forEach((c) => {
    if (c.kind === 'axis' || c.name === 'status' || shownText(c, i) === '–') return;
    rows.append(row([make('span', { text: c.label + (c.unit ? ', ' + c.unit : '') }),
      c.values ? make('span', { text: shownText(c, i) }) : shownText(c, i)]));
  });
  return section('Figures', [make('table', {}, [rows])]);
}
function whatIfTable(i) {
  var title = 'Simulated: one resource twice as good', list = D.what_if[i], small = 0, most = 0.02, rows = make('tbody');
  if (!list) return section(title, [remark(notRun)]);
  list = list.map((w) => {
    var speedup = time[i] / w[1];
    most = Math.max(most, Math.abs(speedup - 1));
    return [D.factors[w[0]], speedup];
  });
  list.sort((a, b) => b[1] - a[1]).forEach((w) => {
    var slower = w[1] < 1, r;
    if (Math.abs(w[1] - 1) < 0.001 || rows.rows.length >= 8) { small++; return; }
    r = row([make('span', { text: w[0].label.replace(/[.=]/g, '$&\u200b') }),
      make('span', { class: 'bar', style: '--w:' + (100 * Math.abs(w[1] - 1) / most).toFixed(1) },
        [make('i', { class: slower ? 'g-endpoint' : 'g-slowed', style: '--w:100' })]),
      w[1].toFixed(3) + '×' + (slower ? ' slower' : '')]);
    r.title = '--set ' + w[0].set;
    rows.append(r);
  });
  return section(title, [make('table', { class: 'changes' }, [rows]),
    small && remark(small + ' more changes make less than 0.1 % of difference each, or are left out.')]);
}
function copyButton(text) {
  var b = make('button', { type: 'button', class: 'plain', text: 'Copy' });
  b.onclick = () => {
    navigator.clipboard.writeText(text).then(() => { b.textContent = 'Copied'; }, () => { getSelection().selectAllChildren(b.previousSibling); });
  };
  return b;
}
function commandBox(i) {
  var text = command(i), box = section('Run this point again', text ?
    [make('pre', { class: 'command', text: text }), copyButton(text)] :
    [remark('The command of one point is not known; see Commands below.')]);
  box.className = 'whole';
  return box;
}
function panel(i, width) {
  var ok = typeof time[i] === 'number';
  var box = make('div', { class: 'box', tabindex: '-1', role: 'region', 'aria-label': 'Details of ' + pointName(i) }, [
    leadText(i), ok && endpointsTable(i), ok && partsTable(i), ok && whatIfTable(i), ok && figuresTable(i), commandBox(i)]);
  return make('tr', { class: 'panel', id: 'panel' }, [make('td', { colspan: width }, [box])]);
}
function close() {
  var old = find('panel'), opener = document.querySelector('[aria-expanded=true]');
  if (old) { old.previousElementSibling.classList.remove('open'); old.remove(); }
  if (opener) opener.setAttribute('aria-expanded', 'false');
  state.point = null;
  return opener;
}
function open(r, i) {
  var opener = r.querySelector('.opener');
  close();
  r.after(panel(i, r.cells.length));
  r.classList.add('open');
  if (opener) { opener.setAttribute('aria-expanded', 'true'); opener.setAttribute('aria-controls', 'panel'); }
  state.point = i;
  save();
}
document.addEventListener('click', (e) => {
  var b = e.target.closest('.opener');
  if (!b) return;
  if (b.dataset.show) {
    open(find('panel').previousElementSibling, +b.dataset.show);
    find('panel').querySelector('.box').focus();
  } else if (b.getAttribute('aria-expanded') === 'true') { close(); save(); }
  else open(b.closest('tr'), +b.dataset.p);
});
document.addEventListener('keydown', (e) => {
  var opener;
  if (e.key !== 'Escape') return;
  opener = close();
  if (opener) opener.focus();
  save();
});

/* ---- the table of points */
function rowOf(i) {
  var r = make('tr');
  shown.forEach((c) => {
    var kind = (c.values ? '' : 'n') + (c.optional ? ' opt' : '') + (c.kind === 'axis' ? ' axis' : '') + (c.name === 'status' ? ' reason' : '');
    var text = shownText(c, i);
    if (c === nameColumn)
      r.append(make('th', { scope: 'row', class: 'name' + kind.replace('n', '') }, [
        make('button', { type: 'button', class: 'opener', 'aria-expanded': 'false', 'data-p': i, 'aria-label': 'Details of ' + pointName(i) },
          [make('span', { class: 'wide', text: text }), make('span', { class: 'under', text: pointName(i) })])]));
    else
      r.append(make('td', { class: kind, text: text }));
    if (c.name === 'iteration_time_us')
      r.append(make('td', { class: 'where' }, [typeof time[i] === 'number' && bar(i, longest(i))]));
  });
  return r;
}
/* A word is column<=value, a value of an axis, or a part of some. */
function testOf(word) {
  var m = /^([^<>=]+)(<=|>=|=|<|>)(.+)$/.exec(word), axes, whole, c, v;
  c = m && D.columns.filter((x) => x.name.toLowerCase() === m[1])[0];
  if (c) {
    v = +m[3];
    if (c.values) return (i) => String(cell(c, i)).toLowerCase() === m[3];
    return (i) => {
      var a = c.data[i];
      return a !== null && (m[2] === '<=' ? a <= v : m[2] === '>=' ? a >= v : m[2] === '<' ? a < v : m[2] === '>' ? a > v : a === v);
    };
  }
  axes = D.columns.filter((x) => x.kind === 'axis');
  whole = axes.filter((x) => { return x.values && x.values.some((t) => t.toLowerCase() === word); })[0];
  if (whole) return (i) => cell(whole, i).toLowerCase() === word;
  return (i) => {
    return axes.some((x) => String(cell(x, i)).toLowerCase().indexOf(word) >= 0);
  };
}
function fill() {
  var rows = document.createDocumentFragment();
  order.slice(0, state.limit).forEach((i) => { rows.append(rowOf(i)); });
  body.replaceChildren(rows);
  find('count').textContent = order.length + ' of ' + D.n + ' points' + (order.length > state.limit ? ', the first ' + state.limit + ' shown' : '');
  find('more').hidden = order.length <= state.limit;
}
function draw() {
  var tests = state.text.toLowerCase().split(/\s+/).filter(Boolean).map(testOf), c = byName[state.sort], sign = state.down ? -1 : 1;
  if (find('panel') && table.contains(find('panel'))) close();
  order = [];
  for (var i = 0; i < D.n; i++) {
    var keep = tests.every((t) => t(i));
    for (var name in state.off) if (state.off[name][String(cell(byName[name], i))]) keep = false;
    if (keep) order.push(i);
  }
  if (c) order.sort((a, b) => {
    var u = cell(c, a), v = cell(c, b);
    if (u === null || v === null) return (u === null) - (v === null) || a - b;
    return u < v ? -sign : u > v ? sign : a - b;
  });
  fill();
  save();
}
function showSort() {
  all('#table thead th', (t) => {
    t.removeAttribute('aria-sort');
    if (state.sort && t.dataset.c === state.sort) t.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
  });
}
all('#table th[data-c]', (th) => {
  var c = byName[th.dataset.c], b = make('button', { type: 'button', text: th.textContent, 'aria-label': 'Sort by ' + th.textContent });
  if (c === nameColumn) th.className = 'name axis';
  b.onclick = () => {
    state.down = state.sort === c.name ? !state.down : c.better === 'more';
    state.sort = c.name;
    showSort();
    draw();
  };
  th.replaceChildren(b);
});
function addChips(c) {
  var values = Array.from(new Set(c.data.map((v, i) => cell(c, i))));
  var set = make('fieldset', {}, [make('legend', { text: c.label })]);
  if (values.length < 2 || values.length > 12) return;
  values.forEach((v) => {
    var box = make('input', { type: 'checkbox' });
    box.checked = true;
    box.onchange = () => {
      var boxes = Array.from(set.querySelectorAll('input')), off = state.off[c.name] = {};
      var on = boxes.filter((x) => x.checked);
      /* The first click selects one value; none means all. */
      if (on.length === boxes.length - 1 && !box.checked) boxes.forEach((x) => { x.checked = x === box; });
      else if (!on.length) boxes.forEach((x) => { x.checked = true; });
      boxes.forEach((x, k) => { if (!x.checked) off[String(values[k])] = true; });
      state.limit = 200;
      draw();
    };
    set.append(make('label', { class: 'chip' }, [box, make('span', { text: v === null || v === '' ? 'auto' : String(v) })]));
  });
  find('tools').prepend(set);
}
shown.filter((c) => c.kind === 'axis').reverse().forEach(addChips);
find('find').oninput = function () { state.text = this.value; state.limit = 200; draw(); };
find('more').onclick = () => { state.limit += 500; fill(); };
find('csv').onclick = () => {
  function quoted(v) { return v === null ? '' : /[",\n]/.test(v) ? '"' + String(v).replace(/"/g, '""') + '"' : v; }
  var lines = [D.columns.map((c) => c.name)].concat(order.map((i) => {
    return D.columns.map((c) => quoted(cell(c, i)));
  }));
  make('a', { download: D.sweep + '-shown.csv', href: URL.createObjectURL(new Blob([lines.join('\n') + '\n'], { type: 'text/csv' })) }).click();
};
all('.chart .name', (th) => {
  var p = +th.dataset.p, i = D.rows ? D.rows.indexOf(p) : p;
  if (i >= 0)
    th.replaceChildren(make('button', { type: 'button', class: 'opener', 'aria-expanded': 'false', 'data-p': i, 'aria-label': 'Details of ' + pointName(i), text: th.textContent }));
});
var sources = find('source-find');
if (sources) sources.oninput = () => {
  var word = sources.value.toLowerCase();
  all('#source-table tbody tr', (r) => { r.hidden = word && r.textContent.toLowerCase().indexOf(word) < 0; });
};

/* ---- the state in the address */
function save() {
  var parts = [];
  if (state.point !== null) parts.push('p=' + state.point);
  if (state.sort) parts.push('sort=' + (state.down ? '-' : '') + encodeURIComponent(state.sort));
  if (state.text) parts.push('q=' + encodeURIComponent(state.text));
  try { history.replaceState(null, '', parts.length ? '#' + parts.join('&') : location.pathname); } catch (e) { /* no address */ }
}
var start = {};
location.hash.slice(1).split('&').forEach((pair) => {
  var at = pair.indexOf('=');
  try { start[pair.slice(0, at)] = decodeURIComponent(pair.slice(at + 1)); } catch (e) { /* no state */ }
});
if (start.sort && byName[start.sort.replace(/^-/, '')]) {
  state.down = start.sort[0] === '-';
  state.sort = start.sort.replace(/^-/, '');
}
if (start.q) { state.text = start.q; find('find').value = start.q; }
find('tools').hidden = false;
all('.noscript', (e) => { e.hidden = true; });
all('.scripted', (e) => { e.hidden = false; });
showSort();
draw();
if (start.p !== undefined && +start.p < D.n) {
  state.limit = Math.max(state.limit, order.indexOf(+start.p) + 1);
  if (state.limit > 200) fill();
  var opener = document.querySelector('.opener[data-p="' + (+start.p) + '"]');
  if (opener) { open(opener.closest('tr'), +start.p); opener.scrollIntoView({ block: 'center' }); }
}
}());
