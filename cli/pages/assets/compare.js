// The page of several runs: ranked by any metric that all have, against their bits, their curves over each other, and where
// they differ.

// Those of the worse end.
const kLowIsBetter = [['mean', 'Mean'], ['p50', 'Median'], ['p95', '95th percentile'], ['p99', '99th percentile'],
  ['max', 'Maximum']];
const kHighIsBetter = [['mean', 'Mean'], ['harmonic_mean', 'Harmonic mean'], ['min', 'Minimum'], ['p1', '1st percentile'],
  ['p5', '5th percentile'], ['p50', 'Median']];
const kNeitherIsBetter = [['mean', 'Mean'], ['min', 'Minimum'], ['p50', 'Median'], ['max', 'Maximum']];

// A statistic with the decimals that it has; one that lies between scores may have more than they.
function figureText(about, key, value, info) {
  const known = about.statistics.find(({name}) => name === key);
  return (known && !known.is_mean ? score : meanScore)(value, info);
}

// Every run's scores over all frames that any run has.
function joined(runs) {
  const first = runs[0];
  const same = runs.every((run) => run.frames.length === first.frames.length &&
    run.frames.every((frame, i) => frame === first.frames[i]));
  if (same) return {frames: first.frames, times: first.times, columns: runs.map((run) => run.values)};
  const [frames, ...columns] = uPlot.join(runs.map((run) => [run.frames, run.values]));
  return {frames, times: timesOf(frames, runs), columns: columns.map((column) => column.map((value) => value ?? null))};
}

// Where all runs that have a frame have it at one time.
function timesOf(frames, runs) {
  if (!runs.every(({times}) => times)) return null;
  const times = new Map();
  for (const run of runs) {
    for (let i = 0; i < run.frames.length; ++i) {
      const known = times.get(run.frames[i]);
      if (known !== undefined && Math.abs(known - run.times[i]) > 0.01) return null;
      times.set(run.frames[i], known ?? run.times[i]);
    }
  }
  const ordered = frames.map((frame) => times.get(frame));
  return ordered.every((time, i) => i === 0 || time > ordered[i - 1]) ? ordered : null;
}

// One metric by which the runs are compared, as the program has judged it: `choice` of about.choices.
class Choice {
  constructor(about, choice, runs, lines) {
    Object.assign(this, choice, {lines});
    this.about = about;
    this.info = about.metrics[this.metric] ?? kUnknownMetric;
    this.values = this.values.map((value, i) => (this.endless[i] ? Infinity : value));
    this.runs = runs.map((run) => ({...run, values: run.metrics.find(({name}) => name === this.metric)?.values ?? [],
      pooled: run.report.pooled_metrics[this.metric] ?? {}}));
    this.isOfPictures = this.rates?.cost === 'file_bytes';
    const rateOf = (video) => (this.isOfPictures ? video?.file_bytes : video?.bit_rate);
    this.points = this.runs.map(({name, video}, i) => ({name, rank: this.order.indexOf(i) + 1, rate: this.comparable[i] ? rateOf(video) : null, value: this.isCost ? this.runs[i].pooled.mean : this.values[i], colourName: this.colourName(i)}));
    this.beaten = beatenBy(this.rates, this.points.length);
  }

  colourName(i) { return this.lines[i].colourName; }
  rateText(rate) { return this.isOfPictures ? sizeText(rate) : rateText(rate); }
  get isShare() { return this.about.by === 'share'; }
  // Ranked by what the videos cost, not by a score.
  get isCost() { return this.about.by === 'size' || this.about.by === 'bitrate'; }
  get highestIsBest() { return this.isCost ? higherIsBetter(this.info) : this.descending; }

  valueText(value) {
    if (this.isCost) return figureText(this.about, 'mean', value, this.info);
    return !isNumber(value) && value !== Infinity ? kUnknown : this.isShare ? percent(value, 1) : figureText(this.about, this.about.by, value, this.info);
  }
}

// The run to choose, and whether that is good: the best choice may still be bad.
function choiceOf({rates, info, runs}) {
  const headline = rates.headline.replace(/ %/g, '\u202f%');
  const chosen = rates.choice === null ? null : runs[rates.choice];
  const noteworthy = chosen ? countNoteworthy(info, chosen.values) : 0;
  if (info.is_of_one_video && !chosen) return {kind: 'plain', text: headline, run: null};
  if (!chosen || noteworthy) {
    return {kind: 'bad', run: rates.choice, text: !chosen ? headline : `${headline}, but ${count(noteworthy)} of its ` +
      `${plural(chosen.values.length, 'frame')} (${percent(noteworthy, chosen.values.length)}) ${reachWords(info)}`};
  }
  return {kind: info.noteworthy === null ? 'plain' : 'good', text: headline, run: rates.choice};
}

const reachWords = (info) => `${higherIsBetter(info) ? 'are down to' : 'still reach'} ${info.noteworthy}`;

// Who is first, and whether that is good: the best of all may still be bad.
function leadOf({info, metric, runs, values, order, comparable, isCost, words}) {
  const first = runs[order[0]];
  const value = values[order[0]];
  if (!comparable[order[0]]) return {kind: 'bad', text: 'No run can be compared'};
  if (isCost) return {kind: 'plain', text: isNumber(value) ? `${first.name} has the smallest ${words}` : `No run has a known ${words}`};
  if (!isNumber(value) && value !== Infinity) return {kind: 'bad', text: 'No run has all its scores'};
  const best = values.filter((other, i) => other === value && comparable[i]).length;
  const noteworthy = countNoteworthy(info, first.values);
  const lead = {lower: `has the least ${info.subject}`, higher: `has the highest ${info.title}`,
    neither: `has the lowest ${labelOf(metric, info)}`}[info.better];
  const who = best > 1 ? `${count(best)} runs share the first place` : `${first.name} ${lead}`;
  if (!noteworthy) return {kind: info.better === 'neither' || info.noteworthy === null || info.is_of_one_video ? 'plain' : 'good', text: who};
  const frames = `${count(noteworthy)} of its ${plural(first.values.length, 'frame')} (${percent(noteworthy, first.values.length)})`;
  const reach = reachWords(info);
  return {kind: 'bad', text: best > 1 ? `${who}, but in the first of them ${frames} ${reach}` : `${who}, but ${frames} ${reach}`};
}

// How good a run is, in a word; empty where there are none, or none is chosen.
function gradeText({info, runs, comparable}, run) {
  if (run === null || !info.grades.length || !comparable[run] || !runs[run].values.every(isNumber)) return '';
  const {values, pooled} = runs[run];
  return higherIsBetter(info) ? `${capital(gradeWords(info, pooled.mean))} on average. `
    : `${capital(info.subject)} is ${gradeOf(info, largest(values))} at its worst. `;
}

// What the chosen run and the best one have, where these are two.
function figuresText(choice) {
  const {rates, points, runs} = choice;
  const best = rates?.front.at(-1);
  if (!rates || rates.choice === null || rates.choice === best) return '';
  const figures = (i) => `${choice.valueText(points[i].value)} at ${choice.rateText(points[i].rate)}`;
  return `It has ${figures(rates.choice)}; the best, ${runs[best].name}, ${figures(best)}. `;
}

function leadNode(choice) {
  const lead = choice.rates ? choiceOf(choice) : leadOf(choice);
  const {info, runs, descending, metric, words, isCost, order} = choice;
  const graded = choice.rates ? lead.run : isCost ? null : order[0];
  return verdictBox(lead.kind, {plain: '', good: '\u2713', bad: '!'}[lead.kind], lead.text,
    `${gradeText(choice, graded)}${figuresText(choice)}Of ${plural(runs.length, 'run')}, ranked by the ${isCost ? words : `${words} of ${labelOf(metric, info)}`}, ${descending ? 'highest' : 'lowest'} first.${info.purpose ? ` ${info.purpose}.` : ''}`);
}

// The other metrics that a ranking has room for: beside the score of a model, of many only those that were asked for,
// or where the reports do not say so those that are judged by themselves.
function besideOf(about, metric) {
  const others = about.choices.filter((other) => other.metric !== metric);
  if (!about.metrics[metric]?.leads || others.length <= kMostLines) return others;
  const saysSo = Object.values(about.metrics).some((info) => info.is_inner);
  return others.filter(({metric: name}) => (saysSo ? !about.metrics[name]?.is_inner : about.metrics[name]?.noteworthy !== null));
}

function rankedTable(choice, series) {
  const {about, info, runs, order, values, comparable, beaten} = choice;
  const compared = {lower: kLowIsBetter, higher: kHighIsBetter, neither: kNeitherIsBetter}[info.better];
  const statistics = compared.some(([key]) => key === about.by) || choice.isShare || choice.isCost
    ? compared : [...compared, [about.by, capital(choice.words)]];
  const at = (i) => order[i];
  const high = higherIsBetter(info);
  const known = (value) => (isNumber(value) || value === Infinity ? value : null);
  const video = (i) => runs[at(i)].video;
  const costs = [];
  if (runs.some((run) => isNumber(run.video?.bit_rate))) {
    costs.push({title: 'kbit/s', key: (i) => known(video(i)?.bit_rate),
      cell: (i) => (isNumber(video(i)?.bit_rate) ? count(Math.round(video(i).bit_rate / 1000)) + (video(i).bit_rate_of === 'file' ? '*' : '') : kUnknown)});
  }
  if (runs.some((run) => isNumber(run.video?.file_bytes))) {
    costs.push({title: 'Size', key: (i) => known(video(i)?.file_bytes), cell: (i) => sizeText(video(i)?.file_bytes)});
  }
  if (runs.some((run) => isNumber(run.video?.bits_per_pixel))) {
    costs.push({title: 'Bits/px', key: (i) => known(video(i)?.bits_per_pixel),
      cell: (i) => (isNumber(video(i)?.bits_per_pixel) ? video(i).bits_per_pixel.toFixed(3) : kUnknown)});
  }
  const columns = [
    {title: '#', className: 'rank', key: (i) => i, cell: (i) => (comparable[at(i)] ? String(i + 1) : kUnknown)},
    {title: 'Run', className: 'run', isName: true, key: (i) => runs[at(i)].name,
      cell: (i) => runLabel(series[at(i)], runs[at(i)].name, about.runs[at(i)].path)},
    ...costs,
    ...statistics.map(([key, title]) => {
      const isBy = key === about.by;
      const value = (i) => known(isBy ? values[at(i)] : runs[at(i)].pooled[key]);
      return {title, group: labelOf(choice.metric, info), className: isBy ? 'by' : '', descending: isBy ? choice.descending : high, key: value,
        cell: (i) => el('span', exactly(value(i), info), figureText(about, key, value(i), info))};
    })];
  if (info.noteworthy !== null) {
    const found = runs.map((run) => countNoteworthy(info, run.values));
    columns.push({group: labelOf(choice.metric, info), title: noteworthyTitle(info).replace(/ (?=\S+$)/, '\u00a0'), className: choice.isShare ? 'by' : '', key: (i) => found[at(i)] / runs[at(i)].values.length,
      cell: (i) => (runs[at(i)].values.length ? `${count(found[at(i)])} (${percent(found[at(i)], runs[at(i)].values.length)})` : kUnknown)});
  }
  for (const other of besideOf(about, choice.metric)) {
    const mean = (i) => known(runs[at(i)].report.pooled_metrics[other.metric]?.mean);
    columns.push({title: 'Mean', group: labelOf(other.metric, about.metrics[other.metric]), key: mean, descending: other.descending,
      cell: (i) => el('span', exactly(mean(i), about.metrics[other.metric]), figureText(about, 'mean', mean(i), about.metrics[other.metric]))});
  }
  if (choice.rates) {
    columns.push({title: 'Beaten by', cell: (i) => {
      const by = beaten[at(i)];
      return by === null ? kUnknown : by < 0 ? 'none' : el('span', {title: runs[by].name}, `#${order.indexOf(by) + 1}`);
    }});
  }
  if (comparable.includes(false)) columns.push({title: '', cell: (i) => (comparable[at(i)] ? '' : 'not comparable')});
  columns.push({title: 'Frames', key: (i) => runs[at(i)].frames.length, cell: (i) => count(runs[at(i)].frames.length)});
  const byTitle = columns.find(({className}) => className === 'by')?.title;
  return sortableTable({className: 'ranked', label: 'Ranking', columns, rows: runs.length, sorted: byTitle});
}

const remarksNode = (remarks) => (remarks.length
  ? el('aside', {className: 'warnings', ariaLabel: 'Remarks'}, el('ul', {}, ...remarks.map((text) => el('li', {}, text)))) : null);

// What each run was judged by: those that crossed a threshold by name, the others together.
function judgedNode(about) {
  const all = about.runs.flatMap(({name, thresholds}) => thresholds.map((one) => ({...one, name})));
  if (!all.length) return null;
  const crossed = all.filter((one) => one.crossed);
  const lines = crossed.map(({name, text}) => el('li', {className: 'bad'}, el('b', {}, `${name}: threshold crossed`), `: ${text}`));
  const unjudged = all.filter((one) => one.crossed === null);
  lines.push(...unjudged.map(({name, text}) => el('li', {}, el('b', {}, `${name}: threshold not judged`), `: ${text}`)));
  const keepers = about.runs.filter(({thresholds}) => thresholds.length && thresholds.every((one) => one.crossed === false));
  if (keepers.length) {
    lines.push(el('li', {className: 'good'}, el('b', {}, 'Thresholds kept'),
      ` by ${keepers.length === about.runs.length ? 'every run' : keepers.map(({name}) => name).join(', ')}: ` +
      about.runs[0].thresholds.map(({expression}) => expression).join(', ')));
  }
  return el('ul', {className: 'thresholds', ariaLabel: 'Thresholds'}, ...lines);
}

function runWarnings(about, reports) {
  const nodes = reports.map(({run}, i) => {
    const parts = [faultsNode(run), warningsNode(run)].filter(Boolean);
    return parts.length ? el('div', {}, el('h3', {}, about.runs[i].name), ...parts) : null;
  }).filter(Boolean);
  return nodes.length ? section('Warnings of the runs', null, ...nodes) : null;
}

// All that depends on the metric.
class ComparisonView {
  constructor(page, about, runs, pictures, lines) {
    Object.assign(this, {page, about, runs, pictures, lines});
    this.hosts = Object.fromEntries(['lead', 'ranking', 'rates', 'curve', 'differing', 'worst'].map((name) => [name, el('div')]));
  }

  choose(metric) {
    const choice = new Choice(this.about, this.about.choices.find((one) => one.metric === metric), this.runs, this.lines);
    const {frames, times, columns} = joined(choice.runs);
    const series = choice.runs.map((run, i) => {
      const colourName = choice.colourName(i);
      return {label: run.name, values: columns[i], colourName, colour: () => colour(colourName), dash: this.lines[i].dash, width: 1.5};
    });
    if (this.page.curve) this.page.curve.remove();
    const curve = new Curve({frames, times, series, label: `Scores of ${choice.runs.length} runs, frame by frame`, info: choice.info});
    Object.assign(this.page, {metric, curve, series});
    const {hosts} = this;
    hosts.lead.replaceChildren(...[remarksNode(choice.remarks), el('section', {className: 'top'}, leadNode(choice))].filter(Boolean));
    hosts.ranking.replaceChildren(section('Ranking', null, rankedTable(choice, series), this.rateNote(choice)));
    hosts.rates.replaceChildren(...[ratesSection(choice)].filter(Boolean));
    hosts.curve.replaceChildren(legend(curve), curve.node);
    curve.draw();
    this.showMoments(choice, series, (moment) => curve.show(frames.indexOf(moment.frame)));
  }

  rateNote(choice) {
    const ofFile = choice.runs.some(({video}) => video?.bit_rate_of === 'file');
    const notes = [choice.rates ? 'Beaten by: another encode that is as good or better, and not bigger.' : '',
      ofFile ? '* Of the whole file.' : ''].filter(Boolean);
    return notes.length ? el('p', {className: 'note'}, notes.join(' ')) : null;
  }

  showMoments(choice, series, onShow) {
    const view = {names: choice.runs.map(({name}) => name), series, info: choice.info, heat: this.about.heat, source: this.about.source, onShow};
    const pictured = (run, frame) => this.pictures[run]?.find((picture) => picture.frame === frame);
    const shotsOfRuns = ({scores, frame}) => scores.map((value, run) => (value === null ? null : {...pictured(run, frame), score: value}));
    const source = (moment) => (this.about.source ? [{...pictured(choice.runs.length, moment.frame)}] : []);
    const withShots = (moments) => moments.map((moment) => ({...moment, shots: [...source(moment), ...shotsOfRuns(moment)]}));
    const show = (host, moments, title, note) => host.replaceChildren(...(moments.length
      ? [section(title, note, momentRows(withShots(moments), view))] : []));
    show(this.hosts.differing, choice.differing, 'Where the runs differ most',
      'Frames at which the scores lie further apart than at all others within a second.');
    const first = choice.runs[choice.order[0]].name;
    show(this.hosts.worst, choice.worst, `Worst moments of ${first}`, 'Where the first in the ranking scores worst, beside the other runs.');
  }
}

// Buttons, or a menu where models bring metrics along that few look at.
function metricChooser(about, onChange) {
  const metrics = about.choices.map(({metric: name}) => ({name, info: about.metrics[name] ?? kUnknownMetric}));
  const chosen = metrics[0].name;
  if (metrics.some(({info}) => info.is_inner)) return metricMenu({metrics: inReadingOrder(metrics)}, chosen, onChange);
  return chooser('Metric', metrics.map(({name, info}) => [name, labelOf(name, info)]), chosen, onChange);
}

// How the runs are drawn on the whole page: a hue for each encoder, and of its runs the one with the most bits the darkest and
// without dashes. Runs of one encoder, or of none that is known, have a hue each.
function linesOf(about, runs) {
  const {curves = []} = about.choices.find(({rates}) => rates)?.rates ?? {};
  const encoders = runs.map((_, i) => curves.find((curve) => !curve.is_hull && curve.runs.includes(i))?.encoder ?? null);
  const isOne = new Set(encoders.filter((encoder) => encoder !== null)).size < 2;
  const groups = new Map();
  runs.forEach((_, i) => {
    const key = isOne || encoders[i] === null ? i : encoders[i];
    groups.set(key, [...(groups.get(key) ?? []), i]);
  });
  const lines = [];
  [...groups.values()].forEach((members, hue) => {
    const base = `c${hue % kColours}`;
    members.sort((a, b) => (runs[b].video?.bit_rate ?? 0) - (runs[a].video?.bit_rate ?? 0));
    members.forEach((i, rank) => {
      const shade = members.length > 1 ? shaded(base, rank, members.length) : base;
      lines[i] = {colourName: shade, hue: base, encoder: isOne ? null : encoders[i],
        dash: kDashes[((members.length > 1 ? rank : hue) + Math.floor(hue / kColours)) % kDashes.length]};
    });
  });
  applyShades();
  return lines;
}

// The name of a shade of a colour; the first of `count` is the darkest on paper.
function shaded(base, rank, count) {
  const [most, least] = [0.4, -0.2];
  const name = `${base}-${rank}`;
  shades.set(name, {base, amount: most + (least - most) * rank / (count - 1)});
  return name;
}

function comparePage(root, described, reports, pictures) {
  const about = judgedBySdr(described, reports);
  const runs = reports.map((report, i) => ({...columnsOf(report, about), report, name: about.runs[i].name, video: videoOf(report)}));
  const page = {};
  const lines = linesOf(about, runs);
  const view = new ComparisonView(page, about, runs, pictures, lines);
  const [first, ...others] = about.choices;
  const {hosts} = view;
  fill(root,
    pageHeader(`Comparison of ${about.subject}`, about, []),
    hdrNode(hdrWords(reports), [{name: first.metric, info: about.metrics[first.metric] ?? kUnknownMetric}]),
    others.length ? el('div', {className: 'by-metric'}, metricChooser(about, (metric) => view.choose(metric))) : null,
    hosts.lead,
    judgedNode(about),
    hosts.rates,
    hosts.ranking,
    section('Score of every frame', null, hosts.curve),
    remarksNode(about.picture_remarks),
    hosts.differing,
    hosts.worst,
    section('Runs', null, runTable(about, reports, lines)),
    runWarnings(about, reports),
    liftFilter());
  view.choose(first.metric);
  return page;
}
