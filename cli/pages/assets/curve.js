// Scores over frames or time: drag or press + to zoom, hover or use the arrow keys to read.

const kCurveHeight = 320;
const kManyFrames = 4000;  // from here on the average is drawn over the single frames
const kFewFrames = 80;     // up to here every frame is a dot
const kTimeSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  14400, 43200, 86400];

function frameSteps() {
  const steps = [];
  for (let unit = 1; unit < 1e12; unit *= 10) steps.push(unit, 2 * unit, 5 * unit);
  return steps;
}

// The mean over `width` frames around each one.
function rollingMean(values, width) {
  const half = Math.floor(width / 2);
  const sums = new Float64Array(values.length + 1);
  const numbers = new Uint32Array(values.length + 1);
  values.forEach((value, i) => {
    sums[i + 1] = sums[i] + (isNumber(value) ? value : 0);
    numbers[i + 1] = numbers[i] + (isNumber(value) ? 1 : 0);
  });
  return values.map((_, i) => {
    const from = Math.max(0, i - half);
    const to = Math.min(values.length, i + half + 1);
    const known = numbers[to] - numbers[from];
    return known ? (sums[to] - sums[from]) / known : null;
  });
}

const axisFont = '12px system-ui, sans-serif';

function axis(more) {
  return {
    stroke: () => colour('muted'),
    font: axisFont,
    labelFont: axisFont,
    grid: {stroke: () => colour('line'), width: 1},
    ticks: {show: false},
    ...more,
  };
}

// Beside the plot, for the longest of these labels.
const labelRoom = (labels) => Math.max(42, 14 + 7 * Math.max(0, ...(labels ?? []).map((label) => label.length)));

// `series`: {label, values, colour(), dash, width, hidden}; `frames` numbers; `times` seconds, or null where unknown.
class Curve {
  // `info`: of the metric whose noteworthy scores are marked; `bands`: first and last positions of stretches to shade.
  constructor({frames, times, series, label, info, bands = []}) {
    this.bands = bands;
    this.frames = frames;
    this.times = times;
    this.series = series;
    this.info = info;
    this.unit = 'frame';
    this.readout = el('p', {className: 'readout'});
    this.range = el('p', {className: 'note range'});
    this.host = el('div', {className: 'plot', tabIndex: 0, role: 'slider'});
    this.host.setAttribute('aria-label', `${label}. Arrow keys step through frames, plus and minus zoom, 0 shows all.`);
    this.host.setAttribute('aria-valuemin', frames[0]);
    this.host.setAttribute('aria-valuemax', frames[frames.length - 1]);
    this.host.setAttribute('aria-valuenow', frames[0]);
    this.host.addEventListener('keydown', (event) => this.onKey(event));
    this.position = null;
    this.target = null;  // where the keyboard wants the cursor, until it is there
    this.node = el('div', {className: 'curve'}, this.controls(), this.host, this.range);
  }

  // Plots measure text and width, so this waits until the page holds the node.
  draw() {
    const data = [this.xs, ...this.series.map((one) => one.values)];
    this.u = new uPlot(this.settings(), data, this.host);
    adopt(this, this.host);
    this.read(null);
    this.showRange();
  }

  remove() {
    plots.splice(plots.indexOf(this), 1);
    this.u.destroy();
    this.node.remove();
  }

  get xs() { return this.unit === 'time' ? this.times : this.frames; }
  get last() { return this.frames.length - 1; }

  controls() {
    const zoom = el('div', {className: 'buttons'},
      button('\u2212', () => this.zoom(2), {title: 'Zoom out', ariaLabel: 'Zoom out'}),
      button('+', () => this.zoom(0.5), {title: 'Zoom in', ariaLabel: 'Zoom in'}),
      button('Show all', () => this.reset()));
    const units = this.times
      ? chooser('Axis', [['frame', 'Frames'], ['time', 'Time']], 'frame', (unit) => this.setUnit(unit)) : null;
    return el('div', {className: 'controls'}, this.readout, el('div', {className: 'tools'}, units, zoom));
  }

  settings() {
    let top = 0;
    for (const one of this.series) top = Math.max(top, largest(one.values));
    const highest = plotTop(this.info, top * 1.06) || 1;
    return {
      width: this.host.clientWidth || 600,
      height: kCurveHeight,
      legend: {show: false},
      cursor: {
        drag: {x: true, y: false, dist: 4},
        points: {size: 7},
        focus: {prox: this.series.length > 3 ? 24 : -1},
      },
      focus: {alpha: 0.35},
      scales: {
        x: {time: false, range: (u, low, high) => this.clamp(low, high)},
        y: {range: [0, highest]},
      },
      axes: [
        axis({incrs: () => (this.unit === 'time' ? kTimeSteps : frameSteps()), space: 84, size: 34,
          values: (u, splits, place, space, step) => splits.map((at) => this.tick(at, step))}),
        axis({size: (u, values) => labelRoom(values), values: (u, splits) => splits.map((at) => String(Number(at.toPrecision(6))))}),
      ],
      series: [{}, ...this.series.map((one) => this.line(one))],
      hooks: {
        drawClear: [(u) => drawBands(u, this.bands, this.xs)],
        draw: [(u) => drawNoteworthy(u, this.info)],
        setCursor: [(u) => { if (this.target === null) this.read(u.cursor.idx); }],
        setScale: [(u, key) => { if (key === 'x') this.showRange(); }],
      },
    };
  }

  line(one) {
    return {
      label: one.label,
      show: !one.hidden,
      stroke: () => one.colour(),
      width: one.width || 1.5,
      dash: one.dash,
      points: {show: this.frames.length <= kFewFrames, size: 5, fill: () => one.colour()},
    };
  }

  tick(at, step) {
    if (at < this.xs[0] || at > this.xs[this.last]) return '';
    if (this.unit === 'frame') return Number.isInteger(at) ? count(at) : '';
    return timecode(at, step < 0.1 ? 2 : step < 1 ? 1 : 0);
  }

  clamp(low, high) {
    const first = this.xs[0];
    const last = this.xs[this.last];
    if (first === last) return [first - 1, last + 1];
    if (!isNumber(low) || high <= low) return [first, last];
    return [Math.max(low, first), Math.min(high, last)];
  }

  fit(width = this.host.clientWidth) {
    if (width > 0 && width !== this.u.width) this.u.setSize({width, height: kCurveHeight});
  }

  get window() { return [this.u.scales.x.min, this.u.scales.x.max]; }

  zoom(factor) {
    const [low, high] = this.window;
    const known = this.position !== null && this.xs[this.position] >= low && this.xs[this.position] <= high;
    const middle = known ? this.xs[this.position] : (low + high) / 2;
    const least = (this.xs[this.last] - this.xs[0]) / Math.max(1, this.last) * 4;
    const width = Math.max((high - low) * factor, least);
    const start = middle - (middle - low) / (high - low) * width;
    this.u.setScale('x', {min: start, max: start + width});
  }

  reset() {
    this.u.setScale('x', {min: this.xs[0], max: this.xs[this.last]});
  }

  setUnit(unit) {
    const [low, high] = this.window.map((at) => this.nearest(at));
    this.unit = unit;
    this.u.setData([this.xs, ...this.series.map((one) => one.values)], false);
    this.u.setScale('x', {min: this.xs[low], max: this.xs[high]});
  }

  nearest(at) {
    let low = 0;
    let high = this.last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.xs[middle] < at) low = middle;
      else high = middle;
    }
    return at - this.xs[low] <= this.xs[high] - at ? low : high;
  }

  setVisible(index, visible) {
    this.series[index].hidden = !visible;
    this.u.setSeries(index + 1, {show: visible});
    this.read(this.position);
  }

  onKey(event) {
    const far = event.shiftKey ? 10 : 1;
    const page = Math.max(1, Math.round((this.nearest(this.window[1]) - this.nearest(this.window[0])) / 10));
    const here = this.position ?? this.nearest(this.window[0]);
    const moves = {ArrowLeft: here - far, ArrowRight: here + far, PageUp: here + page, PageDown: here - page, Home: 0,
      End: this.last};
    if (event.key in moves) this.moveTo(moves[event.key]);
    else if (event.key === '+' || event.key === '=') this.zoom(0.5);
    else if (event.key === '-') this.zoom(2);
    else if (event.key === '0' || event.key === 'Escape') this.reset();
    else return;
    event.preventDefault();
  }

  // Puts the cursor on a frame, by position, and moves the window where it is outside.
  moveTo(position) {
    const to = Math.min(Math.max(position, 0), this.last);
    const x = this.xs[to];
    const [low, high] = this.window;
    if (x < low || x > high) {
      const start = Math.min(Math.max(x - (high - low) / 2, this.xs[0]), this.xs[this.last] - (high - low));
      this.u.setScale('x', {min: start, max: start + high - low});
    }
    this.target = to;
    this.read(to);
    // uPlot applies a new scale later, and places are computed after that. Until then a mouse that lies over the plot
    // has no say.
    requestAnimationFrame(() => {
      if (this.target === null) return;
      const value = this.series.find((one) => !one.hidden)?.values[this.target];
      const left = this.u.valToPos(this.xs[this.target], 'x');
      this.u.setCursor({left, top: this.u.valToPos(isNumber(value) ? value : 0, 'y')});
      this.target = null;
    });
  }

  // Zooms to the surroundings of a frame and marks it.
  show(position) {
    const around = Math.max(30, Math.round(this.last / 200));
    const low = Math.max(0, position - around);
    const high = Math.min(this.last, position + around);
    this.u.setScale('x', {min: this.xs[low], max: this.xs[high]});
    this.node.scrollIntoView({block: 'center'});
    this.host.focus({preventScroll: true});
    this.moveTo(position);
  }

  // Zooms to a stretch and a little on both sides, and marks its first frame.
  showRangeOf(first, last) {
    const around = Math.max(15, Math.round((last - first) / 8));
    this.u.setScale('x', {min: this.xs[Math.max(0, first - around)], max: this.xs[Math.min(this.last, last + around)]});
    this.node.scrollIntoView({block: 'center'});
    this.host.focus({preventScroll: true});
    this.moveTo(first);
  }

  read(position) {
    this.position = position ?? null;
    if (this.position === null) {
      this.readout.replaceChildren(el('span', {className: 'note'}, 'Point at the curve to read it, drag to zoom.'));
      return;
    }
    const frame = this.frames[position];
    const time = this.times ? ` \u00b7 ${timecode(this.times[position])}` : '';
    const parts = [el('span', {className: 'where'}, `Frame ${count(frame)}${time}`)];
    for (const one of this.series) {
      if (one.hidden) continue;
      parts.push(el('span', {className: 'value'}, swatch(one), `${one.label} `,
        el('b', {}, score(one.values[position]))));
    }
    this.readout.replaceChildren(...parts);
    this.host.setAttribute('aria-valuenow', frame);
    this.host.setAttribute('aria-valuetext', parts.map((part) => part.textContent).join(', '));
  }

  showRange() {
    if (!this.u) return;
    const [low, high] = this.window.map((at) => this.nearest(at));
    const all = low === 0 && high === this.last;
    this.range.textContent = all ? `${plural(this.frames.length, 'frame')}`
      : `Frames ${count(this.frames[low])} to ${count(this.frames[high])} of ${count(this.frames.length)}`;
  }
}

// A sample of a line as the plot draws it.
function swatch(one) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('class', 'swatch');
  svg.setAttribute('viewBox', '0 0 22 8');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(space, 'line');
  const attributes = {x1: 1, x2: 21, y1: 4, y2: 4, 'stroke-width': 2.5, 'stroke-dasharray': (one.dash || []).join(' ')};
  for (const [key, value] of Object.entries(attributes)) line.setAttribute(key, value);
  line.style.stroke = `var(--${one.colourName})`;
  svg.append(line);
  return svg;
}

// Shades stretches behind the lines. Those narrower than a pixel are as wide as one.
function drawBands(u, bands, xs) {
  const {left, top, width, height} = u.bbox;
  const context = u.ctx;
  context.save();
  context.fillStyle = colour('warn-ground');
  for (const [first, last] of bands) {
    const from = Math.max(left, u.valToPos(xs[first], 'x', true));
    const to = Math.min(left + width, Math.max(u.valToPos(xs[last], 'x', true), from + devicePixelRatio));
    if (to > from) context.fillRect(from, top, to - from, height);
  }
  context.restore();
}

function drawNoteworthy(u, info) {
  if (info.noteworthy === null) return;
  const y = Math.round(u.valToPos(info.noteworthy, 'y', true));
  const text = info.meaning ? `${info.noteworthy}: ${info.meaning}` : String(info.noteworthy);
  const {left, width} = u.bbox;
  const context = u.ctx;
  const ratio = devicePixelRatio;
  context.save();
  context.strokeStyle = colour('warn');
  context.fillStyle = colour('warn');
  context.lineWidth = ratio;
  context.setLineDash([5 * ratio, 4 * ratio]);
  context.beginPath();
  context.moveTo(left, y);
  context.lineTo(left + width, y);
  context.stroke();
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  context.textAlign = 'right';
  context.textBaseline = 'bottom';
  // A halo in the colour of the page keeps the words readable over the curves.
  context.setLineDash([]);
  context.lineWidth = 7 * ratio;
  context.lineJoin = 'round';
  context.strokeStyle = colour('ground');
  context.strokeText(text, left + width - 4 * ratio, y - 4 * ratio);
  context.fillText(text, left + width - 4 * ratio, y - 4 * ratio);
  context.restore();
}
