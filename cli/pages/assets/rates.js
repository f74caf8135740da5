// Scores against bit rates: which run is worth its bits.

const kRatePlotHeight = 340;
const kNamesFrom = 520;  // pixels of width; below, points have their ranks beside them

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

// For each of the points {rate, value}, the one that is at least as good at no more bits, and better in one of both: the best
// of those; -1 where there is none. Null where a point is not known.
function beatenBy(points, highestFirst) {
  const better = (a, b) => (highestFirst ? a - b : b - a);
  const isKnown = ({rate, value}) => isNumber(rate) && isNumber(value);
  return points.map((point) => {
    if (!isKnown(point)) return null;
    let best = -1;
    points.forEach((other, i) => {
      if (!isKnown(other) || other.rate > point.rate || better(other.value, point.value) < 0) return;
      if (other.rate === point.rate && other.value === point.value) return;
      if (best < 0 || better(other.value, points[best].value) > 0) best = i;
    });
    return best;
  });
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

function svgNode(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// `points`: {name, rank, rate, value, colourName}; `beaten` as beatenBy() says.
class RatePlot {
  constructor({points, beaten, highestFirst, info, words}) {
    Object.assign(this, {points, beaten, highestFirst, info, words});
    this.host = el('div', {className: 'rates'});
    this.node = el('figure', {}, this.host, el('figcaption', {}, this.caption()));
    new ResizeObserver(() => this.draw()).observe(this.host);
  }

  get front() {
    return this.points.map((_, i) => i).filter((i) => this.beaten[i] === -1)
      .sort((a, b) => this.points[a].rate - this.points[b].rate);
  }

  caption() {
    const side = this.highestFirst ? 'above and to the left' : 'below and to the left';
    return `${capital(this.words)} against bit rate. A run is worth its bits where no other lies ${side}: the line joins those.`;
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    const known = this.points.map((_, i) => i).filter((i) => this.beaten[i] !== null);
    const rates = known.map((i) => this.points[i].rate / 1000);
    const values = known.map((i) => this.points[i].value);
    const [left, right, top, bottom] = [56, 16, 16, 44];
    const highRate = largest(rates) * 1.08;
    const marked = isNumber(this.info.noteworthy) ? [this.info.noteworthy] : [];
    const span = largest(values) - smallest(values);
    const apart = marked.length === 0 && smallest(values) > 0.5 * largest(values) && span > 0;
    const low = apart ? smallest(values) - 0.15 * span : Math.min(0, smallest(values));
    const high = Math.max(largest(values) + 0.1 * (apart ? span : largest(values) - low), ...marked.map((at) => at * 1.1)) || 1;
    const x = (rate) => left + (width - left - right) * rate / highRate;
    const y = (value) => kRatePlotHeight - bottom - (kRatePlotHeight - top - bottom) * (value - low) / (high - low);
    const svg = svgNode('svg', {width: '100%', height: kRatePlotHeight, viewBox: `0 0 ${width} ${kRatePlotHeight}`, role: 'img',
      'aria-label': this.description()});
    for (const at of ticksBetween(low, high, 6)) {
      svg.append(svgNode('line', {class: 'grid', x1: left, x2: width - right, y1: y(at), y2: y(at)}),
        svgNode('text', {class: 'tick', x: left - 8, y: y(at) + 4, 'text-anchor': 'end'}, String(at)));
    }
    for (const at of ticksBetween(0, highRate, Math.max(2, Math.floor(width / 110)))) {
      svg.append(svgNode('line', {class: 'grid', x1: x(at), x2: x(at), y1: top, y2: kRatePlotHeight - bottom}),
        svgNode('text', {class: 'tick', x: x(at), y: kRatePlotHeight - bottom + 18, 'text-anchor': 'middle'}, count(at)));
    }
    svg.append(svgNode('text', {class: 'tick', x: width - right, y: kRatePlotHeight - 6, 'text-anchor': 'end'}, 'kbit/s'));
    for (const at of marked) svg.append(svgNode('line', {class: 'noteworthy', x1: left, x2: width - right, y1: y(at), y2: y(at)}));
    const place = (i) => [x(this.points[i].rate / 1000), y(this.points[i].value)];
    svg.append(svgNode('polyline', {class: 'front', points: this.front.map((i) => place(i).join(',')).join(' ')}));
    for (const i of known) {
      const [cx, cy] = place(i);
      const {name, rate, value, colourName} = this.points[i];
      const circle = svgNode('circle', {cx, cy, r: 5, class: this.beaten[i] === -1 ? 'point' : 'point beaten'},
        svgNode('title', {}, `${name}: ${score(value)} at ${rateText(rate)}`));
      circle.style.setProperty('--line-colour', `var(--${colourName})`);
      svg.append(circle);
    }
    this.addNames(svg, known.map((i) => ({text: width < kNamesFrom ? `#${this.points[i].rank}` : this.points[i].name, at: place(i)})), width - right);
    this.host.replaceChildren(svg);
  }

  // Beside the points, where there is room, and not over each other.
  addNames(svg, names, to) {
    const boxes = names.map(({at: [x, y]}) => [x - 6, x + 6, y]);
    for (const {text, at: [x, y]} of [...names].sort((a, b) => a.at[1] - b.at[1])) {
      const shown = text.length > 32 ? `${text.slice(0, 15)}\u2026${text.slice(-16)}` : text;
      const width = 6.7 * shown.length;
      const side = x + 10 + width <= to ? 1 : -1;
      const start = side > 0 ? x + 10 : x - 10 - width;
      let line = y;
      while (boxes.some(([a, b, at]) => start < b && a < start + width && Math.abs(at - line) < 14)) line += 14;
      boxes.push([start, start + width, line]);
      svg.append(svgNode('text', {class: 'name', x: x + 10 * side, y: line + 4, 'text-anchor': side > 0 ? 'start' : 'end'}, shown));
    }
  }

  description() {
    const parts = this.points.map(({name, rate, value}, i) => (this.beaten[i] === null ? ''
      : `${name} ${score(value)} at ${rateText(rate)}${this.beaten[i] === -1 ? '' : `, beaten by ${this.points[this.beaten[i]].name}`}`));
    return `${capital(this.words)} against bit rate: ${parts.filter(Boolean).join('; ')}.`;
  }
}
