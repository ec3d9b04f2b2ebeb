/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const PALETTE = ['#2f7ed8', '#e0812b', '#2ca58d', '#b553c9', '#c94a4a', '#7f8c2d', '#5a6acf', '#a5673f'];

/** An element with attributes; children are elements or text, never markup. */
function make(name, attributes, ...children) {
    const isSvg = ['svg', 'g', 'line', 'path', 'circle', 'text', 'title', 'rect', 'polyline', 'marker', 'defs'].includes(name);
    const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
        element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
}

function time(us) {
    const size = Math.abs(us);
    const [unit, scale] = size >= 1e6 ? ['s', 1e6] : size >= 1e3 ? ['ms', 1e3] : ['\u00b5s', 1];
    return (us / scale).toPrecision(5).replace(/\.?0+$/, '') + ' ' + unit;
}

function short(number) {
    const size = Math.abs(number);
    for (const [limit, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
        if (size >= limit) {
            return +(number / limit).toPrecision(3) + unit;
        }
    }
    return String(+number.toPrecision(3));
}

function ticks(from, to, count) {
    const rough = (to - from) / count;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
    const all = [];
    for (let at = Math.ceil(from / step) * step; at <= to && all.length < 100; at += step) {
        all.push(Math.abs(at) < step / 1e6 ? 0 : at);
    }
    return all;
}

/** The least and the most, of however many. */
function range(values) {
    let [least, most] = [Infinity, -Infinity];
    for (const value of values) {
        least = Math.min(least, value);
        most = Math.max(most, value);
    }
    return [least, most];
}

/** Lines of points, each {name, points: [[x, y]...]}, on axes that may be logarithmic. */
function plot(series, {isLog, xText, yText}) {
    const [width, height, left, bottom] = [900, 280, 60, 28];
    const points = series.flatMap(line => line.points);
    const scale = (values, from, to) => {
        const map = isLog ? value => Math.log10(Math.max(value, 1e-12)) : value => value;
        const [low, high] = range(values.map(map));
        const least = isLog ? low : Math.min(0, low);
        const most = Math.max(high, least + 1e-9);
        const marks = isLog ? ticks(least, most, 6).filter(Number.isInteger).map(power => Math.pow(10, power))
            : ticks(least, most, 5);
        return {at: value => from + (map(value) - least) / (most - least) * (to - from),
            marks: marks.length > 1 ? marks : range(values)};
    };
    const across = scale(points.map(point => point[0]), left, width - 12);
    const up = scale(points.map(point => point[1]), height - bottom, 14);
    const drawing = make('svg', {viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': yText});
    across.marks.forEach(mark => drawing.append(
        make('line', {class: 'axis', x1: across.at(mark), x2: across.at(mark), y1: 14, y2: height - bottom}),
        make('text', {x: across.at(mark), y: height - 10, 'text-anchor': 'middle'}, xText(mark))));
    up.marks.forEach(mark => drawing.append(
        make('line', {class: 'axis', x1: left, x2: width - 12, y1: up.at(mark), y2: up.at(mark)}),
        make('text', {x: left - 6, y: up.at(mark) + 4, 'text-anchor': 'end'}, short(mark))));
    series.forEach((line, i) => {
        const stroke = PALETTE[i % PALETTE.length];
        drawing.append(make('polyline', {points: line.points.map(([px, py]) => across.at(px) + ',' + up.at(py)).join(' '),
            fill: 'none', stroke, 'stroke-width': 1.8}));
        line.points.forEach(([px, py]) => drawing.append(make('circle', {cx: across.at(px), cy: up.at(py), r: 2.5,
            fill: stroke}, make('title', {}, line.name + ', ' + xText(px) + ': ' + short(py)))));
    });
    const legend = make('div', {class: 'legend'}, ...series.map((line, i) => make('span', {},
        make('span', {class: 'swatch', style: 'background: ' + PALETTE[i % PALETTE.length]}), line.name)));
    return [drawing, legend];
}
