// The page of several runs: ranked, and their curves over each other.

const kCompared = [['mean', 'Mean'], ['p50', 'Median'], ['p95', '95th percentile'], ['p99', '99th percentile'],
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
  const columns = kCompared.some(([key]) => key === about.by) || about.by === 'share'
    ? kCompared : [...kCompared, [about.by, capital(about.by_words)]];
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
      el('th', {scope: 'row', title: about.runs[i].path}, swatch(series[i]), el('span', {}, run.name)),
      ...columns.map(([key]) => (key === about.by ? el('td', {className: 'by'}, score(about.runs[i].value))
        : el('td', {}, score(run.pooled[key])))),
      el('td', {className: about.by === 'share' ? 'by' : ''}, `${count(annoying)} (${percent(annoying, run.values.length)})`),
      el('td', {}, count(run.frames.length)));
  });
  return el('div', {className: 'scroll'}, el('table', {className: 'ranked'}, el('thead', {}, head), el('tbody', {}, ...rows)));
}

const capital = (words) => words[0].toUpperCase() + words.slice(1);

// Who is first, and whether that is good: the least banding of all may still be too much.
function leadOf(about, runs) {
  const {values} = runs[0];
  const annoying = countAnnoying(values);
  const value = about.runs[0].value;
  const best = about.runs.filter((run) => isNumber(value) && run.value === value).length;
  const kind = annoying ? 'bad' : 'good';
  if (!isNumber(value)) return {kind: 'bad', text: 'No run has all its scores'};
  const first = best > 1 ? `${count(best)} runs share the first place` : `${runs[0].name} has the least banding`;
  if (!annoying) return {kind, text: first};
  const frames = `${count(annoying)} of its ${plural(values.length, 'frame')} (${percent(annoying, values.length)})`;
  return {kind, text: best > 1 ? `${first}, but in the first of them ${frames} reach 5` : `${first}, but ${frames} reach 5`};
}

const remarksNode = (remarks) => (remarks.length
  ? el('aside', {className: 'warnings', ariaLabel: 'Remarks'}, el('ul', {}, ...remarks.map((text) => el('li', {}, text)))) : null);

function runFacts(about, runs, reports) {
  const rows = runs.map((run, i) => el('div', {className: 'run'},
    el('h3', {title: about.runs[i].path}, run.name), ...(reports[i].run?.inputs ?? []).map(inputFacts),
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
  const lead = leadOf(about, runs);
  fill(root,
    pageHeader('Banding comparison', about, []),
    remarksNode(about.remarks),
    el('section', {className: 'top'}, el('div', {className: `verdict ${lead.kind}`},
      el('span', {className: 'sign', ariaHidden: 'true'}, lead.kind === 'good' ? '\u2713' : '!'),
      el('div', {className: 'words'}, el('p', {className: 'title'}, lead.text),
        el('p', {}, `Of ${plural(runs.length, 'run')}, ranked by the ${about.by_words} of ${about.metric}, lowest first.`)))),
    section('Ranking', null, rankedTable(about, runs, series)),
    section('Score of every frame', null, legend(page.curve), page.curve.node),
    runFacts(about, runs, reports));
  page.curve.draw();
  return page;
}
