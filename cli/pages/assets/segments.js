// The stretches of the video that a report lists: bands under the curve, and a table with a way to each.

const kShownSegments = 50;

// First and last position of each among the scored frames; none where the curve does not show their metric.
function segmentBands(report, {frames, metrics}) {
  const segments = report.run?.segments;
  if (!segments || !metrics.some(({name}) => name === segments.metric)) return [];
  const positionOf = (frame) => {
    let low = 0;
    let high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return segments.list.map(({first, last}) => [positionOf(first), positionOf(last)]);
}

function segmentsSection(report, columns, about, show) {
  const segments = report.run?.segments;
  if (!segments || !segments.list.length) return null;
  const bands = segmentBands(report, columns);
  const info = about.metrics[segments.metric] ?? kUnknownMetric;
  const at = (time, frame) => (isNumber(time) ? timecode(time) : `#${count(frame)}`);
  const length = (one) => (isNumber(one.start) && isNumber(one.end) ? `${(one.end - one.start).toFixed(2)} s`
    : plural(one.last - one.first + 1, 'frame'));
  const body = el('tbody');
  segments.list.slice(0, kShownSegments).forEach((one, i) => {
    const place = button(`${i + 1}`, () => show(...bands[i]),
      {title: `Show segment ${i + 1} on the curve`, ariaLabel: `Show segment ${i + 1} on the curve`});
    body.append(el('tr', {}, el('th', {scope: 'row'}, place),
      ...[at(one.start, one.first), at(one.end, one.last), length(one), meanScore(one.mean, info), score(one.worst, info)]
        .map((text) => el('td', {}, text))));
  });
  const head = el('tr', {}, ...['Segment', 'From', 'To', 'Length', 'Mean', 'Worst'].map((text) => el('th', {scope: 'col'}, text)));
  const total = segments.list.reduce((sum, one) => sum + (isNumber(one.start) && isNumber(one.end) ? one.end - one.start : 0), 0);
  const more = segments.list.length > kShownSegments ? ` The first ${kShownSegments} are listed.` : '';
  const side = higherIsBetter(info) ? 'or less' : 'or more';
  const note = `${plural(segments.list.length, 'segment')} of ${segments.metric} at ${segments.from} ${side}` +
    `${total > 0 ? `, ${timecode(total)} together` : ''}.${more}`;
  return section('Segments', note, el('div', {className: 'scroll'}, el('table', {}, el('thead', {}, head), body)));
}
