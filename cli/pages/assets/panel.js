// One plot of a curve: the series that share an axis of scores, and over them those that have theirs on the right.

const kPanelHeights = [338, 240, 180];  // of one, two, and each of more
const kRight = 'right';

// Series of one unit and subject, that are judged by the same score, share a plot; what nothing is known of has one alone.
// Series with the scale `right` lie over the first of the others.
function panelGroups(series, info) {
  const groups = new Map();
  for (const one of series.filter(({scale}) => scale !== kRight)) {
    const about = one.info ?? info;
    const key = one.info?.known === false ? one.label : [about.unit, about.subject, about.better, about.noteworthy, about.usual_top].join('|');
    if (!groups.has(key)) groups.set(key, {info: about, series: []});
    groups.get(key).series.push(one);
  }
  const all = [...groups.values()];
  const beside = series.filter(({scale}) => scale === kRight);
  if (beside.length) all[0].beside = {info: beside[0].info ?? info, series: beside};
  return all;
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
  constructor(curve, {info, series, beside}, isLast) {
    this.sides = [{scale: 'y', info, series}, ...(beside ? [{scale: kRight, ...beside}] : [])];
    for (const side of this.sides) for (const one of side.series) one.scale = side.scale;
    Object.assign(this, {curve, isLast, series: this.sides.flatMap((side) => side.series)});
    this.room = 0;
    this.host = el('div');
    this.node = el('div', {className: 'panel'}, el('p', {className: 'axis-name'},
      ...this.sides.flatMap((side) => [this.titleNode(side), this.levelNode(side)]), ...this.areaNodes(), ...(isLast ? marksNodes(curve) : [])),
      this.host);
  }

  get hasTwo() { return this.sides.length > 1; }

  // Of two axes each has the colour of its lines.
  colourOf({series}) { return this.hasTwo ? series[0].colourName : 'muted'; }

  titleNode(side) {
    const title = panelTitle(side);
    if (!this.hasTwo) return el('span', {}, title);
    return el('span', {}, swatch(side.series[0]), `${title} (${side.scale === kRight ? 'right' : 'left'})`);
  }

  // What the area beside a line is, where there is one.
  areaNodes() {
    const words = (one) => (one.above ? `between ${one.label} and ${one.above.label}` : `95 % of the bootstrap models of ${one.label}`);
    return this.series.filter(({above, interval}) => above || interval).map((one) => {
      const box = el('span', {className: 'box'});
      Object.assign(box.style, {background: `var(--${one.colourName})`, opacity: 0.2});
      return el('span', {}, box, words(one));
    });
  }

  levelNode(side) {
    const {info} = side;
    if (info.noteworthy === null) return null;
    const colourName = this.levelColour(side);
    const node = el('span', {}, swatch({colourName, dash: this.levelDash(side)}), info.meaning ? `${info.noteworthy}: ${info.meaning}` : String(info.noteworthy));
    node.style.color = `var(--${colourName})`;
    return node;
  }

  levelColour(side) { return this.hasTwo ? this.colourOf(side) : 'warn'; }
  levelDash({scale}) { return scale === kRight ? kRightLevelDash : kLevelDash; }

  get height() { return kPanelHeights[Math.min(this.curve.panels.length, 3) - 1] - (this.isLast ? 0 : 44); }

  draw() {
    for (const side of this.sides) {
      const ends = side.series.flatMap(({interval}) => (interval ? [interval.low, interval.high] : []));
      side.range = scoreRange(side.info, [...side.series.map((one) => one.values), ...ends], this.hasTwo && side.scale !== kRight);
      side.labelled = side.range;
    }
    if (this.hasTwo) [this.sides[0].range, this.sides[1].range] = sharedRanges(...this.sides.map(({range}) => range));
    this.u = new uPlot(this.settings(), [this.curve.xs, ...this.series.map((one) => one.values)], this.host);
    this.gestures = new Gestures(this.u.over, this.curve);
  }

  setVisible(one, visible) {
    one.hidden = !visible;
    this.u.setSeries(this.series.indexOf(one) + 1, {show: visible});
    this.widths.forEach((width, i) => { this.u.series[i + 1].width = width; });
    this.u.redraw(true, false);  // areas end where the line of the reference is
  }

  get widths() { return widthsOf(this.series, this.ranges); }

  // By the names of the scales.
  get ranges() { return Object.fromEntries(this.sides.map(({scale, range}) => [scale, range])); }

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
        ...Object.fromEntries(this.sides.map(({scale, range}) => [scale, {range}])),
      },
      axes: this.axes(),
      series: [{}, ...this.series.map((one, i) => this.line(one, widths[i]))],
      hooks: {
        drawClear: [(u) => drawBands(u, curve.bands, curve.xs)],
        draw: [(u) => { drawCuts(u, curve.cuts, curve.xs); this.drawLevels(u); if (this.isLast) curve.placeStrip(u); }],
        setCursor: [(u) => curve.onCursor(this)],
        setScale: [(u, key) => { if (key === 'x') curve.onScale(u.scales.x.min, u.scales.x.max); }],
      },
    };
  }

  drawLevels(u) {
    for (const side of this.sides) drawNoteworthy(u, side, this.levelColour(side), this.levelDash(side));
  }

  scoreAxis(side) {
    const isRight = side.scale === kRight;
    const [low, high] = side.labelled;
    const filter = (u, splits) => splits.map((at) => (at >= low && at <= high ? at : null));
    return axis({scale: side.scale, stroke: () => colour(this.colourOf(side)), side: isRight ? 1 : 3, filter,
      grid: isRight ? {show: false} : {stroke: () => colour('line'), width: 1, filter},
      size: (u, values) => {
        if (isRight) return labelRoom(values);
        this.room = Math.max(this.room, labelRoom(values));
        return Math.max(this.room, this.curve.room);
      }, values: (u, splits) => splits.map((at) => (at === null ? '' : tickText(at)))});
  }

  axes() {
    const {curve} = this;
    const labels = {space: 84, size: 34, labelSize: 20, label: curve.axisName,
      values: (u, splits, place, space, step) => splits.map((at) => curve.tick(at, step))};
    return [
      axis({incrs: () => (curve.unit === 'time' ? kTimeSteps : frameSteps()),
        ...(this.isLast ? labels : {space: 84, size: 10, values: (u, splits) => splits.map(() => '')})}),
      ...this.sides.map((side) => this.scoreAxis(side)),
    ];
  }

  line(one, width) {
    return {
      label: one.label,
      scale: one.scale,
      show: !one.hidden,
      stroke: () => one.colour(),
      width,
      dash: one.dash,
      paths: (u, index, from, to) => linePaths(u, one, from, to),
      points: {show: this.curve.frames.length <= kFewFrames, size: 5, fill: () => one.colour()},
    };
  }
}
