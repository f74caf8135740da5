// The page of one run.

const kStatistics = [['mean', 'Mean'], ['harmonic_mean', 'Harmonic mean'], ['stdev', 'Standard deviation'],
  ['min', 'Minimum'], ['p50', 'Median'], ['p90', '90th percentile'], ['p95', '95th percentile'],
  ['p99', '99th percentile'], ['max', 'Maximum']];

// The report as columns.
function columnsOf(report, about) {
  const names = Object.keys(report.frames[0]?.metrics ?? {});
  const times = report.frames.map((frame) => frame.timestamp ?? null);
  const ascending = times.every((time, i) => isNumber(time) && (i === 0 || time > times[i - 1]));
  return {
    frames: report.frames.map((frame) => frame.frameNum),
    timestamps: times,
    times: ascending ? times : null,
    metrics: names.map((name) => ({name, info: about.metrics[name] ?? kUnknownMetric, values: report.frames.map((frame) => frame.metrics[name] ?? null)})),
  };
}

// One line: how bad it is. The words carry it; the sign repeats it without colour.
function verdictOf({name, info, values}) {
  if (!values.every(isNumber)) {
    return {kind: 'bad', sign: '?', title: 'Some scores are missing',
      text: 'At least one frame has no finite score, so the pooled scores say nothing.'};
  }
  const flawed = info.flawless === null || values.some((value) => (higherIsBetter(info) ? value < info.flawless : value > info.flawless));
  if (!flawed) {
    return {kind: 'good', sign: '\u2713', title: `No ${info.subject} found`, text: `Every frame scores ${info.flawless}${higherIsBetter(info) ? ' or more' : ''}.`};
  }
  if (info.noteworthy === null) {
    const unit = info.unit ? ` ${info.unit}` : '';
    return {kind: 'plain', sign: '', title: capital(info.title || name),
      text: `Scores from ${score(smallest(values))} to ${score(largest(values))}${unit}` +
        (info.better === 'neither' ? '.' : `; ${info.better} is better.`)};
  }
  const noteworthy = countNoteworthy(info, values);
  const level = `${info.noteworthy}, where it starts to be ${info.meaning}`;
  if (noteworthy === 0) {
    return {kind: 'good', sign: '\u2713', title: `${capital(info.subject)} is nowhere ${info.meaning}`,
      text: `No frame reaches ${level}.`};
  }
  const frames = `${count(noteworthy)} of ${plural(values.length, 'frame')} (${percent(noteworthy, values.length)})`;
  const where = noteworthy / values.length >= 0.5 ? 'most of the time' : 'in places';
  return {kind: 'bad', sign: '!', title: `${capital(info.subject)} may be ${info.meaning} ${where}`, text: `${frames} reach ${level}.`};
}

function verdictNode(verdict, figures) {
  const node = el('div', {className: `verdict ${verdict.kind}`},
    verdict.sign ? el('span', {className: 'sign', ariaHidden: 'true'}, verdict.sign) : '',
    el('div', {className: 'words'}, el('p', {className: 'title'}, verdict.title), el('p', {}, verdict.text)));
  const list = el('dl', {className: 'figures'});
  for (const [name, value, detail] of figures) {
    list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value, detail ? el('small', {}, ` ${detail}`) : null)));
  }
  return el('section', {className: 'top'}, node, list);
}

function statisticsTable(report, columns) {
  const head = el('tr', {}, el('th', {scope: 'col'}, 'Statistic'));
  for (const metric of columns.metrics) head.append(el('th', {scope: 'col', className: 'metric'}, ...breakable(metric.name)));
  const body = el('tbody');
  const row = (name, cells) => body.append(el('tr', {}, el('th', {scope: 'row'}, name),
    ...cells.map((cell) => el('td', {}, cell))));
  for (const [key, name] of kStatistics) {
    row(name, columns.metrics.map((metric) => score(report.pooled_metrics[metric.name]?.[key])));
  }
  const marked = columns.metrics.filter(({info}) => info.noteworthy !== null);
  if (marked.length) {
    const titles = new Set(marked.map(({info}) => noteworthyTitle(info)));
    row(titles.size === 1 ? [...titles][0] : 'Noteworthy frames', columns.metrics.map(({info, values}) => {
      if (info.noteworthy === null) return kUnknown;
      const noteworthy = countNoteworthy(info, values);
      const title = titles.size === 1 ? '' : `${noteworthyTitle(info)}: `;
      return `${title}${count(noteworthy)} (${percent(noteworthy, columns.frames.length)})`;
    }));
  }
  return el('div', {className: 'scroll'}, el('table', {}, el('thead', {}, head), body));
}

// Where each metric has a row of its own, as wide as the page.
function metricsTable(report, columns) {
  const statistics = kStatistics.filter(([key]) => !['harmonic_mean', 'p90'].includes(key));
  const body = el('tbody', {}, ...columns.metrics.map(({name, info, values}) => {
    const noteworthy = countNoteworthy(info, values);
    return el('tr', {}, el('th', {scope: 'row', className: 'metric'}, ...breakable(name)),
      ...statistics.map(([key]) => el('td', {}, score(report.pooled_metrics[name]?.[key]))),
      el('td', {}, info.noteworthy === null ? kUnknown : `${count(noteworthy)} (${percent(noteworthy, values.length)})`));
  }));
  const head = ['Metric', ...statistics.map(([, name]) => name), 'Noteworthy frames'];
  return el('div', {className: 'scroll'}, el('table', {className: 'metrics'},
    el('thead', {}, el('tr', {}, ...head.map((name) => el('th', {scope: 'col'}, name)))), body));
}

// More metrics than lines that can be told apart in one plot.
const kMostLines = 6;
const isCrowded = (columns) => columns.metrics.length > kMostLines;

// What the top of the page is about: the first metric of which some scores are worse, where there is one. Of many metrics,
// for each subject the one with the most noteworthy frames.
function leadingMetrics(columns) {
  const judged = columns.metrics.filter(({info}) => info.better !== 'neither');
  if (!judged.length) return columns.metrics.slice(0, 1);
  if (!isCrowded(columns)) return judged.slice(0, 1);
  const leading = new Map();
  for (const metric of judged) {
    const found = countNoteworthy(metric.info, metric.values);
    if (found > (leading.get(metric.info.subject)?.found ?? -1)) leading.set(metric.info.subject, {metric, found});
  }
  return [...leading.values()].map(({metric}) => metric);
}

function leadingFigures({name, info, values}, report) {
  const pooled = report.pooled_metrics[name] ?? {};
  const noteworthy = countNoteworthy(info, values);
  return [['Mean', score(pooled.mean)],
    ...(info.better === 'neither' ? [['Minimum', score(pooled.min)], ['Maximum', score(pooled.max)]]
      : higherIsBetter(info) ? [['Median', score(pooled.p50)], ['Minimum', score(pooled.min)]]
      : [['95th percentile', score(pooled.p95)], ['Maximum', score(pooled.max)]]),
    ...(info.noteworthy === null ? [] : [[noteworthyTitle(info), count(noteworthy), percent(noteworthy, values.length)]])];
}

function curveSeries(columns) {
  const many = columns.frames.length > kManyFrames;
  const series = columns.metrics.map((metric, i) => {
    const colourName = many ? `soft${i % kColours}` : `c${i % kColours}`;
    return {label: metric.name, values: metric.values, colourName, colour: () => colour(colourName),
      dash: many ? undefined : kDashes[i % kColours], width: many ? 1 : 1.5};
  });
  if (!many) return series;
  const width = Math.max(25, Math.round(columns.frames.length / 200));
  columns.metrics.forEach((metric, i) => {
    const colourName = `c${i % kColours}`;
    series.push({label: `mean of ${width} frames${columns.metrics.length > 1 ? `, ${metric.name}` : ''}`,
      values: rollingMean(metric.values, width), colourName, colour: () => colour(colourName), dash: kDashes[i % kColours],
      width: 1.75});
  });
  return series;
}

// Of a metric of which neither side is worse: the pictures there are, from the highest value to the lowest.
function extremesOf(columns, metric, byFrame) {
  const at = new Map(columns.frames.map((frame, i) => [frame, i]));
  const shots = [...byFrame].filter(([frame]) => at.has(frame)).map(([frame, picture]) => (
    {frame, timestamp: columns.timestamps[at.get(frame)], score: metric.values[at.get(frame)], ...picture}));
  return shots.sort((a, b) => b.score - a.score);
}

// The worst moments of a metric, as the report lists them, with the pictures there are.
function shotsOf(report, columns, metric, pictures) {
  const byFrame = new Map(pictures.map(({frame, picture, reference, heat, exact, histograms}) => (
    [frame, {picture, reference, heat, exact, histograms}])));
  if (metric.info.better === 'neither') return extremesOf(columns, metric, byFrame);
  return (report.worst?.[metric.name] ?? []).map((worst) => (
    {frame: worst.frameNum, timestamp: worst.timestamp ?? null, score: worst.score, ...byFrame.get(worst.frameNum)}));
}

// Histogram and worst frames of one metric, and where there are too many for one plot its curve.
class MetricView {
  constructor(page, about, report, columns, pictures) {
    Object.assign(this, {page, about, report, columns, pictures});
    this.curveHost = el('div');
    this.histogramHost = el('div');
    this.worstHost = el('div');
  }

  showCurve(metric) {
    if (this.page.curve) this.page.curve.remove();
    const columns = {...this.columns, metrics: [metric]};
    this.page.curve = new Curve({...columns, series: curveSeries(columns), label: `${metric.name} of every frame of ${this.about.name}`,
      info: metric.info, bands: segmentBands(this.report, columns)});
    this.curveHost.replaceChildren(this.page.curve.node);
    this.page.curve.draw();
  }

  choose(name) {
    this.page.metric = name;
    const metric = this.columns.metrics.find((one) => one.name === name);
    if (this.histogram) this.histogram.remove();
    this.histogram = new Histogram(metric.values, metric.info);
    this.page.histogram = this.histogram;
    this.histogramHost.replaceChildren(this.histogram.node);
    this.histogram.draw();
    if (isCrowded(this.columns)) this.showCurve(metric);
    const shots = shotsOf(this.report, this.columns, metric, this.pictures);
    const show = (shot) => this.page.curve.show(this.columns.frames.indexOf(shot.frame));
    this.worstHost.replaceChildren(shots.length ? worstFrames(shots, {info: metric.info, onShow: show, channels: this.about.levels, heat: this.about.heat})
      : el('p', {className: 'note'}, metric.info.better === 'neither' ? 'No frame of this metric is worse than another.' : 'No frame has a flaw.'));
  }
}

function momentsSection({info}, pictures, host) {
  if (info.better !== 'neither') return section('Worst moments', 'Each the worst frame of its second.', host);
  return pictures.length ? section('Highest and lowest', 'Each the highest or the lowest frame of its second.', host) : null;
}

function reportPage(root, about, report, pictures) {
  const columns = columnsOf(report, about);
  const leading = leadingMetrics(columns);
  const [first] = leading;
  // One that has moments to show, where there is one.
  const shown = [first, ...columns.metrics].find(({name}) => report.worst?.[name]?.length) ?? first;
  const crowded = isCrowded(columns);
  const page = {};
  const view = new MetricView(page, about, report, columns, pictures);
  if (!crowded) {
    page.curve = new Curve({...columns, series: curveSeries(columns), label: `Score of every frame of ${about.name}`, info: first.info,
      bands: segmentBands(report, columns)});
    fill(view.curveHost, columns.metrics.length > 1 || page.curve.series.length > 1 ? legend(page.curve) : null, page.curve.node);
  }
  const names = columns.metrics.map(({name}) => [name, name]);
  const choose = (name) => view.choose(name);
  const levels = levelsSection(about.levels, columns);
  const distribution = section('Distribution', null, view.histogramHost);
  fill(root,
    pageHeader(`${capital(about.subject)} report`, about, [['Download JSON', () => downloadReport(about, 0)]]),
    warningsNode(report.run),
    thresholdsNode(report.run),
    ...leading.map((metric) => verdictNode(verdictOf(metric), leadingFigures(metric, report))),
    crowded ? menu('Metric', names, shown.name, choose) : null,
    section('Score of every frame', null, view.curveHost),
    !crowded && names.length > 1 ? chooser('Metric', names, shown.name, choose) : null,
    crowded ? distribution : el('div', {className: 'columns'}, distribution, section('Statistics', null, statisticsTable(report, columns))),
    segmentsSection(report, columns, about, (first, last) => {
      if (crowded && page.metric !== report.run.segments.metric) view.choose(report.run.segments.metric);
      page.curve.showRangeOf(first, last);
    }),
    momentsSection(first, pictures, view.worstHost),
    levels?.node,
    crowded ? section('Statistics', null, metricsTable(report, columns)) : null,
    runSection(report));
  if (!crowded) page.curve.draw();
  view.choose(shown.name);
  levels?.choose(about.levels[0].name);
  page.levels = levels;
  return page;
}
