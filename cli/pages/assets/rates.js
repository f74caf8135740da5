// Scores against bit rates: a line for each encoder and size, and which runs are worth their bits.

const kRatePlotHeight = 400;
const kNamesFrom = 520;  // pixels of width; below, points have their ranks beside them
const kShapes = ['circle', 'square', 'diamond', 'triangle'];  // of picture sizes

const rateText = (rate) => (isNumber(rate) ? (rate < 999.5 ? `${rate.toFixed(0)} bit/s`
  : rate < 999.5e3 ? `${(rate / 1e3).toFixed(rate < 9.995e3 ? 2 : rate < 99.95e3 ? 1 : 0)} kbit/s`
  : `${(rate / 1e6).toFixed(rate < 9.995e6 ? 2 : 1)} Mbit/s`) : kUnknown);

function sizeText(bytes) {
  if (!isNumber(bytes)) return kUnknown;
  let size = bytes / 1000;
  for (const unit of ['kB', 'MB', 'GB']) {
    if (size < 999.5) return `${size.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(2)} TB`;
}

// For each of `count` runs the one that beats it, as the program's rates_json() says; -1 where none does. Null where that is
// not known.
function beatenBy(rates, count) {
  const known = new Set(rates?.curves.flatMap(({runs}) => runs));
  return Array.from({length: count}, (_, i) => (known.has(i) ? rates.beaten.find(({run}) => run === i)?.by ?? -1 : null));
}

// Steps of 1, 2 or 5 that divide a range into at most so many parts.
function niceStep(range, parts) {
  const unit = 10 ** Math.floor(Math.log10(range / parts));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((step) => range / step <= parts);
}

function ticksBetween(low, high, parts) {
  const step = niceStep(high - low, parts);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); ++i) ticks.push(Number((i * step).toPrecision(10)));
  return ticks;
}

// For a logarithmic axis: 1, 2 and 5 of each power of ten, fewer or evenly spaced ones where those are too many or too few.
function rateTicks(low, high, most) {
  const of = (digits) => {
    const ticks = [];
    for (let unit = 10 ** Math.floor(Math.log10(low)); unit <= high; unit *= 10) ticks.push(...digits.map((digit) => digit * unit));
    return ticks.filter((at) => at >= low && at <= high).map((at) => Number(at.toPrecision(3)));
  };
  const ticks = [[1, 2, 5], [1, 3], [1]].map(of).find((some) => some.length <= most) ?? [];
  return ticks.length < 3 ? ticksBetween(low, high, Math.max(2, most - 1)) : ticks;
}

// A mark of about 10 pixels around a place.
function markNode(shape, [x, y], className) {
  const outlines = {square: [[-4.5, -4.5], [4.5, -4.5], [4.5, 4.5], [-4.5, 4.5]], diamond: [[0, -6.5], [6.5, 0], [0, 6.5], [-6.5, 0]],
    triangle: [[0, -6], [6, 5], [-6, 5]]};
  if (shape === 'circle') return svgNode('circle', {cx: x, cy: y, r: 5, class: className});
  return svgNode('polygon', {points: outlines[shape].map(([a, b]) => `${x + a},${y + b}`).join(' '), class: className});
}

// Names without what all of a curve begin with, up to a sign between words, and without their extension: "crf23" for
// "x264_720p_crf23.mp4".
function shortNames(whole) {
  if (whole.length < 2) return whole;
  const [extension] = whole[0].match(/\.[a-z][a-z0-9]*$/i) ?? [''];
  const names = whole.every((name) => name.endsWith(extension)) ? whole.map((name) => name.slice(0, name.length - extension.length)) : whole;
  let common = names[0].length;
  for (const name of names) while (!name.startsWith(names[0].slice(0, common))) --common;
  const start = names[0].slice(0, common).search(/[^\p{L}\p{N}.]+[\p{L}\p{N}.]*$/u);
  const cut = start < 0 ? 0 : start + names[0].slice(start).match(/^[^\p{L}\p{N}.]+/u)[0].length;
  return names.map((name, i) => name.slice(cut) || whole[i]);
}

// Where a name may stand beside its point, best first: its left, its right, and the line it stands on.
function namePlaces([x, y], width) {
  return [[x + 10, y + 4], [x - 10 - width, y + 4], [x - width / 2, y - 10], [x - width / 2, y + 19], [x + 8, y - 8], [x + 8, y + 17],
    [x - 8 - width, y - 8], [x - 8 - width, y + 17]];
}

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// `points`: {name, rank, rate, value} of each run; `beaten` as beatenBy() says; `rates` as the program's rates_json().
class RatePlot {
  constructor(choice) {
    const {points, beaten, rates, info, metric, words, isShare, isOfPictures, lines} = choice;
    Object.assign(this, {points, beaten, rates, info, words, isOfPictures, label: labelOf(metric, info), looks: lines});
    this.rateText = (rate) => choice.rateText(rate);
    this.against = isOfPictures ? 'size' : 'bit rate';
    this.valueText = (value) => (isShare ? percent(value, 1) : meanScore(value, info));
    this.sizes = [...new Set(rates.curves.filter(({is_hull: isHull}) => !isHull).map(sizeWords))];
    this.lines = rates.curves.filter(({is_hull: isHull}) => !isHull);
    this.hulls = rates.curves.filter(({is_hull: isHull}) => isHull);
    this.hidden = new Set();
    this.host = el('div', {className: 'rates'});
    this.node = el('figure', {}, this.legend(), this.host, el('figcaption', {}, this.caption()));
    new ResizeObserver(() => { if (this.host.clientWidth !== this.width) this.draw(); }).observe(this.host);
  }

  // The hue of the encoder on the whole page; where the runs have a hue each, their curve has none.
  colourOf({encoder}) { return this.looks.find((one) => one.encoder === encoder)?.hue ?? 'ink'; }
  shapeOf(curve) { return kShapes[this.sizes.indexOf(sizeWords(curve)) % kShapes.length]; }

  legend() {
    const list = el('div', {className: 'legend', role: 'group', ariaLabel: 'Curves and layers shown'});
    const add = (name, sample) => list.append(lever((visible) => {
      this.hidden[visible ? 'delete' : 'add'](name);
      this.draw();
    }, {className: '', ariaPressed: 'true'}, sample, el('span', {}, name)));
    for (const line of this.lines) add(line.name, this.sample('line', this.colourOf(line), this.shapeOf(line)));
    add('Front', this.sample('front'));
    if (this.hulls.length) add(this.hulls.length > 1 ? 'Hulls' : 'Hull', this.sample('hull', this.colourOf(this.hulls[0])));
    return list;
  }

  sample(className, colourName, shape) {
    const svg = svgNode('svg', {class: 'swatch rates-swatch', viewBox: '0 0 26 14', 'aria-hidden': 'true'},
      svgNode('line', {class: className, x1: 1, x2: 25, y1: 7, y2: 7}));
    if (shape) svg.append(markNode(shape, [13, 7], 'point'));
    if (colourName) svg.style.setProperty('--line-colour', `var(--${colourName})`);
    return svg;
  }

  caption() {
    return `${capital(this.words)} of ${this.label} against ${this.against}, on a logarithmic scale. The front joins the runs that no other beats: none is as good or better and not bigger` +
      `${this.hulls.length ? '; the hull of an encoder joins those of all sizes that no mixture of two others beats' : ''}. Hollow marks are beaten.`;
  }

  // The axes, from what there is.
  scales(width) {
    const known = this.rates.curves.flatMap(({runs}) => runs);
    const rates = known.map((i) => this.points[i].rate / 1000);
    const values = known.map((i) => this.points[i].value);
    const target = this.rates.target?.value;
    if (isNumber(target)) values.push(target);
    const [left, right, top, bottom] = [56, 16, 14, 44];
    const room = (largest(values) - smallest(values)) * 0.07 || Math.max(1e-6, Math.abs(values[0]) * 0.05);
    const [low, high] = [smallest(values) - room, largest(values) + room];
    const spread = Math.max(1.1, (largest(rates) / smallest(rates)) ** 0.05);
    const [slow, fast] = [smallest(rates) / spread, largest(rates) * spread];
    return {left, right: width - right, top, bottom: kRatePlotHeight - bottom, low, high, slow, fast,
      x: (rate) => left + (width - left - right) * Math.log(rate / slow) / Math.log(fast / slow),
      y: (value) => kRatePlotHeight - bottom - (kRatePlotHeight - top - bottom) * (value - low) / (high - low)};
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width) return;
    this.width = width;
    const scales = this.scales(width);
    const svg = svgNode('svg', {width: '100%', height: kRatePlotHeight, viewBox: `0 0 ${width} ${kRatePlotHeight}`, role: 'img',
      'aria-label': this.description()});
    this.drawAxes(svg, scales, width);
    const place = (i) => [scales.x(this.points[i].rate / 1000), scales.y(this.points[i].value)];
    const join = (runs, className, colourName) => {
      const line = svgNode('polyline', {class: className, points: runs.map((i) => place(i).join(',')).join(' ')});
      if (colourName) line.style.setProperty('--line-colour', `var(--${colourName})`);
      svg.append(line);
    };
    if (!this.hidden.has('Hulls') && !this.hidden.has('Hull')) for (const hull of this.hulls) join(hull.runs, 'hull', this.colourOf(hull));
    if (!this.hidden.has('Front')) join(this.rates.front, 'front');
    const lines = this.lines.filter(({name}) => !this.hidden.has(name));
    for (const line of lines) join(line.runs, 'line', this.colourOf(line));
    for (const line of lines) this.drawPoints(svg, line, place);
    this.drawTarget(svg, scales);
    this.addNames(svg, lines, place, scales);
    this.host.replaceChildren(svg);
  }

  drawAxes(svg, {left, right, top, bottom, low, high, slow, fast, x, y}, width) {
    for (const at of ticksBetween(low, high, 7)) {
      svg.append(svgNode('line', {class: 'grid', x1: left, x2: right, y1: y(at), y2: y(at)}),
        svgNode('text', {class: 'tick', x: left - 8, y: y(at) + 4, 'text-anchor': 'end'}, String(at)));
    }
    for (const at of rateTicks(slow, fast, Math.max(3, Math.floor(width / 80)))) {
      svg.append(svgNode('line', {class: 'grid', x1: x(at), x2: x(at), y1: top, y2: bottom}),
        svgNode('text', {class: 'tick', x: x(at), y: bottom + 18, 'text-anchor': 'middle'}, count(at)));
    }
    svg.append(svgNode('text', {class: 'tick', x: right, y: kRatePlotHeight - 6, 'text-anchor': 'end'}, this.isOfPictures ? 'size in kB' : 'kbit/s'));
    const {noteworthy} = this.info;
    if (isNumber(noteworthy) && noteworthy > low && noteworthy < high)
      svg.append(svgNode('line', {class: 'noteworthy', x1: left, x2: right, y1: y(noteworthy), y2: y(noteworthy)}));
  }

  drawPoints(svg, line, place) {
    for (const i of line.runs) {
      const {name, rate, value} = this.points[i];
      const mark = markNode(this.shapeOf(line), place(i), this.beaten[i] === -1 ? 'point' : 'point beaten');
      mark.style.setProperty('--line-colour', `var(--${this.points[i].colourName})`);
      mark.append(svgNode('title', {}, `${name}: ${this.valueText(value)} at ${this.rateText(rate)}`));
      svg.append(mark);
    }
  }

  // The score to reach, and the rates at which the curves do.
  drawTarget(svg, {left, right, x, y}) {
    const {target} = this.rates;
    if (!target) return;
    const at = y(target.value);
    svg.append(svgNode('line', {class: 'target', x1: left, x2: right, y1: at, y2: at}));
    for (const {curve, bit_rate: bits, file_bytes: bytes} of target.curves) {
      const rate = this.isOfPictures ? bytes : bits;
      const line = this.rates.curves[curve];
      if (!isNumber(rate) || line.is_hull || this.hidden.has(line.name)) continue;
      const tick = svgNode('line', {class: 'reached', x1: x(rate / 1000), x2: x(rate / 1000), y1: at - 9, y2: at + 9});
      tick.style.setProperty('--line-colour', `var(--${this.colourOf(line)})`);
      tick.append(svgNode('title', {}, `${line.name}: ${target.value} at ${this.rateText(rate)}`));
      svg.append(tick);
    }
  }

  // Beside the points, where there is room; those on the front first. A point without room has its tooltip.
  addNames(svg, lines, place, {left, right, top, bottom}) {
    const taken = lines.flatMap(({runs}) => runs).map((i) => { const [x, y] = place(i); return {left: x - 6, right: x + 6, top: y - 6, bottom: y + 6}; });
    const isNarrow = this.width < kNamesFrom;
    const names = lines.flatMap(({runs}) => shortNames(runs.map((i) => this.points[i].name)).map((text, k) => ({i: runs[k], text})));
    names.sort((a, b) => (this.beaten[a.i] !== -1) - (this.beaten[b.i] !== -1) || place(a.i)[1] - place(b.i)[1]);
    for (const {i, text} of names) {
      const whole = isNarrow ? `#${this.points[i].rank}` : text;
      const shown = whole.length > 32 ? `${whole.slice(0, 15)}\u2026${whole.slice(-16)}` : whole;
      const width = 6.7 * shown.length;
      for (const [x, y] of namePlaces(place(i), width)) {
        const box = {left: x - 2, right: x + width + 2, top: y - 11, bottom: y + 3};
        const isInside = box.left > left && box.right < right + 14 && box.top > top - 12 && box.bottom < bottom;
        if (!isInside || taken.some((other) => overlaps(box, other))) continue;
        taken.push(box);
        svg.append(svgNode('text', {class: 'name', x, y}, shown));
        break;
      }
    }
  }

  description() {
    const parts = this.points.map(({name, rate, value}, i) => (this.beaten[i] === null ? ''
      : `${name} ${this.valueText(value)} at ${this.rateText(rate)}${this.beaten[i] === -1 ? '' : `, beaten by ${this.points[this.beaten[i]].name}`}`));
    return `${capital(this.words)} of ${this.label} against ${this.against}: ${parts.filter(Boolean).join('; ')}.`;
  }
}
