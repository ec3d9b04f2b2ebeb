/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* ---- who waits for whom ---- */

function waits() {
    const all = data.why.flatMap(job => job.waits.map(wait => [job.job, ...wait]));
    data.why.forEach(job => byId('sentences').append(make('p', {class: job.reason === 'none' ? 'sentence'
        : 'sentence stands'}, (data.why.length > 1 && job.job ? 'job ' + job.job + ': ' : '') + job.sentence)));
    byId('waits').hidden = !all.length;
    if (!all.length) {
        return;
    }
    byId('edges').append(make('tr', {}, ...['rank', 'waits for', 'what', 'for'].map(name => make('th', {}, name))));
    all.forEach(([job, from, to, what, still]) => byId('edges').append(make('tr', {},
        make('td', {}, jobs.length > 1 ? rankName({rank: from, job}) : String(from)),
        make('td', {}, to === from ? 'itself' : 'rank ' + to), make('td', {}, what),
        make('td', {class: 'number'}, still.toFixed(1) + ' s'))));
    const ranks = [...new Set(all.flatMap(([, from, to]) => [from, to]))].sort((one, other) => one - other);
    if (data.why.length === 1 && ranks.length > 1 && ranks.length <= 24) {
        byId('graph').append(circle(ranks, all));
    }
}

function circle(ranks, edges) {
    const size = 260;
    const place = rank => {
        const turn = 2 * Math.PI * ranks.indexOf(rank) / ranks.length - Math.PI / 2;
        return [size / 2 + (size / 2 - 30) * Math.cos(turn), size / 2 + (size / 2 - 30) * Math.sin(turn)];
    };
    const drawing = make('svg', {width: size, height: size, role: 'img', 'aria-label': 'ranks, and arrows to those that '
        + 'they wait for'}, make('defs', {}, make('marker', {id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4,
        markerWidth: 8, markerHeight: 8, orient: 'auto'}, make('path', {d: 'M0 0L8 4L0 8z', fill: 'var(--wait)'}))));
    edges.filter(([, from, to]) => from !== to).forEach(([, from, to]) => {
        const [x1, y1] = place(from);
        const [x2, y2] = place(to);
        const long = Math.hypot(x2 - x1, y2 - y1) || 1;
        const [dx, dy] = [(x2 - x1) / long * 17, (y2 - y1) / long * 17];
        drawing.append(make('line', {x1: x1 + dx, y1: y1 + dy, x2: x2 - dx, y2: y2 - dy, stroke: 'var(--wait)',
            'stroke-width': 2, 'marker-end': 'url(#head)'}));
    });
    const blamed = new Set(edges.map(([, , to]) => to));
    ranks.forEach(rank => {
        const [cx, cy] = place(rank);
        const isEnd = blamed.has(rank) && !edges.some(([, from, to]) => from === rank && to !== rank);
        drawing.append(make('circle', {cx, cy, r: 15, fill: 'var(--band)', stroke: isEnd ? 'var(--error)' : 'var(--line)',
            'stroke-width': isEnd ? 3 : 1}), make('text', {x: cx, y: cy + 4, 'text-anchor': 'middle'}, String(rank)));
    });
    return drawing;
}

function counters() {
    const {atMs, rows} = data.counters;
    byId('counters').hidden = !rows.length || atMs.length < 2;
    if (byId('counters').hidden) {
        return;
    }
    const names = [...new Set(rows.map(row => row.name))];
    const moving = new Set(rows.filter(row => row.values[0] !== row.values[row.values.length - 1]).map(row => row.name));
    names.sort((one, other) => moving.has(other) - moving.has(one));
    names.forEach(name => byId('counter').append(make('option', {value: name}, name + (moving.has(name) ? '' : ' (still)'))));
    const redraw = () => {
        const ofName = rows.filter(row => row.name === byId('counter').value);
        const isRate = ofName[0].kind === 'TOTAL';
        const series = ofName.map(row => ({name: rankName(row), points: row.values.map((value, i) => isRate
            ? i === 0 ? null : [atMs[i], (value - row.values[i - 1]) / Math.max(1, atMs[i] - atMs[i - 1]) * 1000]
            : [atMs[i], value]).filter(point => point)}));
        byId('counter-plot').replaceChildren(make('p', {class: 'hint'}, isRate ? 'a second' : 'at each moment'),
            ...plot(series, {isLog: false, xText: ms => ms / 1000 + ' s', yText: byId('counter').value}));
    };
    byId('counter').addEventListener('change', redraw);
    redraw();
}

function perf() {
    const rows = (data.perf ? data.perf.rows : []).filter(row => row && typeof row === 'object');
    const ways = {outOfPlace: 'out of place', inPlace: 'in place'};
    byId('perf').hidden = !rows.length;
    if (!rows.length) {
        return;
    }
    const redraw = () => {
        const lines = new Map();
        for (const row of rows) {
            for (const way of Object.keys(ways)) {
                const value = row[way] && row[way][byId('metric').value];
                if (typeof value === 'number' && value > 0 && row.size > 0) {
                    const name = [data.perf.plan && data.perf.plan.collective, row.type, row.redop, ways[way]]
                        .filter(part => part && part !== 'none').join(' ');
                    if (!lines.has(name)) {
                        lines.set(name, []);
                    }
                    lines.get(name).push([row.size, value]);
                }
            }
        }
        const series = [...lines].map(([name, points]) => ({name, points}));
        byId('perf-plot').replaceChildren(...(series.length ? plot(series, {isLog: true, xText: bytes => short(bytes) + 'B',
            yText: byId('metric').selectedOptions[0].textContent}) : ['nothing was measured']));
    };
    byId('metric').addEventListener('change', redraw);
    redraw();
}

/* ---- the page ---- */

/** What cannot be shown is left out; the rest is shown. */
function section(id, fill) {
    try {
        fill();
    } catch (e) {
        byId(id).hidden = true;
        byId('notes').append(make('li', {}, 'The section "' + id + '" cannot be shown: ' + e.message));
    }
}

byId('about').textContent = jobs.map(job => {
    const ranks = data.ranks.filter(rank => rank.job === job);
    return (job ? 'job ' + job + ': ' : '') + ranks.length + ' of ' + ranks[0].nRanks + ' ranks';
}).join('; ') + '. Times begin at ' + data.begins + '.';
data.notes.forEach(note => byId('notes').append(make('li', {}, note)));
data.ranks.filter(rank => rank.failure || rank.process !== 'running').forEach(rank => byId('notes').append(make('li', {},
    rankName(rank) + ' (pid ' + rank.pid + ') is ' + rank.process + (rank.failure ? ', first failure: ' + rank.failure
        : ''))));
if (!lanes.length) {
    byId('timeline').hidden = true;
    byId('notes').prepend(make('li', {}, 'No rank has left an event.'));
}
byId('topology').hidden = !data.topology;
if (data.topology) {
    byId('topology-image').src = data.topology;
}
extent();
listen();
choose();
fit();
section('waits', waits);
section('counters', counters);
section('perf', perf);
document.documentElement.dataset.ready = 'yes';
