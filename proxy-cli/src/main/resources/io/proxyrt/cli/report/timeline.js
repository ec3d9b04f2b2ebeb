/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* ---- events ---- */

const KINDS = ['send', 'receive', 'unknown', 'call', 'wait', 'error'];
const LABELS = {send: 'sends', receive: 'receives', unknown: 'of unknown direction', call: 'calls', wait: 'waits',
    error: 'errors', arrow: 'arrows'};
const shown = new Set([...KINDS, 'arrow']);
const jobs = [...new Set(data.ranks.map(rank => rank.job))];
const rankName = ({rank, job}) => 'rank ' + rank + (jobs.length > 1 ? ' of ' + (job || 'a job') : '');
const ops = [];
/** Each rank's lines, and each line's events, by their beginning. */
const lanes = [];
data.ranks.forEach(rank => {
    const title = rankName(rank);
    const add = (name, kinds, events) => {
        if (events.length) {
            lanes.push({rank, title, name, kinds, events});
        }
    };
    const event = fields => Object.assign({rank}, fields);
    const marks = rank.marks.map(([from, to, what, thread, isMoment]) => event({from, to,
        kind: isMoment ? 'error' : 'wait', name: what, facts: {thread}}));
    add('errors', ['error'], marks.filter(mark => mark.kind === 'error'));
    add('calls', ['call'], rank.calls.map(([at, what, communicator, isEnded]) => event({from: at, to: at, kind: 'call',
        name: what, facts: {communicator, completed: isEnded ? 'yes' : 'no'}})));
    add('waits', ['wait'], marks.filter(mark => mark.kind === 'wait'));
    const tracks = rank.tracks.map(() => []);
    for (const [from, to, track, count, peer, channel, verb, state, bytes, transport, waited, isCut] of rank.ops) {
        const op = event({from, to, kind: verb, name: (count & 1 ? 'send/recv op ' : 'op ') + count
            + ({send: ' to rank ', receive: ' from rank '}[verb] || ' with rank ') + peer, state,
            facts: {state, channel, transport: transport || 'unknown', bytes: bytes < 0 ? 'unknown' : bytes,
                'waited before': time(waited), ...(isCut ? {begins: 'before the black box does'} : {})}});
        ops.push(op);
        tracks[track].push(op);
    }
    rank.tracks.forEach((name, track) => add(name, [tracks[track].length ? tracks[track][0].kind : 'unknown'],
        tracks[track]));
});
data.arrows.forEach(([send, recv]) => {
    ops[send].other = ops[recv];
    ops[recv].other = ops[send];
});
lanes.forEach(lane => lane.events.forEach(event => { event.lane = lane; }));

/* ---- the timeline ---- */

const ROW = 18;
const LABEL = 210;
const AXIS = 22;
const view = {rows: [], from: 0, to: 1, least: 0, most: 1, picked: null};
const canvas = byId('canvas');
const frame = byId('timeline');

function wantedRanks() {
    const text = byId('ranks').value.trim();
    if (!text) {
        return () => true;
    }
    const spans = text.split(',').map(part => part.split('-').map(Number));
    return rank => spans.some(([low, high = low]) => rank >= low && rank <= high);
}

function choose() {
    const isWanted = wantedRanks();
    view.rows = lanes.filter(lane => isWanted(lane.rank.rank) && lane.kinds.some(kind => shown.has(kind)));
    view.rows.forEach((lane, row) => { lane.row = row; });
    frame.dataset.rows = view.rows.length;
    frame.dataset.events = view.rows.reduce((sum, lane) => sum + lane.events.length, 0);
    if (view.picked && !view.rows.includes(view.picked.lane)) {
        pick(null);
    }
    byId('space').style.height = view.rows.length * ROW + AXIS + 'px';
    draw();
}

function extent() {
    let least = Infinity;
    let most = -Infinity;
    for (const lane of lanes) {
        for (const event of lane.events) {
            least = Math.min(least, event.from);
            most = Math.max(most, event.to);
        }
    }
    view.least = least === Infinity ? 0 : least;
    view.most = most > view.least ? most : view.least + 1;
}

/** Ten nanoseconds at least, and little more than there is at most. */
function show(from, to) {
    const all = view.most - view.least;
    const span = Math.min(all * 1.04, Math.max(to - from, 0.01));
    const start = Math.min(Math.max(from, view.least - all * 0.02), view.most + all * 0.02 - span);
    view.from = start;
    view.to = start + span;
    frame.dataset.from = view.from;
    frame.dataset.to = view.to;
    byId('range').textContent = time(view.from) + ' to ' + time(view.to) + ', ' + time(span) + ' of ' + time(all);
    draw();
}

function fit() {
    const all = view.most - view.least;
    show(view.least - all * 0.02, view.most + all * 0.02);
}

function zoom(factor, at = (view.from + view.to) / 2) {
    show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

const plotWidth = () => Math.max(50, frame.clientWidth - LABEL);
const x = at => LABEL + (at - view.from) / (view.to - view.from) * plotWidth();
const atX = px => view.from + (px - LABEL) / plotWidth() * (view.to - view.from);

let isDrawing = false;
function draw() {
    if (!isDrawing) {
        isDrawing = true;
        requestAnimationFrame(() => { isDrawing = false; paint(); });
    }
}

function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

function paint() {
    const width = frame.clientWidth;
    const height = Math.min(view.rows.length * ROW + AXIS, Math.max(120, window.innerHeight * 0.62));
    const dots = window.devicePixelRatio || 1;
    canvas.width = width * dots;
    canvas.height = height * dots;
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    const pen = canvas.getContext('2d');
    pen.scale(dots, dots);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    const colors = {};
    [...KINDS, 'text', 'faint', 'line', 'band', 'page', 'arrow', 'pick'].forEach(name => { colors[name] = color(name); });
    const y = row => AXIS + row * ROW - frame.scrollTop;
    const first = Math.max(0, Math.floor(frame.scrollTop / ROW) - 1);
    const last = Math.min(view.rows.length, Math.ceil((frame.scrollTop + height) / ROW) + 1);
    for (let row = first; row < last; row++) {
        paintRow(pen, view.rows[row], y(row), width, colors, row > 0 ? view.rows[row - 1] : null);
    }
    paintArrows(pen, first, last, y, colors);
    paintAxis(pen, width, colors);
}

function paintRow(pen, lane, top, width, colors, before) {
    const isFirst = !before || before.rank !== lane.rank;
    if (lane.rank.rank % 2 === 0) {
        pen.fillStyle = colors.band;
        pen.fillRect(0, top, width, ROW);
    }
    pen.save();
    pen.beginPath();
    pen.rect(LABEL, top, width - LABEL, ROW);
    pen.clip();
    let covered = -Infinity;
    for (let i = firstVisible(lane.events); i < lane.events.length && lane.events[i].from <= view.to; i++) {
        const event = lane.events[i];
        if (!shown.has(event.kind)) {
            continue;
        }
        const left = Math.max(x(event.from), LABEL - 2);
        const right = Math.min(Math.max(x(event.to), left + 1.5), width + 2);
        if (right <= covered && event !== view.picked) {
            continue;
        }
        covered = right;
        paintEvent(pen, event, left, top, right - left, colors);
    }
    pen.restore();
    pen.fillStyle = colors.text;
    if (isFirst) {
        pen.font = '600 12px system-ui, sans-serif';
        pen.fillText(lane.title, 8, top + ROW / 2, 80);
        pen.font = '12px system-ui, sans-serif';
    }
    pen.fillStyle = colors.faint;
    pen.fillText(lane.name, 92, top + ROW / 2, LABEL - 98);
}

function paintEvent(pen, event, left, top, wide, colors) {
    pen.fillStyle = colors[event.kind];
    pen.globalAlpha = event.state === 'active' ? 0.45 : 0.9;
    pen.fillRect(left, top + 3, wide > 3 ? wide - 1 : wide, ROW - 6);
    pen.globalAlpha = 1;
    if (event === view.picked) {
        pen.strokeStyle = colors.pick;
        pen.lineWidth = 2;
        pen.strokeRect(left - 1, top + 2, wide + 2, ROW - 4);
    }
    const brief = event.name.split(/ (?:to|from|with|of) /, 1)[0];
    const label = wide > 30 && [event.name, brief].find(text => pen.measureText(text).width < wide - 8);
    if (label) {
        pen.fillStyle = colors.page;
        pen.fillText(label, left + 4, top + ROW / 2);
    }
}

/** The first that may reach into the view: of a line none begins before the one before has ended, or all are moments. */
function firstVisible(events) {
    let low = 0;
    let high = events.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (events[middle].from < view.from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return events.length && events[0].kind === 'wait' ? 0 : Math.max(0, low - 1);
}

function paintArrows(pen, first, last, y, colors) {
    const all = ops.filter(op => op.kind === 'send' && op.other && op.to >= view.from && op.from <= view.to
        && view.rows[op.lane.row] === op.lane && view.rows[op.other.lane.row] === op.other.lane
        && Math.min(op.lane.row, op.other.lane.row) <= last && Math.max(op.lane.row, op.other.lane.row) >= first);
    const isPicked = op => view.picked && (op === view.picked || op.other === view.picked);
    const some = shown.has('arrow') && all.length <= 100 ? all : all.filter(isPicked);
    pen.save();
    pen.beginPath();
    pen.rect(LABEL, AXIS, frame.clientWidth - LABEL, canvas.clientHeight || 10000);
    pen.clip();
    for (const op of some) {
        const end = op.other;
        const tail = [x(op.from), y(op.lane.row) + ROW / 2];
        const head = [x(Math.max(end.from, Math.min(op.from, end.to))), y(end.lane.row) + ROW / 2];
        pen.strokeStyle = pen.fillStyle = isPicked(op) ? colors.pick : colors.arrow;
        pen.lineWidth = isPicked(op) ? 2 : 1;
        pen.beginPath();
        pen.moveTo(...tail);
        pen.lineTo(...head);
        pen.stroke();
        const turn = Math.atan2(head[1] - tail[1], head[0] - tail[0]);
        pen.beginPath();
        pen.moveTo(...head);
        for (const side of [-0.4, 0.4]) {
            pen.lineTo(head[0] - 8 * Math.cos(turn + side), head[1] - 8 * Math.sin(turn + side));
        }
        pen.fill();
    }
    pen.restore();
}

function paintAxis(pen, width, colors) {
    pen.fillStyle = colors.page;
    pen.fillRect(0, 0, width, AXIS);
    pen.strokeStyle = colors.line;
    pen.lineWidth = 1;
    pen.fillStyle = colors.faint;
    for (const at of ticks(view.from, view.to, Math.max(2, plotWidth() / 120))) {
        pen.beginPath();
        pen.moveTo(x(at), AXIS - 5);
        pen.lineTo(x(at), canvas.clientHeight || 10000);
        pen.globalAlpha = 0.6;
        pen.stroke();
        pen.globalAlpha = 1;
        pen.fillText(time(at), x(at) + 3, AXIS / 2, 110);
    }
}

function find(px, py) {
    const row = Math.floor((py - AXIS + frame.scrollTop) / ROW);
    const lane = view.rows[row];
    if (px < LABEL || py < AXIS || !lane) {
        return null;
    }
    let best = null;
    let least = 5;
    for (const event of lane.events) {
        const away = Math.max(x(event.from) - px, px - x(event.to), 0);
        if (shown.has(event.kind) && away < least) {
            best = event;
            least = away;
        }
    }
    return best;
}

function pick(event) {
    view.picked = event;
    byId('details').replaceChildren(...(event ? [facts(event)] : []));
    draw();
}

function facts(event) {
    const list = make('dl');
    const add = (name, value) => list.append(make('dt', {}, name), make('dd', {}, String(value)));
    add('event', event.name);
    add('rank', event.rank.rank + ', process ' + event.rank.pid);
    add('time', event.from === event.to ? time(event.from)
        : time(event.from) + ' to ' + time(event.to) + ', ' + time(event.to - event.from));
    Object.entries(event.facts).forEach(([name, value]) => add(name, value));
    if (event.other) {
        const link = make('button', {id: 'other'}, event.other.name + ' at rank ' + event.other.rank.rank);
        link.addEventListener('click', () => reveal(event.other));
        list.append(make('dt', {}, event.kind === 'send' ? 'received as' : 'sent as'), make('dd', {}, link));
    }
    return list;
}

function reveal(event) {
    const span = view.to - view.from;
    if (event.from < view.from || event.from > view.to) {
        show(event.from - span / 4, event.from + span * 3 / 4);
    }
    const top = event.lane.row * ROW;
    if (view.rows[event.lane.row] === event.lane && (top < frame.scrollTop || top + 2 * ROW + AXIS > frame.scrollTop
            + frame.clientHeight)) {
        frame.scrollTop = Math.max(0, top - frame.clientHeight / 2);
    }
    pick(event);
}

/** The next event of what is shown, by time. */
function step(by) {
    const all = view.rows.flatMap(lane => lane.events).filter(event => shown.has(event.kind))
        .sort((one, other) => one.from - other.from);
    if (all.length) {
        const at = view.picked ? all.indexOf(view.picked) + by : all.findIndex(event => event.from >= view.from);
        reveal(all[Math.min(all.length - 1, Math.max(0, at))]);
    }
}

function listen() {
    let drag = null;
    canvas.addEventListener('pointerdown', event => {
        drag = {px: event.clientX, from: view.from, to: view.to, hasMoved: false};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
        const box = canvas.getBoundingClientRect();
        if (drag) {
            const by = (event.clientX - drag.px) / plotWidth() * (drag.to - drag.from);
            drag.hasMoved = drag.hasMoved || Math.abs(event.clientX - drag.px) > 3;
            if (drag.hasMoved) {
                show(drag.from - by, drag.to - by);
            }
            return;
        }
        const found = find(event.clientX - box.left, event.clientY - box.top);
        const tip = byId('tip');
        tip.hidden = !found;
        if (found) {
            tip.textContent = found.name + (found.to > found.from ? ', ' + time(found.to - found.from) : '');
            tip.style.left = Math.min(event.clientX + 12, window.innerWidth - 300) + 'px';
            tip.style.top = event.clientY + 14 + 'px';
        }
    });
    canvas.addEventListener('pointerup', event => {
        const box = canvas.getBoundingClientRect();
        if (drag && !drag.hasMoved) {
            pick(find(event.clientX - box.left, event.clientY - box.top));
        }
        drag = null;
    });
    canvas.addEventListener('pointerleave', () => { byId('tip').hidden = true; });
    canvas.addEventListener('wheel', event => {
        if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            zoom(event.deltaY > 0 ? 1.25 : 0.8, atX(event.clientX - canvas.getBoundingClientRect().left));
        }
    }, {passive: false});
    const keys = {
        '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), Home: fit, n: () => step(1), p: () => step(-1),
        Escape: () => pick(null),
        ArrowLeft: () => show(view.from - (view.to - view.from) / 5, view.to - (view.to - view.from) / 5),
        ArrowRight: () => show(view.from + (view.to - view.from) / 5, view.to + (view.to - view.from) / 5)
    };
    frame.addEventListener('keydown', event => {
        if (keys[event.key] && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            keys[event.key]();
        }
    });
    frame.addEventListener('scroll', draw);
    window.addEventListener('resize', draw);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    byId('in').addEventListener('click', () => zoom(0.5));
    byId('out').addEventListener('click', () => zoom(2));
    byId('fit').addEventListener('click', fit);
    byId('ranks').addEventListener('input', choose);
    const there = new Set(lanes.flatMap(lane => lane.kinds));
    [...KINDS.filter(kind => there.has(kind)), ...(data.arrows.length ? ['arrow'] : [])].forEach(kind => {
        const box = make('input', {type: 'checkbox', id: 'kind-' + kind, checked: ''});
        box.addEventListener('change', () => {
            shown[box.checked ? 'add' : 'delete'](kind);
            choose();
        });
        byId('kinds').append(make('label', {}, box,
            make('span', {class: 'swatch', style: 'background: var(--' + kind + ')'}), LABELS[kind]));
    });
}
