// The page of one run.

// Statistics of infinite scores are null in JSON, which has no infinity; the deviation alone is none.
function withInfinities(report) {
  for (const [name, pooled] of Object.entries(report.pooled_metrics)) {
    const endless = report.frames.filter(({infinite}) => infinite?.includes(name)).length;
    const missing = report.frames.filter(({metrics}) => metrics[name] === null).length;
    if (!endless || endless < missing) continue;
    for (const key of Object.keys(pooled)) if (pooled[key] === null && key !== 'stdev') pooled[key] = Infinity;
  }
  return report;
}

// The report as columns.
function columnsOf(report, about) {
  const names = Object.keys(report.frames[0]?.metrics ?? {});
  const times = report.frames.map((frame) => frame.timestamp ?? null);
  const ascending = times.every((time, i) => isNumber(time) && (i === 0 || time > times[i - 1]));
  const metrics = names.map((name) => ({name, info: about.metrics[name] ?? kUnknownMetric, values: report.frames.map((frame) => frame.metrics[name] ?? null)}));
  return {
    frames: report.frames.map((frame) => frame.frameNum),
    timestamps: times,
    times: ascending ? times : null,
    metrics: inReadingOrder(metrics),
  };
}

// Where models score: what was asked for first, what only those want who look closer last.
function inReadingOrder(metrics) {
  if (!metrics.some(({info}) => info.leads)) return metrics;
  const place = ({info}) => (info.leads ? 0 : (info.is_inner ? 3 : 1) + (info.is_detail ? 1 : 0));
  return [...metrics].sort((a, b) => place(a) - place(b));
}

// With a gap behind each frame that none follows: of a sample, which says nothing of what lies between.
function withGaps(columns) {
  const {frames, times, timestamps, metrics} = columns;
  const spread = (values, between) => values.flatMap((value, i) => (
    i + 1 < frames.length && frames[i + 1] !== frames[i] + 1 ? [value, between(i)] : [value]));
  const middle = (values) => values && spread(values, (i) => (values[i] + values[i + 1]) / 2);
  return {scored: frames.length, frames: spread(frames, (i) => frames[i] + 1), times: middle(times), timestamps: spread(timestamps, () => null),
    metrics: metrics.map((metric) => ({...metric, values: spread(metric.values, () => null)}))};
}

const mayBeJudged = ({comparable}) => comparable !== false;

// The report and what is said of its metrics, without ranks and levels of scores that are not comparable.
function onlyComparable(report, about) {
  const isOf = (name) => mayBeJudged(about.metrics[name] ?? kUnknownMetric);
  const only = (byMetric) => Object.fromEntries(Object.entries(byMetric ?? {}).filter(([name]) => isOf(name)));
  const [segments, ...others] = segmentLists(report).filter(({metric}) => isOf(metric));
  const infos = Object.entries(about.metrics).map(([name, info]) => [name, mayBeJudged(info) ? info : withoutLevels(info)]);
  return [{...report, worst: only(report.worst), scenes: report.scenes?.map((scene) => ({...scene, metrics: only(scene.metrics)})),
    run: report.run && {...report.run, segments, more_segments: others}}, {...about, metrics: Object.fromEntries(infos)}];
}

// One line: how bad it is. The words carry it; the sign repeats it without colour.
function verdictOf({name, info, values}) {
  if (!mayBeJudged(info))
    return {kind: 'plain', sign: '', title: `${capital(info.title || name)}: no verdict`, text: 'These scores compare videos that do not fit together.'};
  if (!values.every(isNumber)) {
    return {kind: 'bad', sign: '?', title: 'Some scores are missing',
      text: 'At least one frame has no finite score, so the pooled scores say nothing.'};
  }
  const flawed = info.flawless === null || values.some((value) => (higherIsBetter(info) ? value < info.flawless : value > info.flawless));
  if (!flawed) {
    const title = higherIsBetter(info) ? `${capital(info.title)} is ${info.flawless} throughout` : `No ${info.subject} found`;
    return {kind: 'good', sign: '\u2713', title, text: `Every frame scores ${info.flawless}${higherIsBetter(info) ? ' or more' : ''}.`};
  }
  if (info.noteworthy === null) {
    const unit = info.unit ? ` ${info.unit}` : '';
    return {kind: 'plain', sign: '', title: capital(info.title || name),
      text: `Scores from ${score(smallest(values), info)} to ${score(largest(values), info)}${unit}` +
        (info.better === 'neither' ? '.' : `; ${info.better} is better.`)};
  }
  const noteworthy = countNoteworthy(info, values);
  const kind = noteworthy ? {kind: 'bad', sign: '!'} : {kind: 'good', sign: '\u2713'};
  return {...kind, ...(higherIsBetter(info) ? wordsOfHigher : wordsOfLower)(info, values, noteworthy)};
}

const framesOf = (part, whole) => `${count(part)} of ${plural(whole, 'frame')} (${percent(part, whole)})`;
const whereOf = (part, whole) => (part === whole ? 'throughout' : part / whole >= 0.5 ? 'most of the time' : 'in places');
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
// The mean as the metric takes it.
const pooledMean = (info, values) => info.figures.find(({name}) => name === 'mean')?.value ?? meanOf(values);

// Of scores that are noteworthy where they are high.
function wordsOfLower(info, values, noteworthy) {
  const level = `${info.noteworthy}, where ${info.subject} ${becomes(info)} ${info.meaning}`;
  const worst = largest(values);
  if (!noteworthy) {
    return {title: info.grades.length ? `${capital(info.subject)} is ${gradeOf(info, worst)} at most` : `No ${info.subject} that may be ${info.meaning}`,
      text: `No frame reaches ${level}. The worst scores ${score(worst, info)}.`};
  }
  const where = whereOf(noteworthy, values.length);
  return {title: info.grades.length ? `${capital(info.subject)} ${where}, ${gradeOf(info, worst)} at its worst` : `${capital(info.subject)} may be ${info.meaning} ${where}`,
    text: `${framesOf(noteworthy, values.length)} ${noteworthy === 1 ? 'reaches' : 'reach'} ${level}. The worst scores ${score(worst, info)}.`};
}

// Of scores that are noteworthy where they are low.
function wordsOfHigher(info, values, noteworthy) {
  const level = `${info.noteworthy} or less (${info.meaning})`;
  const worst = smallest(values);
  const ofWorst = ` The worst scores ${score(worst, info)}${info.grades.length ? `: ${gradeOf(info, worst)}` : ''}.`;
  const ofMean = info.grades.length ? `${capital(gradeWords(info, pooledMean(info, values)))} on average` : capital(info.title);
  if (!noteworthy) return {title: `${ofMean}, nowhere below ${gradeAbove(info) || info.noteworthy}`, text: `No frame scores ${level}.${ofWorst}`};
  return {title: `${ofMean}, below ${gradeAbove(info) || info.noteworthy} ${whereOf(noteworthy, values.length)}`,
    text: `${framesOf(noteworthy, values.length)} ${noteworthy === 1 ? 'scores' : 'score'} ${level}.${ofWorst}`};
}

// Of several models each verdict says whose it is, and of each what it is for.
function verdictAmong(leading, metric) {
  const found = verdictOf(metric);
  const verdict = metric.info.purpose ? {...found, text: `${found.text} ${metric.info.purpose}.`} : found;
  const isOne = !metric.info.leads || leading.filter(({info}) => info.leads).length === 1;
  return isOne ? verdict : {...verdict, title: `${labelOf(metric.name, metric.info)}: ${verdict.title}`};
}

function verdictNode(verdict, figures) {
  const list = el('dl', {className: 'figures'});
  for (const {key, name, value, detail, exact, of} of figures) {
    list.append(el('div', {className: of ? 'lead' : ''}, el('dt', {}, key ? term(key, name) : name),
      el('dd', exact && exact !== value ? {title: exact} : {}, of ? `${of} ${value}` : value, detail ? el('small', {}, ` ${detail}`) : null)));
  }
  return el('section', {className: 'top'}, verdictBox(verdict.kind, verdict.sign, verdict.title, verdict.text), list);
}

// More metrics than lines that can be told apart in one plot.
const kMostLines = 6;
// More metrics than a table has columns for beside the distribution.
const kBesideEachOther = 3;
// Where one metric at a time is looked at. What models score is, beside what they score it from.
const isCrowded = ({metrics}) => metrics.length > kMostLines || (metrics.length > 1 && metrics.some(({info}) => info.leads));

// What the top of the page is about, as the program chose it; the first is there in any case.
function leadingMetrics(columns, {verdicts = []}) {
  const leading = columns.metrics.filter(({name}) => verdicts.includes(name));
  return leading.length ? leading : columns.metrics.slice(0, 1);
}

// Of each subject the metric with the most noteworthy frames.
function mostNoteworthy(metrics) {
  const leading = new Map();
  for (const metric of metrics) {
    const found = countNoteworthy(metric.info, metric.values);
    if (found > (leading.get(metric.info.subject)?.found ?? -1)) leading.set(metric.info.subject, {metric, found});
  }
  return [...leading.values()].map(({metric}) => metric);
}

// A sample has intervals for figures, and no verdict but those of thresholds.
const sampleVerdict = (metric, columns, {sample}) => ({kind: 'plain', sign: '', title: capital(metric.info.title || shownName(metric, columns)), text: `${sample}.`});

// The figures that say most of a metric, as the program chose them; the first says whose they are.
function leadingFigures(metric, columns, run) {
  const {info, values} = metric;
  const sampled = run?.subsample > 1 ? ` of one frame in ${count(run.subsample)}` : '';
  return info.figures.filter(({name, text}) => text !== '-' && (name !== 'share' || info.noteworthy !== null)).map(({name, title, text, exact}, i) => ({
    key: name, of: i === 0 ? shownName(metric, columns) : '', exact,
    ...(name === 'share' && !isSample(run) ? {name: noteworthyTitle(info), value: count(countNoteworthy(info, values)), detail: percent(countNoteworthy(info, values), values.length), exact: ''}
      : {name: capital(title) + (name === 'mean' ? sampled : ''), value: text, detail: name === 'mean' && !isSample(run) ? intervalText(info, columns.metrics) : ''})}));
}

const isSample = (run) => run?.certainty?.exact === false;

// The mean of the intervals of all frames.
function intervalText(info, metrics) {
  const interval = intervalOf(info, metrics);
  const mean = (values) => meanScore(values.reduce((sum, value) => sum + value, 0) / values.length, info);
  return interval ? `95\u00a0%\u00a0in ${mean(interval.low)} to ${mean(interval.high)}` : '';
}

// A line for each metric. That of the reference is drawn with the one it is the reference of, and the area between them
// filled; what goes beyond the reference is that area, so its line is there for those who ask.
function curveSeries(columns) {
  const series = columns.metrics.map(({name, info, values}, i) => {
    const colourName = `c${i % kColours}`;
    return {label: name, shown: shownName({name, info}, columns), values, info, colourName, colour: () => colour(colourName), width: 1.5,
      interval: intervalOf(info, columns.all ?? columns.metrics)};
  });
  for (const group of panelGroups(series)) group.series.forEach((one, i) => { one.dash = kDashes[i % kDashes.length]; });
  for (const one of series) {
    const other = series.find(({label}) => label === one.info.reference_of);
    if (!other) continue;
    other.above = one;
    one.isReference = true;
    for (const excess of series) if (excess.info.excess_of === other.label) excess.hidden = true;
  }
  return series;
}

// Of a metric of which neither side is worse: the pictures there are, from the highest value to the lowest.
function extremesOf(columns, metric, byFrame) {
  const at = new Map(columns.frames.map((frame, i) => [frame, i]));
  const shots = [...byFrame].filter(([frame]) => at.has(frame)).map(([frame, picture]) => (
    {...picture, frame, timestamp: columns.timestamps[at.get(frame)], score: metric.values[at.get(frame)]}));
  return shots.sort((a, b) => b.score - a.score);
}

// The worst moments of a metric, as the report lists them, with the pictures there are.
function shotsOf(report, columns, metric, pictures) {
  const byFrame = new Map(pictures.map(({timestamp, ...picture}) => [picture.frame, picture]));
  if (metric.info.better === 'neither') return extremesOf(columns, metric, byFrame);
  return (report.worst?.[metric.name] ?? []).map((worst) => (
    {...byFrame.get(worst.frameNum), frame: worst.frameNum, timestamp: worst.timestamp ?? null, score: worst.score}));
}

// Histogram and worst frames of one metric, and where there are too many for one plot its curve.
class MetricView {
  constructor(page, about, report, columns, pictures) {
    Object.assign(this, {page, about, report, columns, pictures});
    this.drawn = about.sample ? withGaps(columns) : columns;
    this.curveHost = el('div');
    this.histogramHost = el('div');
    this.worstHost = el('div');
  }

  showCurve(metric) {
    if (this.page.curve) this.page.curve.remove();
    const {left, right} = curveSides(this.drawn, this.drawn.metrics.find(({name}) => name === metric.name));
    const columns = {...this.drawn, metrics: [...left, ...right], all: this.drawn.metrics};
    const series = curveSeries(columns);
    for (const one of series.slice(left.length)) one.scale = kRight;
    const label = `${columns.metrics.map(({name}) => name).join(' and ')} of ${whichFrames(this.about)} of ${this.about.name}`;
    const curve = new Curve({...columns, series, label, info: left[0].info, bands: segmentBands(this.report, columns),
      cuts: sceneCuts(this.report, columns)});
    this.page.curve = curve;
    this.curveHost.replaceChildren(...(series.length > 1 ? [legend(curve)] : []), curve.node);
    curve.draw();
  }

  choose(name) {
    this.page.metric = name;
    if (this.picker) this.picker.querySelector('select').value = name;
    const metric = this.columns.metrics.find((one) => one.name === name);
    if (this.histogram) this.histogram.remove();
    this.histogram = new Histogram(metric.values, metric.info, this.report.pooled_metrics[name]);
    this.page.histogram = this.histogram;
    this.histogramHost.replaceChildren(this.histogram.node);
    this.histogram.draw();
    if (isCrowded(this.columns)) this.showCurve(metric);
    this.showMoments(metric);
  }

  // Those of what the run is judged by, and of another metric that is looked at.
  showMoments(chosen) {
    const judged = leadingMetrics(this.columns, this.about).filter(({info}) => info.better !== 'neither');
    const shown = (judged.includes(chosen) ? judged : [chosen, ...judged]).filter(({info}) => mayBeJudged(info));
    this.worstHost.replaceChildren(...shown.flatMap((metric) => [
      shown.length > 1 ? el('h3', {className: 'whose'}, shownName(metric, this.columns)) : null, this.momentsOf(metric)]).filter(Boolean));
  }

  momentsOf(metric) {
    const shots = shotsOf(this.report, this.columns, metric, this.pictures);
    if (!shots.length) {
      return el('p', {className: 'note'}, metric.info.better === 'neither' ? 'No frame of this metric is worse than another.' : 'No frame has a flaw.');
    }
    const onShow = ({frame}) => {
      if (isCrowded(this.columns) && this.page.metric !== metric.name) this.choose(metric.name);
      this.page.curve.show(this.drawn.frames.indexOf(frame));
    };
    return worstFrames(shots, {info: metric.info, onShow, channels: this.about.levels, heat: this.about.heat,
      reasons: reasonsOf(this.report, this.columns, metric)});
  }
}

const whichFrames = ({sample}) => (sample ? 'the frames that were scored' : 'every frame');

function momentsSection({info}, pictures, host, scenesAreKnown, about) {
  if (info.better !== 'neither') {
    return section('Worst moments', about.sample ? 'Of the frames that were scored.' : scenesAreKnown ? 'The worst frame of each scene.'
      : 'Frames that are worse than all others within a second.', host);
  }
  return pictures.length ? section('Highest and lowest', 'Frames that are higher or lower than all others within a second.', host) : null;
}

// Metrics of many, by what they are about.
function metricMenu(columns, chosen, onChange) {
  const groups = new Map();
  for (const {name, info} of columns.metrics) {
    const subject = capital(info.subject || 'Others');
    if (!groups.has(subject)) groups.set(subject, []);
    const label = labelOf(name, info);
    groups.get(subject).push([name, info.title && info.title.toLowerCase() !== label.toLowerCase() ? `${info.title}, ${label}` : info.title || label]);
  }
  return menu('Metric', [...groups], chosen, onChange);
}

function scoresSection(view, page, {about, report, first, shown}) {
  const columns = view.drawn, title = `Score of ${whichFrames(about)}`;
  if (isCrowded(columns)) {
    view.picker = metricMenu(columns, shown.name, (name) => view.choose(name));
    return section(title, null, view.picker, view.curveHost);
  }
  page.curve = new Curve({...columns, series: curveSeries(columns), label: `${title} of ${about.name}`, info: first.info,
    bands: segmentBands(report, columns), cuts: sceneCuts(report, columns)});
  fill(view.curveHost, columns.metrics.length > 1 ? legend(page.curve) : null, page.curve.node);
  return section(title, null, view.curveHost);
}

function reportPage(root, described, whole, pictures) {
  const [report, about] = onlyComparable(whole, judgedBySdr(described, [whole]));
  const columns = columnsOf(report, about);
  const leading = leadingMetrics(columns, about);
  const [first] = leading;
  // One that has moments to show, where there is one.
  const shown = [first, ...columns.metrics].find(({name}) => report.worst?.[name]?.length) ?? first;
  const crowded = isCrowded(columns);
  const page = {};
  const view = new MetricView(page, about, report, columns, pictures);
  const names = columns.metrics.map(({name}) => [name, name]);
  const levels = levelsSection(about.levels, columns);
  const distribution = section('Distribution', about.sample ? 'Of the frames that were scored.' : null, view.histogramHost);
  const statistics = about.sample ? null : section('Statistics', report.run?.subsample > 1 ? `Of one frame in ${count(report.run.subsample)}.` : null, (crowded ? metricsTable : statisticsTable)(report, about, columns));
  const showStretch = (metric, from, to) => {
    if (crowded && page.metric !== metric) view.choose(metric);
    page.curve.reveal(metric);
    page.curve.showRangeOf(from, to);
  };
  fill(root,
    pageHeader(`${capital(about.subject)} report`, about, [['Download JSON', () => downloadReport(about, 0)]]),
    faultsNode(report.run),
    hdrNode(hdrWords([report]), leading),
    warningsNode(report.run),
    thresholdsNode(report.run, about.judged),
    ...leading.map((metric) => verdictNode(about.sample ? sampleVerdict(metric, columns, about) : verdictAmong(leading, metric), leadingFigures(metric, columns, report.run))),
    scoresSection(view, page, {about, report, first, shown}),
    segmentsSection(report, columns, about, showStretch),
    scenesSection(report, columns, about, showStretch),
    !crowded && names.length > 1 ? chooser('Metric', names, shown.name, (name) => view.choose(name)) : null,
    columns.metrics.some(({info}) => mayBeJudged(info)) ? momentsSection(first, pictures, view.worstHost, Array.isArray(report.run?.scene_cuts), about) : null,
    adviceSection(about.sample ? [] : [...leading.filter(({info}) => mayBeJudged(info)).map((metric) => scoreAdvice(report, columns, metric)), ...(about.advice ?? [])].filter(Boolean)),
    ...(crowded ? [distribution] : columns.metrics.length > kBesideEachOther ? [distribution, statistics] : [el('div', {className: 'columns'}, distribution, statistics)]),
    levels?.node,
    crowded ? statistics : null,
    runSection(report, about),
    glossarySection(report, about, columns));
  if (!crowded) page.curve.draw();
  view.choose(shown.name);
  levels?.choose(about.levels[0].name);
  page.levels = levels;
  page.report = report;
  return page;
}
