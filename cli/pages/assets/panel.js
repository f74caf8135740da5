// One plot of a curve: the series that share an axis of scores.

const kPanelHeights = [338, 240, 180];  // of one, two, and each of more

// Series of one unit and subject, that are judged by the same score, share a plot; what nothing is known of has one alone.
function panelGroups(series, info) {
  const groups = new Map();
  for (const one of series) {
    const about = one.info ?? info;
    const key = one.info?.known === false ? one.label : [about.unit, about.subject, about.better, about.noteworthy, about.usual_top].join('|');
    if (!groups.has(key)) groups.set(key, {info: about, series: []});
    groups.get(key).series.push(one);
  }
  return [...groups.values()];
}

// What the axis of scores shows: "CAMBI", "distortion in dB".
function panelTitle({info, series}) {
  const titles = new Set(series.map((one) => (one.info ?? info).title || one.label));
  const title = titles.size === 1 ? [...titles][0] : info.subject || [...titles].join(', ');
  const unit = info.unit ? ` in ${info.unit}` : '';
  return `${capital(title)}${unit}${info.better === 'neither' ? '' : `, ${info.better} is better`}`;
}

class Panel {
  // `curve`: what it belongs to; `isLast`: the axis of frames or time is below it.
  constructor(curve, {info, series}, isLast) {
    Object.assign(this, {curve, info, series, isLast});
    this.room = 0;
    this.host = el('div');
    this.node = el('div', {className: 'panel'}, el('p', {className: 'axis-name'}, el('span', {}, panelTitle(this)), this.levelNode(), this.areaNode(),
      ...(isLast ? marksNodes(curve) : [])),
      this.host);
  }

  // What the area between two lines is, where there is one.
  areaNode() {
    const one = this.series.find(({above}) => above);
    if (!one) return null;
    const box = el('span', {className: 'box'});
    box.style.background = `var(--area${one.colourName.slice(1)})`;
    return el('span', {}, box, `between ${one.label} and ${one.above.label}`);
  }

  levelNode() {
    const {info} = this;
    if (info.noteworthy === null) return null;
    return el('span', {className: 'warn'}, swatch({colourName: 'warn', dash: [5, 4]}),
      info.meaning ? `${info.noteworthy}: ${info.meaning}` : String(info.noteworthy));
  }

  get height() { return kPanelHeights[Math.min(this.curve.panels.length, 3) - 1] - (this.isLast ? 0 : 44); }

  draw() {
    this.range = scoreRange(this.info, this.series.map((one) => one.values));
    this.u = new uPlot(this.settings(), [this.curve.xs, ...this.series.map((one) => one.values)], this.host);
    this.gestures = new Gestures(this.u.over, this.curve);
  }

  setVisible(one, visible) {
    one.hidden = !visible;
    this.u.setSeries(this.series.indexOf(one) + 1, {show: visible});
    this.widths.forEach((width, i) => { this.u.series[i + 1].width = width; });
    this.u.redraw(true, false);  // areas end where the line of the reference is
  }

  get widths() { return widthsOf(this.series, this.range[1] - this.range[0]); }

  settings() {
    const {curve, widths} = this;
    return {
      width: curve.host.clientWidth || 600,
      height: this.height,
      legend: {show: false},
      cursor: {
        drag: {x: true, y: false, dist: 4},
        points: {size: 7},
        focus: {prox: this.series.length > 3 ? 24 : -1},
        bind: {mousedown: (u, node, handler) => (event) => { if (event.button === 0 && !Gestures.isMove(event)) handler(event); }},
      },
      focus: {alpha: 0.35},
      scales: {
        x: {time: false, range: (u, low, high) => curve.clamp(low, high)},
        y: {range: this.range},
      },
      axes: this.axes(),
      series: [{}, ...this.series.map((one, i) => this.line(one, widths[i]))],
      hooks: {
        drawClear: [(u) => drawBands(u, curve.bands, curve.xs)],
        draw: [(u) => { drawCuts(u, curve.cuts, curve.xs); drawNoteworthy(u, this.info); if (this.isLast) curve.placeStrip(u); }],
        setCursor: [(u) => curve.onCursor(this)],
        setScale: [(u, key) => { if (key === 'x') curve.onScale(u.scales.x.min, u.scales.x.max); }],
      },
    };
  }

  axes() {
    const {curve} = this;
    const labels = {space: 84, size: 34, labelSize: 20, label: curve.axisName,
      values: (u, splits, place, space, step) => splits.map((at) => curve.tick(at, step))};
    return [
      axis({incrs: () => (curve.unit === 'time' ? kTimeSteps : frameSteps()),
        ...(this.isLast ? labels : {space: 84, size: 10, values: (u, splits) => splits.map(() => '')})}),
      axis({size: (u, values) => {
        this.room = Math.max(this.room, labelRoom(values));
        return Math.max(this.room, curve.room);
      }, values: (u, splits) => splits.map(tickText)}),
    ];
  }

  line(one, width) {
    return {
      label: one.label,
      show: !one.hidden,
      stroke: () => one.colour(),
      width,
      dash: one.dash,
      paths: (u, index, from, to) => linePaths(u, one, from, to),
      points: {show: this.curve.frames.length <= kFewFrames, size: 5, fill: () => one.colour()},
    };
  }
}
