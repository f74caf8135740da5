// The stretches of the video that a report lists: bands under the curve, and a table with a way to each.

const kShownSegments = 10;
const kStretchOrders = [['time', 'In order'], ['worst', 'Worst first'], ['longest', 'Longest first']];

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

// What is compared with the level of a segment, where that is not a score itself.
const meanWords = ({smoothed_seconds: seconds, by_scene: byScene}) => (byScene ? 'mean over a scene'
  : seconds === 0.5 ? 'half-second mean' : seconds > 0 ? `mean over ${seconds} s` : '');

// What a segment is, how many there are and what part of the video they are. Shares of the video are of stretches, as those
// of frames stand at the top.
function segmentsNote(segments, info, {frames}) {
  const {metric, from, until, shortest_frames, shortest_seconds, list} = segments;
  const higher = higherIsBetter(info);
  const label = labelOf(metric, info);
  const mean = meanWords(segments);
  const level = `${from} ${higher ? 'or less' : 'or more'}` + (until === from ? '' : ` (until ${higher ? 'over' : 'under'} ${until})`);
  const rule = (mean ? `whose ${mean} of ${label} is ${level}` : `of ${label} at ${level}`) +
    (shortest_frames > 1 ? `, of ${plural(shortest_frames, 'frame')} or more` : '') +
    (shortest_seconds > 0 ? `, of ${shortest_seconds} s or more` : '');
  if (!list.length) return from === info.noteworthy && !higher ? `No stretch of visible ${info.subject}.` : `No stretch ${rule}.`;
  const total = list.reduce((sum, one) => sum + segmentFrames(one), 0);
  const all = Math.max(frames[frames.length - 1], list[list.length - 1].last) - frames[0] + 1;
  const time = list.every(isTimed) ? `${timecode(list.reduce((sum, one) => sum + one.end - one.start, 0))} together, ` : '';
  return `${count(list.length)} ${list.length === 1 ? 'stretch' : 'stretches'} ${rule}: ${time}${percent(total, all)} of the video.`;
}

// The numbers of stretches, as they are in time, in another order; `badness` grows with what is bad.
function stretchOrder(list, badness, order) {
  const numbers = list.map((_, i) => i);
  if (order === 'worst') numbers.sort((a, b) => badness(list[b]) - badness(list[a]) || a - b);
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

// The cells that say where a stretch is; the first shows it on the curve.
function placeCells(one, i, {word, timed, columns, show}) {
  const words = `Show ${word} ${i + 1} on the curve`;
  const place = button(`${i + 1}`, () => show(...bandOf(one, columns)), {title: words, ariaLabel: words});
  const texts = [timed ? timecode(one.start) : `#${count(one.first)}`, timed ? timecode(one.end) : `#${count(one.last)}`,
    timed ? `${(one.end - one.start).toFixed(2)} s` : plural(segmentFrames(one), 'frame')];
  return [el('th', {scope: 'row'}, place), ...texts.map((text) => el('td', {}, text))];
}

// A table of many stretches: the worst first, and all when they are asked for. `cells(one, i, timed)` are those of a row.
function stretchTable(word, list, {headings, cells, badness}) {
  const timed = list.every(isTimed);
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
    const shown = stretchOrder(list, badness, order).slice(0, limit);
    body.replaceChildren(...shown.map((i) => el('tr', {}, ...cells(list[i], i, timed))));
    if (more) more.hidden = limit >= list.length;
  }
  fillBody();
  const head = el('tr', {}, ...[capital(word), 'From', 'To', 'Length', ...headings].map((text) => el('th', {scope: 'col'}, text)));
  return [
    list.length > 2 ? chooser(`Order of ${word}s`, kStretchOrders, order, (chosen) => { order = chosen; fillBody(); }) : null,
    scrollable(capital(`${word}s`), {}, el('thead', {}, head), body), more].filter(Boolean);
}

function segmentTable({list}, info, columns, show) {
  if (!list.length) return [];
  const cells = (one, i, timed) => [...placeCells(one, i, {word: 'segment', timed, columns, show}),
    el('td', exactly(one.mean, info), meanScore(one.mean, info)), el('td', exactly(one.worst, info), score(one.worst, info))];
  const badness = ({worst}) => (higherIsBetter(info) ? -worst : worst);
  return stretchTable('segment', list, {headings: ['Mean', 'Worst'], cells, badness});
}

// Ticks at the foot of a plot where scenes begin, as far as they can be told apart; a scene is as wide as the room between.
function drawCuts(u, cuts, xs) {
  let behind = -Infinity;
  drawOn(u, 'muted', (context, {left, top, width, height}, ratio) => {
    for (const cut of cuts) {
      const at = Math.round(u.valToPos(xs[cut], 'x', true));
      if (at < left || at > left + width || at < behind + 2 * ratio) continue;
      context.fillRect(at, top + height - 7 * ratio, ratio, 7 * ratio);
      behind = at;
    }
  });
}

// What is marked behind the lines, for the head of a plot.
function marksNodes({bands, cuts}) {
  const mark = (className, words) => el('span', {}, el('span', {className: `box ${className}`}), words);
  return [bands.length ? mark('band', plural(bands.length, 'segment')) : null,
    cuts.length ? mark('cut', plural(cuts.length, 'scene cut')) : null];
}
