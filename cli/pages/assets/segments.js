// The stretches of the video that a report lists: bands under the curve, and a table with a way to each.

const kShownSegments = 10;
const kSegmentOrders = [['time', 'In order'], ['worst', 'Worst first'], ['longest', 'Longest first']];

// The position of the last scored frame that is not behind this one.
function positionOf(frames, frame) {
  let low = 0;
  let high = frames.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frames[middle] <= frame) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The lists of segments of a report: one for each metric and rule.
const segmentLists = ({run}) => [run?.segments, ...(run?.more_segments ?? [])].filter(Boolean);

// First and last position of a segment among the scored frames.
const bandOf = ({first, last}, {frames}) => [positionOf(frames, first), positionOf(frames, last)];

// Those of the metrics that the curve shows.
function segmentBands(report, columns) {
  const isShown = ({metric}) => columns.metrics.some(({name}) => name === metric);
  return segmentLists(report).filter(isShown).flatMap(({list}) => list.map((one) => bandOf(one, columns)));
}

// Positions of the scored frames with which scenes begin.
function sceneCuts(report, {frames}) {
  return (report.run?.scene_cuts ?? []).map((cut) => positionOf(frames, cut));
}

const segmentFrames = ({first, last}) => last - first + 1;
const isTimed = ({start, end}) => isNumber(start) && isNumber(end);

// What a segment is, how many there are and what part of the video they are.
function segmentsNote({metric, from, until, smoothed_seconds, shortest_frames, shortest_seconds, list}, info, {frames}) {
  const higher = higherIsBetter(info);
  const rule = `${labelOf(metric, info)} at ${from} ${higher ? 'or less' : 'or more'}` +
    (until === from ? '' : ` (until ${higher ? 'over' : 'under'} ${until})`) +
    (smoothed_seconds > 0 ? `, on average over ${smoothed_seconds} s` : '') +
    (shortest_frames > 1 ? `, of ${plural(shortest_frames, 'frame')} or more` : '') +
    (shortest_seconds > 0 ? `, of ${shortest_seconds} s or more` : '');
  if (!list.length) return `None of ${rule}.`;
  const total = list.reduce((sum, one) => sum + segmentFrames(one), 0);
  const all = Math.max(frames[frames.length - 1], list[list.length - 1].last) - frames[0] + 1;
  const time = list.every(isTimed) ? `${timecode(list.reduce((sum, one) => sum + one.end - one.start, 0))} together, ` : '';
  return `${plural(list.length, 'segment')} of ${rule}: ${time}${percent(total, all)} of the video.`;
}

// The numbers of segments, as they are in time, in another order.
function segmentOrder(list, info, order) {
  const numbers = list.map((_, i) => i);
  const sign = higherIsBetter(info) ? 1 : -1;
  if (order === 'worst') numbers.sort((a, b) => sign * (list[a].worst - list[b].worst) || a - b);
  if (order === 'longest') numbers.sort((a, b) => segmentFrames(list[b]) - segmentFrames(list[a]) || a - b);
  return numbers;
}

// `show(metric, first, last)` takes positions among the scored frames.
function segmentsSection(report, columns, about, show) {
  const lists = segmentLists(report);
  if (!lists.length) return null;
  const several = lists.length > 1;
  const parts = lists.map((segments) => {
    const info = about.metrics[segments.metric] ?? kUnknownMetric;
    const note = segmentsNote(segments, info, columns);
    const metric = columns.metrics.find(({name}) => name === segments.metric);
    const nodes = segmentTable(segments, info, columns, (from, to) => show(segments.metric, from, to));
    return {note, nodes, name: metric ? shownName(metric, columns) : segments.metric};
  });
  const node = several ? section('Segments', null, ...parts.map(({note, nodes, name}) => (
    el('div', {className: 'part'}, el('h3', {}, name), el('p', {className: 'note'}, note), ...nodes))))
    : section('Segments', parts[0].note, ...parts[0].nodes);
  node.classList.add('segments');
  return node;
}

function segmentTable({list}, info, columns, show) {
  if (!list.length) return [];
  const timed = list.every(isTimed);
  const length = (one) => (timed ? `${(one.end - one.start).toFixed(2)} s` : plural(segmentFrames(one), 'frame'));
  const row = (i) => {
    const one = list[i];
    const words = `Show segment ${i + 1} on the curve`;
    const place = button(`${i + 1}`, () => show(...bandOf(one, columns)), {title: words, ariaLabel: words});
    const cells = [timed ? timecode(one.start) : `#${count(one.first)}`, timed ? timecode(one.end) : `#${count(one.last)}`,
      length(one)];
    return el('tr', {}, el('th', {scope: 'row'}, place), ...cells.map((text) => el('td', {}, text)),
      el('td', exactly(one.mean, info), meanScore(one.mean, info)), el('td', exactly(one.worst, info), score(one.worst, info)));
  };
  const many = list.length > kShownSegments;
  const body = el('tbody');
  let [limit, order] = [kShownSegments, many ? 'worst' : 'time'];
  const showAll = () => {
    limit = list.length;
    fillBody();
    body.rows[kShownSegments].querySelector('button').focus();  // the one that was pressed is gone
  };
  const more = many ? button(`Show all ${count(list.length)}`, showAll, {className: 'more'}) : null;
  function fillBody() {
    body.replaceChildren(...segmentOrder(list, info, order).slice(0, limit).map(row));
    if (more) more.hidden = limit >= list.length;
  }
  fillBody();
  const head = el('tr', {}, ...['Segment', 'From', 'To', 'Length', 'Mean', 'Worst'].map((text) => el('th', {scope: 'col'}, text)));
  return [
    list.length > 2 ? chooser('Order of segments', kSegmentOrders, order, (chosen) => { order = chosen; fillBody(); }) : null,
    el('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Segments'}, el('table', {}, el('thead', {}, head), body)), more].filter(Boolean);
}

// Ticks at the foot of a plot where scenes begin, as far as they can be told apart; a scene is as wide as the room between.
function drawCuts(u, cuts, xs) {
  const {left, top, width, height} = u.bbox;
  const ratio = devicePixelRatio;
  const context = u.ctx;
  context.save();
  context.fillStyle = colour('muted');
  let behind = -Infinity;
  for (const cut of cuts) {
    const at = Math.round(u.valToPos(xs[cut], 'x', true));
    if (at < left || at > left + width || at < behind + 2 * ratio) continue;
    context.fillRect(at, top + height - 7 * ratio, ratio, 7 * ratio);
    behind = at;
  }
  context.restore();
}

// What is marked behind the lines, for the head of a plot.
function marksNodes({bands, cuts}) {
  const mark = (className, words) => el('span', {}, el('span', {className: `box ${className}`}), words);
  return [bands.length ? mark('band', plural(bands.length, 'segment')) : null,
    cuts.length ? mark('cut', plural(cuts.length, 'scene cut')) : null];
}
