// The page of several runs: ranked, and their curves over each other.

const kRankedBy = {mean: 'mean', harmonic_mean: 'harmonic mean', p50: 'median', p90: '90th percentile',
  p95: '95th percentile', p99: '99th percentile', max: 'maximum', min: 'minimum', stdev: 'standard deviation',
  share: 'share of frames from 5 on'};
const kCompared = [['mean', 'Mean'], ['harmonic_mean', 'Harmonic'], ['p50', 'Median'], ['p95', 'p95'], ['p99', 'p99'],
  ['max', 'Maximum']];

// Every run's scores over all frames that any run has.
function joined(runs) {
  const first = runs[0];
  const same = runs.every((run) => run.frames.length === first.frames.length &&
    run.frames.every((frame, i) => frame === first.frames[i]));
  if (same) return {frames: first.frames, times: first.times, columns: runs.map((run) => run.values)};
  const [frames, ...columns] = uPlot.join(runs.map((run) => [run.frames, run.values]));
  return {frames, times: null, columns: columns.map((column) => column.map((value) => value ?? null))};
}

function rankedTable(about, runs, series) {
  const columns = kCompared.some(([key]) => key === about.by) || !kRankedBy[about.by] || about.by === 'share'
    ? kCompared : [...kCompared, [about.by, kRankedBy[about.by]]];
  const head = el('tr', {}, el('th', {scope: 'col'}, ''), el('th', {scope: 'col'}, 'Run'));
  for (const [key, name] of columns) {
    const cell = el('th', {scope: 'col'}, name);
    if (key === about.by) cell.setAttribute('aria-sort', 'ascending');
    head.append(cell);
  }
  head.append(el('th', {scope: 'col'}, 'Frames \u2265 5'), el('th', {scope: 'col'}, 'Frames'));
  const rows = runs.map((run, i) => {
    const annoying = countAnnoying(run.values);
    return el('tr', {}, el('td', {className: 'rank'}, String(i + 1)),
      el('th', {scope: 'row'}, swatch(series[i]), el('span', {}, run.name)),
      ...columns.map(([key]) => el('td', {className: key === about.by ? 'by' : ''}, score(run.pooled[key]))),
      el('td', {className: about.by === 'share' ? 'by' : ''}, `${count(annoying)} (${percent(annoying, run.values.length)})`),
      el('td', {}, count(run.frames.length)));
  });
  return el('div', {className: 'scroll'}, el('table', {className: 'ranked'}, el('thead', {}, head), el('tbody', {}, ...rows)));
}

function runFacts(about, runs, reports) {
  const rows = runs.map((run, i) => el('div', {className: 'run'},
    el('h3', {}, run.name), ...(reports[i].run?.inputs ?? []).map(inputFacts),
    warningsNode(reports[i].run),
    button('Download JSON', () => downloadReport(about, i))));
  return section('Runs', null, el('div', {className: 'runs'}, ...rows));
}

function comparePage(root, about, reports) {
  const runs = reports.map((report, i) => {
    const columns = columnsOf(report);
    const {values} = columns.metrics.find(({name}) => name === about.metric);
    return {...columns, name: about.runs[i].name, values, pooled: report.pooled_metrics[about.metric] ?? {}};
  });
  const {frames, times, columns} = joined(runs);
  const series = runs.map((run, i) => {
    const colourName = `c${i % kColours}`;
    return {label: run.name, values: columns[i], colourName, colour: () => colour(colourName),
      dash: kDashes[(i + Math.floor(i / kColours)) % kDashes.length], width: 1.5};
  });
  const page = {curve: new Curve({frames, times, series, label: `Scores of ${runs.length} runs, frame by frame`})};
  const figure = ({values, pooled}) => (about.by === 'share' ? countAnnoying(values) / values.length : pooled[about.by]);
  const best = runs.filter((run) => figure(run) === figure(runs[0])).length;
  const lead = best > 1 ? `${count(best)} runs share the first place` : `${baseName(runs[0].name)} has the least banding`;
  fill(root,
    pageHeader('Banding comparison', about, []),
    el('section', {className: 'top'}, el('div', {className: 'verdict good'},
      el('div', {className: 'words'}, el('p', {className: 'title'}, lead),
        el('p', {}, `Of ${plural(runs.length, 'run')}, ranked by the ${kRankedBy[about.by]} of ${about.metric}, lowest first.`)))),
    section('Ranking', null, rankedTable(about, runs, series)),
    section('Score of every frame', null, legend(page.curve), page.curve.node),
    runFacts(about, runs, reports));
  page.curve.draw();
  return page;
}
