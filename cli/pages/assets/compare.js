// The page of several runs: ranked, and their curves over each other.

// Those of the worse end.
const kLowIsBetter = [['mean', 'Mean'], ['p50', 'Median'], ['p95', '95th percentile'], ['p99', '99th percentile'],
  ['max', 'Maximum']];
const kHighIsBetter = [['mean', 'Mean'], ['harmonic_mean', 'Harmonic mean'], ['p50', 'Median'], ['min', 'Minimum']];
const kNeitherIsBetter = [['mean', 'Mean'], ['p50', 'Median'], ['min', 'Minimum'], ['max', 'Maximum']];

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
  const info = about.metrics[about.metric];
  const compared = {lower: kLowIsBetter, higher: kHighIsBetter, neither: kNeitherIsBetter}[info.better];
  const columns = compared.some(([key]) => key === about.by) || about.by === 'share'
    ? compared : [...compared, [about.by, capital(about.by_words)]];
  const head = el('tr', {}, el('th', {scope: 'col'}, ''), el('th', {scope: 'col'}, 'Run'));
  for (const [key, name] of columns) {
    const cell = el('th', {scope: 'col'}, name);
    if (key === about.by) cell.setAttribute('aria-sort', about.descending ? 'descending' : 'ascending');
    head.append(cell);
  }
  fill(head, info.noteworthy === null ? null : el('th', {scope: 'col'}, noteworthyTitle(info)), el('th', {scope: 'col'}, 'Frames'));
  const rows = runs.map((run, i) => {
    const noteworthy = countNoteworthy(info, run.values);
    return el('tr', {}, el('td', {className: 'rank'}, String(i + 1)),
      el('th', {scope: 'row', title: about.runs[i].path}, swatch(series[i]), el('span', {}, run.name)),
      ...columns.map(([key]) => (key === about.by ? el('td', {className: 'by'}, score(about.runs[i].value))
        : el('td', {}, score(run.pooled[key])))),
      info.noteworthy === null ? null : el('td', {className: about.by === 'share' ? 'by' : ''},
        `${count(noteworthy)} (${percent(noteworthy, run.values.length)})`),
      el('td', {}, count(run.frames.length)));
  });
  return el('div', {className: 'scroll'}, el('table', {className: 'ranked'}, el('thead', {}, head), el('tbody', {}, ...rows)));
}

// Who is first, and whether that is good: the best of all may still be bad.
function leadOf(about, runs) {
  const {values} = runs[0];
  const info = about.metrics[about.metric];
  const noteworthy = countNoteworthy(info, values);
  const value = about.runs[0].value;
  const best = about.runs.filter((run) => isNumber(value) && run.value === value).length;
  const kind = noteworthy ? 'bad' : info.better === 'neither' ? 'plain' : 'good';
  if (!isNumber(value)) return {kind: 'bad', text: 'No run has all its scores'};
  const lead = {lower: `has the least ${info.subject}`, higher: `has the highest ${info.title}`,
    neither: `has the lowest ${about.metric}`}[info.better];
  const first = best > 1 ? `${count(best)} runs share the first place` : `${runs[0].name} ${lead}`;
  if (!noteworthy) return {kind, text: first};
  const frames = `${count(noteworthy)} of its ${plural(values.length, 'frame')} (${percent(noteworthy, values.length)})`;
  const reach = `${higherIsBetter(info) ? 'are down to' : 'reach'} ${info.noteworthy}`;
  return {kind, text: best > 1 ? `${first}, but in the first of them ${frames} ${reach}` : `${first}, but ${frames} ${reach}`};
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
    const columns = columnsOf(report, about);
    const {values} = columns.metrics.find(({name}) => name === about.metric);
    return {...columns, name: about.runs[i].name, values, pooled: report.pooled_metrics[about.metric] ?? {}};
  });
  const {frames, times, columns} = joined(runs);
  const series = runs.map((run, i) => {
    const colourName = `c${i % kColours}`;
    return {label: run.name, values: columns[i], colourName, colour: () => colour(colourName),
      dash: kDashes[(i + Math.floor(i / kColours)) % kDashes.length], width: 1.5};
  });
  const page = {curve: new Curve({frames, times, series, label: `Scores of ${runs.length} runs, frame by frame`,
    info: about.metrics[about.metric]})};
  const lead = leadOf(about, runs);
  fill(root,
    pageHeader(`Comparison of ${about.subject}`, about, []),
    remarksNode(about.remarks),
    el('section', {className: 'top'}, el('div', {className: `verdict ${lead.kind}`},
      lead.kind === 'plain' ? '' : el('span', {className: 'sign', ariaHidden: 'true'}, lead.kind === 'good' ? '\u2713' : '!'),
      el('div', {className: 'words'}, el('p', {className: 'title'}, lead.text),
        el('p', {}, `Of ${plural(runs.length, 'run')}, ranked by the ${about.by_words} of ${about.metric}, ${about.descending ? 'highest' : 'lowest'} first.`)))),
    section('Ranking', null, rankedTable(about, runs, series)),
    section('Score of every frame', null, legend(page.curve), page.curve.node),
    runFacts(about, runs, reports));
  page.curve.draw();
  return page;
}
