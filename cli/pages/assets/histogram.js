// How many frames have which score. Bars from 5 on have the colour of the line at 5.

const kHistogramHeight = 280;
const kMostBars = 40;
const kBarWidths = [0.125, 0.25, 0.5, 1, 2.5, 5, 25, 125, 625];  // 5 is always the edge of a bar

class Histogram {
  constructor(values) {
    this.values = values;
    this.readout = el('p', {className: 'readout'});
    this.host = el('div', {className: 'plot', role: 'img'});
    this.node = el('div', {className: 'histogram'}, this.readout, this.host);
  }

  draw() {
    this.count();
    this.host.setAttribute('aria-label', this.description());
    this.u = new uPlot(this.settings(), [this.starts, this.below, this.above], this.host);
    adopt(this, this.host, 0.55);
    this.read(null);
  }

  count() {
    const top = Math.max(6, largest(this.values));
    this.step = kBarWidths.find((width) => top / width <= kMostBars) ?? top / kMostBars;
    const bars = Math.floor(top / this.step) + 1;
    const counts = new Array(bars).fill(0);
    this.total = 0;
    for (const value of this.values) {
      if (!isNumber(value)) continue;
      ++counts[Math.min(bars - 1, Math.max(0, Math.floor(value / this.step)))];
      ++this.total;
    }
    this.counts = counts;
    this.starts = counts.map((_, i) => i * this.step);
    this.below = counts.map((number, i) => (this.starts[i] < kAnnoying ? number : null));
    this.above = counts.map((number, i) => (this.starts[i] >= kAnnoying ? number : null));
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
        x: {time: false, range: [0, this.counts.length * this.step]},
        y: {range: [0, Math.max(1, largest(this.counts)) * 1.08]},
      },
      axes: [
        axis({space: 40, size: 34, values: (u, splits) => splits.map((at) => String(at))}),
        axis({size: 56, incrs: frameSteps(), values: (u, splits) => splits.map((at) => count(at))}),
      ],
      series: [{}, bars('c0'), bars('warn')],
      hooks: {setCursor: [(u) => this.read(u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, 'x'))]},
    };
  }

  fit(width = this.host.clientWidth) {
    if (width > 0 && width !== this.u.width) this.u.setSize({width, height: kHistogramHeight});
  }

  read(at) {
    const bar = at === null ? -1 : Math.floor(at / this.step);
    if (bar < 0 || bar >= this.counts.length) {
      this.readout.replaceChildren(el('span', {className: 'note'}, 'Frames by score.'));
      return;
    }
    const low = this.starts[bar];
    this.readout.replaceChildren(
      el('span', {className: 'where'}, `Score ${low} to ${low + this.step}`),
      el('span', {className: 'value'}, el('b', {}, plural(this.counts[bar], 'frame')),
        ` (${percent(this.counts[bar], Math.max(1, this.total))})`));
  }

  description() {
    const most = this.counts.indexOf(largest(this.counts));
    return `Histogram of ${plural(this.total, 'score')}. Most of them, ${count(this.counts[most])}, lie between ` +
      `${this.starts[most]} and ${this.starts[most] + this.step}.`;
  }

  remove() {
    plots.splice(plots.indexOf(this), 1);
    this.u.destroy();
    this.node.remove();
  }
}
