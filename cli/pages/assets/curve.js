// Scores over frames or time: one plot for each axis of scores, all over the same window of the run.

const kFewFrames = 80;  // up to here every frame is a dot
const kFewestShown = 4;

const isCoarse = () => matchMedia('(pointer: coarse)').matches;
const hint = () => (isCoarse() ? ['Tap to read, pinch to zoom, drag to move.']
  : ['Point to read, drag to zoom', el('span', {className: 'more'}, ', Ctrl + wheel zooms, Shift + drag moves'), '.']);

// `series`: {label, values, colour(), colourName, dash, width, hidden, info, above, interval, scale}; `info` is that of the metric
// where it is not the curve's, `above` the series of the reference, `interval` {low, high} what each value lies between, `scale`
// `right` where the line lies over others that have the axis on the left. `frames`: numbers; `times`: seconds, or null where unknown.
class Curve {
  // `info`: of the metric whose noteworthy scores are marked; `bands`: first and last positions of stretches to shade;
  // `cuts`: positions at which scenes begin, ascending; `scored`: the number of frames, where positions have gaps as well.
  constructor({frames, times, series, label, info, bands = [], cuts = [], scored = frames.length}) {
    Object.assign(this, {frames, times, series, info, bands, cuts, scored});
    this.unit = 'frame';
    this.room = 0;
    this.position = null;
    this.target = null;  // where the keyboard wants the cursor, until it is there
    this.chips = [];     // where the legend shows values
    this.view = [frames[0], frames[frames.length - 1]];
    this.where = el('span', {className: 'where'});
    this.value = el('b');
    this.readout = el('p', {className: 'readout'}, this.where, this.value);
    this.range = el('p', {className: 'note range'});
    this.host = el('div', {className: 'plot', tabIndex: 0, role: 'slider'});
    this.host.setAttribute('aria-label', `${label}. Arrow keys step through frames, plus and minus zoom, 0 shows all.`);
    this.host.setAttribute('aria-valuemin', frames[0]);
    this.host.setAttribute('aria-valuemax', frames[frames.length - 1]);
    this.host.setAttribute('aria-valuenow', frames[0]);
    this.host.addEventListener('keydown', (event) => this.onKey(event));
    this.panels = [];
    const groups = panelGroups(series, info);
    groups.forEach((group, i) => this.panels.push(new Panel(this, group, i === groups.length - 1)));
    fill(this.host, ...this.panels.map((panel) => panel.node));
    this.strip = new Strip(this);
    this.node = el('div', {className: 'curve'}, this.controls(), this.host, this.strip.node, this.range);
  }

  // Plots measure text and width, so this waits until the page holds the node.
  draw() {
    for (const panel of this.panels) panel.draw();
    // The plots begin at the same place: beside the widest of their labels.
    this.room = Math.max(...this.panels.map((panel) => panel.room));
    if (this.panels.length > 1) this.repaint();
    adopt(this, this.host);
    this.read(null);
    this.showRange();
  }

  remove() {
    plots.splice(plots.indexOf(this), 1);
    for (const {u} of this.panels) u.destroy();
    this.node.remove();
  }

  get u() { return this.panels[0].u; }
  get xs() { return this.unit === 'time' ? this.times : this.frames; }
  get last() { return this.frames.length - 1; }
  get hasAll() { return this.scored === this.frames.length; }
  get span() { return [this.xs[0], this.xs[this.last]]; }
  get window() { return this.view; }
  get isWhole() { return this.view[0] <= this.xs[0] && this.view[1] >= this.xs[this.last]; }
  get axisName() { return this.unit === 'time' ? 'Time' : 'Frame'; }

  controls() {
    const zoom = el('div', {className: 'buttons'},
      button('\u2212', () => this.zoom(2), {title: 'Zoom out', ariaLabel: 'Zoom out'}),
      button('+', () => this.zoom(0.5), {title: 'Zoom in', ariaLabel: 'Zoom in'}),
      button('Show all', () => this.reset()));
    const units = this.times
      ? chooser('Axis', [['frame', 'Frames'], ['time', 'Time']], 'frame', (unit) => this.setUnit(unit)) : null;
    return el('div', {className: 'controls'}, this.readout, el('div', {className: 'tools'}, units, zoom));
  }

  tick(at, step) {
    if (at < this.xs[0] || at > this.xs[this.last]) return '';
    if (this.unit === 'frame') return Number.isInteger(at) ? count(at) : '';
    return timecode(at, step < 0.1 ? 2 : step < 1 ? 1 : 0);
  }

  clamp(low, high) {
    const [first, last] = this.span;
    if (first === last) return [first - 1, last + 1];
    if (!isNumber(low) || high <= low) return [first, last];
    return [Math.max(low, first), Math.min(high, last)];
  }

  fit(width = this.host.clientWidth, share = 1) {
    for (const {u, height} of this.panels) if (width > 0 && (width !== u.width || share * height !== u.height)) u.setSize({width, height: share * height});
  }

  repaint() {
    for (const {u} of this.panels) u.redraw(true, true);
    this.strip.paint();
  }

  placeStrip(u) {
    this.strip.place(u.bbox.left / devicePixelRatio, u.bbox.width / devicePixelRatio);
  }

  // Shows this part, moved into the run where it begins before it or ends behind it.
  setWindow(low, high) {
    const [first, last] = this.span;
    const least = Math.min(last - first, (last - first) / Math.max(1, this.last) * kFewestShown);
    const width = Math.min(Math.max(high - low, least), last - first);
    const start = Math.min(Math.max(low, first), last - width);
    for (const {u} of this.panels) u.setScale('x', {min: start, max: start + width});
    this.setView(start, start + width);
  }

  setView(low, high) {
    if (low === this.view[0] && high === this.view[1]) return;
    this.view = [low, high];
    this.showRange();
  }

  // A plot has another window: the others follow.
  onScale(low, high) {
    this.setView(low, high);
    for (const {u} of this.panels) {
      if (u && (u.scales.x.min !== low || u.scales.x.max !== high)) u.setScale('x', {min: low, max: high});
    }
  }

  zoomAt(share, factor) {
    const [low, high] = this.view;
    const at = low + share * (high - low);
    this.setWindow(at - (at - low) * factor, at + (high - at) * factor);
  }

  moveBy(share) {
    const [low, high] = this.view;
    this.setWindow(low + share * (high - low), high + share * (high - low));
  }

  readAt(share) {
    const [low, high] = this.view;
    this.moveTo(this.nearest(low + share * (high - low)));
  }

  zoom(factor) {
    const [low, high] = this.view;
    const known = this.position !== null && this.xs[this.position] >= low && this.xs[this.position] <= high;
    this.zoomAt(known && high > low ? (this.xs[this.position] - low) / (high - low) : 0.5, factor);
  }

  reset() { this.setWindow(...this.span); }

  setUnit(unit) {
    const [low, high] = this.view.map((at) => this.nearest(at));
    this.unit = unit;
    for (const panel of this.panels) {
      panel.u.axes[0].label = panel.isLast ? this.axisName : null;
      panel.u.setData([this.xs, ...panel.series.map((one) => one.values)], false);
    }
    this.setWindow(this.xs[low], this.xs[high]);
    this.strip.paint();
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
    const one = this.series[index];
    this.panels.find(({series}) => series.includes(one)).setVisible(one, visible);
    this.strip.paint();
    this.read(this.position);
  }

  onKey(event) {
    const far = event.shiftKey ? 10 : 1;
    const page = Math.max(1, Math.round((this.nearest(this.view[1]) - this.nearest(this.view[0])) / 10));
    const here = this.position ?? this.nearest(this.view[0]);
    const moves = {ArrowLeft: here - far, ArrowRight: here + far, PageUp: here + page, PageDown: here - page, Home: 0,
      End: this.last};
    if (event.key in moves) this.moveTo(moves[event.key]);
    else if (event.key === '+' || event.key === '=') this.zoom(0.5);
    else if (event.key === '-') this.zoom(2);
    else if (event.key === '0' || event.key === 'Escape') this.reset();
    else return;
    event.preventDefault();
  }

  // The mouse is over one plot, or left it: the others show the same frame. While the keyboard moves the cursor, a mouse that
  // lies over the plot has no say.
  onCursor(panel) {
    if (this.target !== null) return;
    const {idx, left} = panel.u.cursor;
    this.setCursors(left, panel);
    this.read(idx);
  }

  setCursors(left, but = null) {
    for (const panel of this.panels) {
      if (panel === but || !panel.u) continue;
      const one = panel.series.find(({hidden}) => !hidden);
      const value = one?.values[this.target];
      panel.u.setCursor({left, top: isNumber(value) ? panel.u.valToPos(value, one.scale) : left < 0 ? -10 : 0}, false);
    }
  }

  // Puts the cursor on a frame, by position, and moves the window where it is outside.
  moveTo(position) {
    const to = Math.min(Math.max(position, 0), this.last);
    const x = this.xs[to];
    const [low, high] = this.view;
    if (x < low || x > high) this.setWindow(x - (high - low) / 2, x + (high - low) / 2);
    this.target = to;
    this.read(to);
    // uPlot applies a new scale later, and places are computed after that.
    requestAnimationFrame(() => {
      if (this.target === null) return;
      this.setCursors(this.u.valToPos(this.xs[this.target], 'x'));
      this.target = null;
    });
  }

  // Zooms to the surroundings of a frame and marks it.
  show(position) {
    this.showAround(position, position, Math.max(30, Math.round(this.last / 200)));
  }

  // Shows a line that the legend hides.
  reveal(label) {
    this.chips.find(({one}) => one.label === label && one.hidden)?.toggle.click();
  }

  // Zooms to a stretch and a little on both sides, and marks its first frame.
  showRangeOf(first, last) {
    this.showAround(first, last, Math.max(15, Math.round((last - first) / 8)));
  }

  showAround(first, last, around) {
    this.setWindow(this.xs[Math.max(0, first - around)], this.xs[Math.min(this.last, last + around)]);
    this.node.scrollIntoView({block: 'center'});
    this.host.focus({preventScroll: true});
    this.moveTo(first);
  }

  frameText(position) {
    const time = this.times ? ` \u00b7 ${timecode(this.times[position])}` : '';
    return `Frame ${count(this.frames[position])}${time}${this.cuts.includes(position) ? ' \u00b7 scene cut' : ''}`;
  }

  valueText(one, position) {
    const text = (value) => score(value, one.info ?? this.info);
    const {values, interval} = one;
    return interval ? `${text(values[position])} (${text(interval.low[position])} to ${text(interval.high[position])})` : text(values[position]);
  }

  // Each value has a place that holds the longest, so that nothing moves when one is read.
  read(position) {
    this.position = position ?? null;
    const isRead = this.position !== null;
    this.readout.classList.toggle('note', !isRead);
    this.where.replaceChildren(...(isRead ? [this.frameText(position)] : hint()));
    this.value.textContent = isRead && this.series.length === 1 ? this.valueText(this.series[0], position) : '';
    for (const {one, value} of this.chips) value.textContent = isRead && !one.hidden ? this.valueText(one, position) : kUnknown;
    if (!isRead) return;
    const told = this.series.filter((one) => !one.hidden).map((one) => `${one.label} ${this.valueText(one, position)}`);
    this.host.setAttribute('aria-valuenow', this.frames[position]);
    this.host.setAttribute('aria-valuetext', [this.frameText(position), ...told].join(', '));
  }

  // A place on the axis, in words.
  text(at) {
    const position = this.nearest(at);
    return this.unit === 'time' ? timecode(this.times[position]) : `frame ${count(this.frames[position])}`;
  }

  showRange() {
    if (!this.panels[0].u) return;
    const [low, high] = this.view.map((at) => this.nearest(at));
    const name = (position) => (this.unit === 'time' ? timecode(this.times[position]) : count(this.frames[position]));
    const total = this.unit === 'time' ? timecode(this.times[this.last]) : count(this.scored);
    const all = this.unit === 'time' ? `${name(0)} to ${total}` : plural(this.scored, 'frame');
    const part = `${this.unit === 'time' ? '' : 'Frames '}${name(low)} to ${name(high)}${this.unit === 'time' || this.hasAll ? ` of ${total}` : ''}`;
    const frames = framesAPoint(this.u, low, high);
    const meaning = frames > 1 ? `. Lines: mean of ${count(frames)} frames; shaded: their lowest to highest` : '';
    this.range.textContent = (this.isWhole ? all : part) + meaning;
    this.strip.show();
  }
}
