// What belongs to the score of a model: the line that is drawn over it, the interval it lies in, and which of its features
// explain a bad frame.

const kStandsOut = 0.9;  // worse than so many of the frames
const kMostNamed = 2;    // features under a small picture

// What a metric is called where there is little room: by its title, if no other has it.
function shownName({name, info}, columns) {
  const same = (columns.all ?? columns.metrics).filter((other) => other.info.title === info.title);
  return info.known && same.length === 1 && info.title ? info.title : name;
}

// What each of the scores lies between, where a collection of models says so.
function intervalOf(info, metrics) {
  if (!info.interval) return null;
  const [low, high] = info.interval.map((name) => metrics.find((other) => other.name === name)?.values);
  return low && high ? {low, high} : null;
}

// What a plot about this metric shows, by the side on which it has its axis: the scores of models, and over them the
// metric, or the one with the most noteworthy frames where it is a score itself.
function curveSides({metrics}, metric) {
  const leads = metrics.filter(({info}) => info.leads);
  if (!leads.length) return {left: [metric], right: []};
  const left = leads.length < kMostLines ? leads : [metric.info.leads ? metric : leads[0]];
  if (metric.info.leads) {
    const others = metrics.filter(({info}) => !info.leads && info.better !== 'neither' && info.noteworthy !== null);
    return {left, right: mostNoteworthy(others).slice(0, 1)};
  }
  const isOfScores = metric.info.subject === left[0].info.subject && metric.info.usual_top === left[0].info.usual_top;
  return isOfScores && metric.info.better === left[0].info.better ? {left: [...left, metric], right: []} : {left, right: [metric]};
}

// The metrics that a model scores from; of a report that does not name them all that may be.
function inputsOf(report, {metrics}, metric) {
  const model = report.run?.models?.find(({name}) => name === metric.name);
  if (model) return metrics.filter(({name}) => model.metrics.includes(name));
  const leads = metrics.filter(({info}) => info.leads);
  const isOfModel = ({name}) => leads.some((lead) => lead.name === name || name.startsWith(`${lead.name}_`));
  return metrics.filter((one) => one.info.known && !one.info.is_detail && !isOfModel(one));
}

// For a score of a model, what its features are in a frame, given by its position: {name, value, median, share}, those first
// that are worst beside other frames. `share`: of the frames in which the feature is better; null where no side is. Null for
// any other metric.
function reasonsOf(report, columns, metric) {
  if (!metric.info.leads) return null;
  const inputs = inputsOf(report, columns, metric).map((one) => ({...one, sorted: one.values.filter(isNumber).sort((a, b) => a - b)}));
  if (!inputs.length) return null;
  return (frame) => {
    const at = columns.frames.indexOf(frame);
    const reasons = inputs.map((one) => ({
      name: shownName(one, columns), fullName: one.name, value: score(one.values[at], one.info), median: score(one.sorted[one.sorted.length >> 1], one.info),
      share: betterShare(one, one.values[at])}));
    return reasons.sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  };
}

function betterShare({info, sorted}, value) {
  if (info.better === 'neither' || !isNumber(value) || !sorted.length) return null;
  const isBetter = higherIsBetter(info) ? (other) => other > value : (other) => other < value;
  return sorted.filter(isBetter).length / sorted.length;
}

// Under a small picture: what stands out in the frame; null where nothing does.
function reasonsLine(reasons) {
  const names = reasons.filter(({share}) => share >= kStandsOut).slice(0, kMostNamed).map(({name}) => name);
  return names.length ? el('span', {className: 'number'}, `Stands out: ${names.join(', ')}`) : null;
}

function reasonsTable(reasons) {
  const rows = reasons.map(({name, fullName, value, median, share}) => el('tr', {className: share >= kStandsOut ? 'noteworthy' : ''},
    el('th', {scope: 'row', title: fullName}, ...breakable(name)), el('td', {}, value), el('td', {}, median),
    el('td', {}, share === null ? kUnknown : `${Math.floor(100 * share)}\u202f% of frames`)));
  const head = ['What the score is made of', 'Here', 'Median', 'Worse than'].map((text) => el('th', {scope: 'col'}, text));
  return el('table', {className: 'reasons'}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows));
}
