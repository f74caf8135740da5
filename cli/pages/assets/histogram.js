// How many frames have which score. Bars of noteworthy scores have the colour of the line in the curve.

const kHistogramHeight = 280;
const kMostBars = 40;
// Of what is noteworthy, or of one: that is always the edge of a bar.
const kBarShares = [1 / 40, 1 / 20, 1 / 10, 1 / 5, 1 / 2, 1, 5, 25, 125];

class Histogram {
  // `pooled`: statistics of the values, of which percentiles are marked.
  constructor(values, info, pooled = {}) {
    this.values = values;
    this.info = info;
    this.marks = this.marksOf(pooled);
    this.readout = el('p', {className: 'readout'});
    this.host = el('div', {className: 'plot', role: 'img'});
    this.node = el('div', {className: 'histogram'}, this.readout, this.host, this.markList(),
      el('p', {className: 'note'}, 'Frames by score; frames upwards, scores to the right.'));
  }

  // Where the median is, the worse end, and what is noteworthy: {at, text, dash, colourName}.
  marksOf(pooled) {
    const mark = (key, name, dash) => (isNumber(pooled[key])
      ? {at: pooled[key], text: `${name} ${score(pooled[key], this.info)}`, dash, colourName: 'ink'} : null);
    const tail = this.info.figures.find(({name, value}) => /^p\d/.test(name) && isNumber(value));
    const level = this.info.noteworthy === null ? null
      : {at: this.info.noteworthy, text: noteworthyTitle(this.info), dash: [5, 4], colourName: 'warn'};
    return [mark('p50', 'Median', undefined),
      tail ? {at: tail.value, text: `${capital(tail.title)} ${tail.text}`, dash: [2, 3], colourName: 'ink'} : null,
      level].filter((one) => one !== null);
  }

  markList() {
    return el('p', {className: 'channels'}, ...this.marks.map((one) => el('span', {}, swatch(one), one.text)));
  }

  drawMarks(u) {
    for (const mark of this.marks) {
      const x = Math.round(u.valToPos(mark.at, 'x', true));
      drawLine(u, {...mark, width: 1.5}, [x, u.bbox.top], [x, u.bbox.top + u.bbox.height]);
    }
  }

  draw() {
    this.count();
    this.host.setAttribute('aria-label', this.description());
    this.u = new uPlot(this.settings(), [this.starts, this.plain, this.marked], this.host);
    adopt(this, this.host);
    this.read(null);
  }

  count() {
    const top = plotTop(this.info, largest(this.values)) || 1;
    const isWhole = this.info.decimals === 0;
    const unit = isWhole ? 1 : this.info.noteworthy || 1;
    const bottom = Math.min(scoreRange(this.info, [this.values])[0], smallest(this.values));
    const range = top - (Number.isFinite(bottom) ? bottom : 0);
    const share = kBarShares.find((one) => range / (one * unit) <= kMostBars && (!isWhole || one >= 1));
    this.step = share ? share * unit : range / kMostBars;
    this.first = Math.floor((top - range) / this.step);
    const bars = Math.floor(top / this.step) + 1 - this.first;
    const counts = new Array(bars).fill(0);
    this.total = 0;
    for (const value of this.values) {
      if (!isNumber(value)) continue;
      ++counts[Math.min(bars - 1, Math.max(0, Math.floor(value / this.step) - this.first))];
      ++this.total;
    }
    this.counts = counts;
    this.starts = counts.map((_, i) => (i + this.first) * this.step);
    const marked = (i) => isNoteworthy(this.info, higherIsBetter(this.info) ? this.starts[i] + this.step : this.starts[i]);
    this.plain = counts.map((number, i) => (marked(i) ? null : number));
    this.marked = counts.map((number, i) => (marked(i) ? number : null));
  }

  settings() {
    const bars = (name) => ({
      label: name,
      fill: () => colour(name),
      stroke: () => colour(name),
      width: 0,
      paths: uPlot.paths.bars({size: [0.86, 64], align: 1}),
      points: {show: false},
    });
    return {
      width: this.host.clientWidth || 400,
      height: kHistogramHeight,
      legend: {show: false},
      cursor: {drag: {x: false, y: false}, y: false, points: {show: false}},
      scales: {
        x: {time: false, range: [this.starts[0], (this.counts.length + this.first) * this.step]},
        y: {range: [0, Math.max(1, largest(this.counts)) * 1.08]},
      },
      axes: [
        axis({space: 40, size: 34, values: (u, splits) => splits.map(tickText)}),
        axis({size: 56, incrs: frameSteps(), values: (u, splits) => splits.map((at) => count(at))}),
      ],
      series: [{}, bars('c0'), bars('warn')],
      hooks: {draw: [(u) => this.drawMarks(u)], setCursor: [(u) => this.read(u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, 'x'))]},
    };
  }

  fit(width = this.host.clientWidth, share = 1) {
    const height = share * kHistogramHeight;
    if (width > 0 && (width !== this.u.width || height !== this.u.height)) this.u.setSize({width, height});
  }

  repaint() { this.u.redraw(false, true); }

  read(at) {
    const bar = at === null ? -1 : Math.floor(at / this.step) - this.first;
    if (bar < 0 || bar >= this.counts.length) {
      this.readout.replaceChildren(el('span', {className: 'note'}, isCoarse() ? 'Tap a bar to read it.' : 'Point at a bar to read it.'));
      return;
    }
    const low = this.starts[bar];
    this.readout.replaceChildren(
      el('span', {className: 'where'}, `Score ${tickText(low)} to ${tickText(low + this.step)}`),
      el('span', {className: 'value'}, el('b', {}, plural(this.counts[bar], 'frame')),
        ` (${percent(this.counts[bar], Math.max(1, this.total))})`));
  }

  description() {
    const most = this.counts.indexOf(largest(this.counts));
    return `Histogram of ${plural(this.total, 'score')}. Most of them, ${count(this.counts[most])}, lie between ` +
      `${tickText(this.starts[most])} and ${tickText(this.starts[most] + this.step)}. ` +
      `${this.marks.map(({text}) => text).join(', ')}.`;
  }

  remove() {
    plots.splice(plots.indexOf(this), 1);
    this.u.destroy();
    this.node.remove();
  }
}
