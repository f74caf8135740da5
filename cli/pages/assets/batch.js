// The page over many videos: what failed, how the rest are spread, and a row for each, worst first.

const kBins = 30;
const kTraceHeight = 28;

// Of a video, or all: fractions matter for clips.
const lengthText = (seconds) => timecode(seconds, seconds < 60 ? 2 : 0);

// What the rows can be ordered by: how a column is called, what it holds of a video, how that is shown, and which end is the
// worse one (1: the highest, -1: the lowest, 0: neither).
function batchColumns(about) {
  const info = about.metrics[about.metric] ?? kUnknownMetric;
  const worse = {lower: 1, higher: -1, neither: 0}[info.better];
  const group = labelOf(about.metric, info);
  const ofMetric = about.columns.map(({key, title}) => (key === 'share'
    ? {key, group, title: noteworthyTitle(info), value: (scores) => scores.values.share, text: (value) => percent(value, 1), worse: 1}
    : {key, group, title: capital(title), value: (scores) => scores.values[key], worse, exactly: (value) => exactly(value, info),
      text: (value) => (['min', 'max'].includes(key) ? score : meanScore)(value, info)}));
  const others = about.others.map((name, i) => ({key: `other${i}`, group: labelOf(name, about.metrics[name]), title: 'Mean',
    value: (scores) => scores.others[i], text: (value) => meanScore(value, about.metrics[name]), worse: 0}));
  return [...ofMetric, ...others, ...costColumns(about),
    {key: 'seconds', title: 'Length', value: (scores) => scores.seconds, text: lengthText, worse: 0}];
}

// What the videos cost, if it is known of any.
function costColumns({videos}) {
  const has = (key) => videos.some(({scores}) => isNumber(scores?.[key]));
  const ofFile = ({bit_rate_of}) => (bit_rate_of === 'file' ? '*' : '');
  return [
    has('bit_rate') ? {key: 'bit_rate', title: 'kbit/s', value: (scores) => scores.bit_rate, worse: 0,
      text: (value, scores) => count(Math.round(value / 1000)) + (scores ? ofFile(scores) : '')} : null,
    has('file_bytes') ? {key: 'file_bytes', title: 'Size', value: (scores) => scores.file_bytes, text: sizeText, worse: 0} : null].filter(Boolean);
}

// Where the group is not above it.
const wholeTitle = ({group, title}) => (group ? `${group}: ${title.toLowerCase()}` : title);

const kByName = {key: 'name', title: 'Video', worse: 0};
const kNatural = new Intl.Collator('en', {numeric: true});

const isComparable = ({scores}) => scores.comparable;

// The worst first, where one end is worse; else the highest. What is not known comes last, and behind it what is not comparable.
function ordered(videos, column, reversed) {
  const apart = videos.filter((video) => !isComparable(video));
  return [...inOrder(videos.filter(isComparable), column, reversed), ...inOrder(apart, column, reversed)];
}

function inOrder(videos, column, reversed) {
  const sign = (column.worse < 0 ? 1 : -1) * (reversed ? -1 : 1);
  const names = (a, b) => kNatural.compare(a.name, b.name);
  if (column.key === 'name') return [...videos].sort((a, b) => (reversed ? -1 : 1) * names(a, b));
  return [...videos].sort((a, b) => {
    const [x, y] = [column.value(a.scores), column.value(b.scores)];
    if (isNumber(x) !== isNumber(y)) return isNumber(x) ? -1 : 1;
    return sign * ((x ?? 0) - (y ?? 0)) || names(a, b);
  });
}

// The same for all videos, so that strips can be compared.
function traceScale(videos, info) {
  const comparable = videos.filter(isComparable);
  const all = (comparable.length ? comparable : videos).map(({scores}) => scores.strip);
  const top = plotTop(info, Math.max(...all.map(largest)));
  const bottom = Math.min(...all.map(smallest));
  const low = info.better === 'higher' ? bottom - 0.1 * (top - bottom) : Math.min(0, bottom);
  return {low, range: Math.max(top - low, 1e-9)};
}

// The worst score of each part of the video, from its start to its end.
function traceNode({scores: {strip, comparable}}, scale, info) {
  const paths = {plain: '', noteworthy: ''};
  strip.forEach((value, i) => {
    if (!isNumber(value)) return;
    const height = Math.max(0.5, kTraceHeight * Math.min(1, (value - scale.low) / scale.range));
    paths[comparable && isNoteworthy(info, value) ? 'noteworthy' : 'plain'] += `M${i} ${kTraceHeight}v${-height.toFixed(2)}h1V${kTraceHeight}z`;
  });
  const level = info.noteworthy === null ? null
    : kTraceHeight * (1 - (info.noteworthy - scale.low) / scale.range);
  const worst = higherIsBetter(info) ? smallest(strip) : largest(strip);
  const label = isNumber(worst)
    ? `Scores over time, ${info.better === 'neither' ? 'up to' : 'at the worst'} ${score(worst, info)}, ${Math.round(100 * strip.indexOf(worst) / strip.length)} % into the video`
    : 'No scores';
  return svgNode('svg', {class: 'trace', viewBox: `0 0 ${strip.length} ${kTraceHeight}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
    svgNode('path', {d: paths.plain, class: 'plain'}), svgNode('path', {d: paths.noteworthy, class: 'noteworthy'}),
    level === null ? null : svgNode('line', {x1: 0, x2: strip.length, y1: level, y2: level}));
}

const middleOf = (sorted) => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;

// How many videos have which value; those past what is noteworthy in its colour, where none is HDR.
function spreadNode(videos, column, info) {
  const values = videos.map(({scores}) => column.value(scores)).filter(isNumber);
  if (values.length < 2) return null;
  const [low, high] = [smallest(values), largest(values)];
  const width = (high - low) / kBins || 1;
  const bins = new Array(kBins).fill(0);
  for (const value of values) bins[Math.min(kBins - 1, Math.floor((value - low) / width))] += 1;
  const most = Math.max(...bins);
  const judges = column.worse !== 0 && column.key !== 'share' && !videos.some(({scores}) => isUnjudged(info, scores.transfer));
  const bars = bins.map((number, i) => svgNode('rect', {x: i + 0.06, width: 0.88, y: 100 * (1 - number / most), height: 100 * number / most,
    class: judges && isNoteworthy(info, higherIsBetter(info) ? low + i * width : low + (i + 0.5) * width) ? 'noteworthy' : 'plain'},
    svgNode('title', {}, `${column.text(low + i * width)} to ${column.text(low + (i + 1) * width)}: ${plural(number, 'video')}`)));
  const median = middleOf([...values].sort((a, b) => a - b));
  const picture = svgNode('svg', {class: 'spread', viewBox: `0 0 ${kBins} 100`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${column.title} of ${plural(values.length, 'video')}: from ${column.text(low)} to ${column.text(high)}, median ${column.text(median)}`}, ...bars);
  return el('figure', {}, picture, el('figcaption', {className: 'ends'}, el('span', {}, column.text(low)),
    el('span', {}, `Median ${column.text(median)}`), el('span', {}, column.text(high))));
}

const infoFor = ({scores}, info) => (isUnjudged(info, scores.transfer) ? withoutLevels(info) : info);

function batchHdrNode(about, videos) {
  const found = videos.filter(({scores}) => scores.transfer in kHdrTransfers).length;
  const words = found ? `${count(found)} of ${plural(videos.length, 'video')} ${found === 1 ? 'is' : 'are'} HDR` : '';
  return hdrNode(words, [{name: about.metric, info: about.metrics[about.metric] ?? kUnknownMetric}]);
}

function batchVerdict(about, scored, info) {
  const comparable = scored.filter(isComparable), videos = comparable.filter(({scores}) => !isUnjudged(info, scores.transfer));
  const apart = scored.length - comparable.length;
  const refused = about.videos.filter(({state}) => state === 'refused').length;
  const failed = about.videos.filter(({state}) => state === 'failed').length;
  const left = about.videos.filter(({state}) => state === 'left').length;
  const crossing = scored.filter(({scores}) => scores.thresholds.some(({crossed}) => crossed)).length;
  const reach = videos.filter(({scores}) => scores.values.share > 0).length;
  const seconds = comparable.reduce((sum, {scores}) => sum + (scores.seconds ?? 0), 0);
  const frames = comparable.reduce((sum, {scores}) => sum + scores.frames, 0);
  const kind = refused || apart || failed || left || crossing || reach ? 'bad'
    : info.better === 'neither' || info.noteworthy === null || !videos.length ? 'plain' : 'good';
  const whose = reach ? `Frames of ${count(reach)} of ${plural(videos.length, 'video')}` : 'No frame of any video';
  const level = higherIsBetter(info) ? `${reach ? 'score' : 'scores'} ${info.noteworthy} or less (${info.meaning})`
    : `${reach ? 'reach' : 'reaches'} ${info.noteworthy}, where ${info.subject} ${becomes(info)} ${info.meaning}`;
  const text = info.noteworthy === null || !videos.length ? '' : `${gradesText(videos, info)}${whose} ${level}.${info.purpose ? ` ${info.purpose}.` : ''}`;
  const troubles = [refused && `${plural(refused, 'video')} ${refused === 1 ? 'does not fit its reference' : 'do not fit their references'}`,
    apart && `${plural(apart, 'video')} not comparable`, failed && `${plural(failed, 'video')} could not be scored`, left && `${plural(left, 'video')} not reached`,
    crossing && `${plural(crossing, 'video')} past a threshold`].filter(Boolean);
  const title = troubles.length ? troubles.join(', ') : reach ? reachTitle(reach, videos, info) : `All ${plural(comparable.length, 'video')} scored`;
  const thresholds = scored.some(({scores}) => scores.thresholds.length);
  const lead = leadingFigure(about, comparable, info);
  return verdictNode({kind, sign: kind === 'plain' ? '' : kind === 'good' ? '\u2713' : '!', title, text}, [
    ...lead, {name: apart ? 'Comparable videos' : 'Videos with scores', value: count(comparable.length), detail: `of ${count(about.videos.length)}`},
    {name: 'Frames', value: count(frames)}, {name: 'Length', value: lengthText(seconds)},
    ...(thresholds ? [{name: 'Past a threshold', value: count(crossing), detail: percent(crossing, Math.max(scored.length, 1))}] : [])]);
}

// What some of the videos have in some of their frames.
function reachTitle(reach, videos, info) {
  const whose = `${count(reach)} of ${plural(videos.length, 'video')}`;
  return higherIsBetter(info) ? `${whose} below ${gradeAbove(info) || info.noteworthy} in places` : `${capital(info.subject)} in ${whose}`;
}

// Between what their means lie.
function leadingFigure(about, videos, info) {
  const means = videos.map(({scores}) => scores.values.mean).filter(isNumber).sort((a, b) => a - b);
  if (!means.length) return [];
  const sampled = videos.some(({scores}) => scores.subsample > 1) ? ' of a sample' : '';
  const middle = middleOf(means);
  return [{of: labelOf(about.metric, info), name: means.length > 1 ? `Median of the means${sampled}` : `Mean${sampled}`, value: meanScore(middle, info),
    detail: means.length > 1 ? `${meanScore(means[0], info)} to ${meanScore(means.at(-1), info)}` : ''}];
}

// How many videos have which grade: "VMAF on average: 2 good, 1 poor. "
function gradesText(videos, info) {
  const key = higherIsBetter(info) ? 'mean' : 'max';
  const words = videos.map(({scores}) => scores.values[key]).filter(isNumber).map((value) => gradeOf(info, value));
  const parts = info.grades.map(({word}) => [words.filter((other) => other === word).length, word]).filter(([found]) => found);
  if (!parts.length) return '';
  return `${capital(higherIsBetter(info) && info.subject === 'distortion' ? 'on average' : `${info.subject} ${higherIsBetter(info) ? 'on average' : 'at its worst'}`)}: ${parts.map(([found, word]) => `${count(found)} ${word}`).join(', ')}. `;
}

function failuresSection(title, videos, why) {
  if (!videos.length) return null;
  return section(title, null, el('ul', {className: 'failures'}, ...videos.map((video) => (
    el('li', {}, el('b', {}, video.name), el('span', {}, why(video)))))));
}

function batchMoments(moments) {
  return moments.length ? section('Worst moments', 'Of all videos.', el('ul', {}, ...moments.map((text) => el('li', {}, text)))) : null;
}

class BatchTable {
  constructor(about, videos) {
    this.info = about.metrics[about.metric] ?? kUnknownMetric;
    this.videos = videos;
    this.columns = [kByName, ...batchColumns(about)];
    this.column = this.info.better === 'neither' ? kByName : this.columns[1] ?? kByName;
    this.reversed = false;
    this.scale = traceScale(videos, this.info);
    this.rows = new Map(videos.map((video) => [video, this.row(video)]));
    this.heads = this.columns.map(({key, title}) => el('th', {scope: 'col'}, button(title, () => this.sort(key), {className: 'order'})));
    this.body = el('tbody');
    this.spread = el('div');
    this.found = el('p', {className: 'note', role: 'status'});
    this.search = el('input', {type: 'search', placeholder: 'Find', ariaLabel: 'Find videos by name'});
    this.search.addEventListener('input', () => this.show());
    this.order = menu('Order', [['Columns', this.columns.map((column) => [column.key, wholeTitle(column)])]], this.column.key, (key) => this.sort(key));
    const [name, ...others] = this.heads;
    const strip = el('th', {scope: 'col', className: 'time'}, 'Score over time');
    const groups = groupRow([{}, {}, ...this.columns.slice(1)]);
    this.node = el('div', {}, el('div', {className: 'controls finds'}, this.search, this.order, this.found),
      el('div', {className: 'scroll'}, el('table', {className: 'batch'}, el('thead', {}, groups, el('tr', {}, name, strip, ...others)), this.body)));
    this.show();
  }

  sort(key) {
    this.reversed = key === this.column.key && !this.reversed;
    this.column = this.columns.find((column) => column.key === key);
    this.order.querySelector('select').value = key;
    this.show();
  }

  show() {
    const word = this.search.value.trim().toLowerCase();
    const shown = ordered(this.videos, this.column, this.reversed).filter(({name}) => name.toLowerCase().includes(word));
    this.body.replaceChildren(...shown.map((video) => this.rows.get(video)));
    this.found.textContent = word ? `${plural(shown.length, 'video')} of ${count(this.videos.length)}` : '';
    const isUp = this.column.key === 'name' || this.column.worse < 0 ? !this.reversed : this.reversed;
    this.heads.forEach((head, i) => {
      if (this.columns[i] === this.column) head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    const spread = this.column.key === 'name' ? this.columns[1] : this.column;
    this.spread.replaceChildren(...[spread && spreadNode(this.videos.filter(isComparable), spread, this.info)].filter(Boolean)
      .flatMap((node) => [el('p', {className: 'note'}, `${wholeTitle(spread)} of each video`), node]));
  }

  row(video) {
    const {scores} = video;
    const crossed = scores.thresholds.filter((one) => one.crossed);
    const marks = [scores.comparable ? null : el('span', {className: 'mark'}, 'not comparable'), ...crossed.map(({expression}) => el('span', {className: 'mark bad'}, expression)),
      scores.warnings ? el('span', {className: 'mark'}, plural(scores.warnings, 'warning')) : null];
    const about = `${scores.size[0]}\u00d7${scores.size[1]} ${scores.codec}`;
    const name = el('th', {scope: 'row'}, el('a', {href: video.link}, ...breakablePath(video.name)),
      fill(el('span', {className: 'about'}, about), ...marks));
    const strip = el('td', {className: 'time'}, traceNode(video, this.scale, infoFor(video, this.info)));
    return el('tr', {}, name, strip, ...this.columns.slice(1).map((column) => {
      const value = column.value(scores);
      const bad = scores.comparable && column.worse !== 0 && !isUnjudged(this.info, scores.transfer) && (column.key === 'share' ? value > 0 : isNoteworthy(this.info, value));
      const cell = el('td', {className: bad ? 'bad' : '', ...column.exactly?.(value)}, isNumber(value) ? column.text(value, scores) : scores.intervals?.[column.key] ?? kUnknown);
      cell.dataset.title = wholeTitle(column);
      return cell;
    }));
  }
}

// A path that may break after each slash.
const breakablePath = (path) => path.split(/(?<=\/)/).flatMap((part) => [part, el('wbr')]);

function batchPage(root, about) {
  const videos = about.videos.filter(({scores}) => scores !== null);
  const table = videos.length ? new BatchTable(about, videos) : null;
  fill(root, pageHeader('Batch', about, []), batchHdrNode(about, videos), remarksNode(about.remarks),
    batchVerdict(about, videos, about.metrics[about.metric] ?? kUnknownMetric),
    failuresSection('Not scored', about.videos.filter(({scores}) => scores === null),
      ({error, state}) => error ?? (state === 'left' ? 'The run ended before it was scored.' : '')),
    failuresSection('Not comparable', videos.filter((video) => !isComparable(video)), ({scores}) => scores.faults.join(' ')),
    table && videos.filter(isComparable).length > 1 ? section('Distribution', null, table.spread) : null,
    table && section('Videos', videos.some(({scores}) => scores.bit_rate_of === 'file') ? '* Bit rate of the whole file.' : null, table.node),
    batchMoments(about.moments ?? []));
  return {table};
}
