// What is around the scores: the head of the page, the legend, the run.

const kColours = 7;
const kDashes = [undefined, [9, 4], [3, 3], [12, 4, 3, 4], [6, 3], [2, 5], [15, 5]];

// The report as the program writes it, byte for byte.
const reportText = (index) => unpacked(document.querySelectorAll('script.report')[index].textContent);

const downloadReport = async (about, index) => download(about.runs[index].download, await reportText(index));

function pageHeader(kind, about, actions) {
  return el('header', {},
    el('div', {className: 'name'}, el('p', {className: 'kind'}, kind), el('h1', {title: about.name}, baseName(about.name))),
    el('div', {className: 'tools'}, ...actions.map(([text, act]) => button(text, act)), theme.toggle()));
}

// Which lines are shown: a button a line, pressed while it is, with the score of the frame that is read.
function legend(curve) {
  const list = el('div', {className: 'legend', role: 'group', ariaLabel: 'Lines shown'});
  curve.series.forEach((one, i) => {
    const longest = Math.max(...[smallest(one.values), largest(one.values)].map((value) => curve.valueText(one, Math.max(0, one.values.indexOf(value))).length));
    const value = el('b', {className: 'value', ariaHidden: 'true'}, kUnknown);
    value.style.minWidth = `${longest}ch`;
    const toggle = lever((visible) => curve.setVisible(i, visible), {className: '', ariaPressed: String(!one.hidden)}, swatch(one),
      el('span', {title: one.label}, one.shown ?? one.label), value);
    curve.chips.push({one, value, toggle});
    list.append(toggle);
  });
  return list;
}

// What is wrong with the pair for certain, so that its scores say nothing.
const faultTexts = (run) => (run?.pair_faults ?? []).filter(({certain}) => certain).map(({text}) => text);

function faultsNode(run) {
  const texts = faultTexts(run);
  return texts.length ? el('aside', {className: 'warnings fault', ariaLabel: 'Not comparable'}, el('p', {className: 'title'}, 'Not comparable'),
    ...texts.map((text) => el('p', {}, text))) : null;
}

function warningsNode(run) {
  const texts = (run?.warnings ?? []).filter((text) => !faultTexts(run).includes(text));
  const cut = run && run.complete === false;
  if (!texts.length && !cut) return null;
  const list = el('ul', {}, ...texts.map((text) => el('li', {}, text)));
  if (cut) list.prepend(el('li', {}, el('b', {}, 'This run is not complete: '), 'only what was scored before it ended is here.'));
  return el('aside', {className: 'warnings', ariaLabel: 'Warnings'}, list);
}

// Pairs as a list of facts; what is unknown is left out.
function factList(pairs) {
  const list = el('dl', {className: 'list'});
  for (const [name, value] of pairs) {
    if (value === '' || value === null || value === undefined) continue;
    list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  }
  return list;
}

const known = (text) => (text && text !== 'unspecified' ? text : '');

const cropText = (crop) => (crop ? `${crop.width}\u00d7${crop.height} at ${crop.x}, ${crop.y}` : '');

// Where the run had thresholds: how each came out. `judged`: of a sample, what each says.
function thresholdsNode(run, judged) {
  const thresholds = run?.thresholds ?? [];
  if (!thresholds.length) return null;
  return el('ul', {className: 'thresholds', ariaLabel: 'Thresholds'}, ...thresholds.map((one, i) => {
    const text = (value) => (one.statistic === 'share' && isNumber(value) ? percent(value, 1) : score(value));
    const before = one.baseline === undefined ? '' : `, in the baseline ${text(one.baseline)}`;
    const isJudged = one.crossed !== null;
    return el('li', {className: !isJudged ? '' : one.crossed ? 'bad' : 'good'},
      el('b', {}, !isJudged ? 'Threshold not judged' : one.crossed ? 'Threshold crossed' : 'Threshold kept'),
      `: ${judged?.[i].text ?? `${one.statistic} of ${one.metric} is ${text(one.value)}${before} (${one.expression})`}`);
  }));
}

function inputFacts(input) {
  return factList([
    [input.role === 'reference' ? 'Reference' : 'Video', input.path],
    ['Format', [input.codec, `${input.width}\u00d7${input.height}`, `${input.bit_depth} bit`, input.chroma]
      .filter(Boolean).join(', ')],
    ['Decoder', input.decoder ?? ''],
    ['Range', known(input.range)], ['Transfer', known(input.transfer)],
    ['Matrix', known(input.matrix)],
    ['Stored light', [['MaxCLL', input.maxcll], ['MaxFALL', input.maxfall], ['mastering display', input.mastering_peak]]
      .filter(([, level]) => isNumber(level)).map(([name, level]) => `${name} ${level} cd/m\u00b2`).join(', ')],
    ['Frame rate', isNumber(input.frame_rate) ? `${Number(input.frame_rate.toFixed(3))} fps` : ''],
    ['Film grain', ['', 'none'].includes(input.film_grain ?? '') ? '' : input.film_grain],
    ['Frames read', count(input.frames)]]);
}

// `known`: what the options mean, by name; `others`: those of the other features of this name.
function optionsNode([name, options], known = {}, others = []) {
  const rows = Object.entries(options).filter(([, value]) => value !== '')
    .map(([key, value]) => el('tr', {}, el('th', {scope: 'row'}, key), el('td', {}, value), el('td', {className: 'meaning'}, known[key] ?? '')));
  // Of one feature twice, what tells them apart.
  const kMostTold = 2;
  const told = Object.entries(options).filter(([key, value]) => value !== '' && others.some((other) => other[key] !== value)).slice(0, kMostTold);
  const which = told.length ? ` (${told.map(([key, value]) => `${key} ${value}`).join(', ')})` : '';
  return el('details', {className: 'facts'}, el('summary', {}, `Options of ${name}${which}`),
    el('div', {className: 'scroll'}, el('table', {className: 'options'}, el('tbody', {}, ...rows))));
}

function runSection(report, about) {
  const run = report.run;
  if (!run || !run.backend) return null;  // a report without the facts of its run
  const models = (run.models ?? []).map(({name, source}) => `${name}: ${source}`).join(', ');
  const speed = isNumber(report.fps) ? `${report.fps.toFixed(1)} fps` : '';
  const facts = factList([
    ['Program', `cambi ${report.version}`], [run.models?.length > 1 ? 'Models' : 'Model', models], ['Backend', run.backend], ['Device', run.device], ['Driver', run.driver],
    ['Instructions', run.simd], ['Threads', String(run.threads)],
    ['Scored area', cropText(run.crop)],
    ['Took', `${run.wall_seconds.toFixed(2)} s${speed ? ` (${speed})` : ''}`],
    ['Sample', run.subsample > 1 ? `1 of ${count(run.subsample)} frames` : about.sample ?? ''],
    ['Of all samples', Object.entries(report.aggregate_metrics ?? {}).filter(([, value]) => isNumber(value))
      .map(([name, value]) => `${name} ${value.toFixed(3)}`).join(', ')],
    [term('repeats', 'Repeated frames'), run.repeated_frames ? count(run.repeated_frames) : ''],
    ['Notes', [...run.notes ?? [], ...(run.models ?? []).map(({unsuited}) => unsuited).filter(Boolean)].join(', ')]]);
  const command = run.arguments.length
    ? el('pre', {className: 'command', tabIndex: 0, ariaLabel: 'Command line'}, ['cambi', ...run.arguments].map(quoted).join(' ')) : null;
  return section('The run', null, el('div', {className: 'columns'}, ...run.inputs.map(inputFacts), facts), command,
    ...run.features.map((feature) => optionsNode([feature.name, feature.options], about.features?.[feature.name]?.options,
      run.features.filter((other) => other !== feature && other.name === feature.name).map(({options}) => options))));
}

// As a shell would take it.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
