// What belongs to the score of a model: the line that is drawn over it, the interval it lies in, and which of its features
// explain a bad frame.

const kStandsOut = 0.9;  // worse than so many of the frames
const kOfModel = ' (model)';  // behind the label of what a model has with options of its own
const kMostNamed = 2;    // features under a small picture

// What a metric is called where there is little room: by its title, if no other has it.
function shownName({name, info}, columns) {
  const ofModel = labelOf(name, info).endsWith(kOfModel);
  const same = (columns.all ?? columns.metrics).filter((other) => other.info.title === info.title);
  return info.known && same.length === 1 && info.title ? info.title + (ofModel ? kOfModel : '') : labelOf(name, info);
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
    const others = metrics.filter(({info}) => !info.leads && info.better !== 'neither' && info.noteworthy !== null && !info.reference_of && !info.excess_of);
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
      name: shownName(one, columns), subject: one.info.subject, fullName: one.name, value: score(one.values[at], one.info), median: score(one.sorted[one.sorted.length >> 1], one.info),
      share: betterShare(one, one.values[at])}));
    return reasons.sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  };
}

function betterShare({info, sorted}, value) {
  if (info.better === 'neither' || !isNumber(value) || !sorted.length) return null;
  const isBetter = higherIsBetter(info) ? (other) => other > value : (other) => other < value;
  return sorted.filter(isBetter).length / sorted.length;
}

// Of what a model scores from, what is worst in the frames at these positions: {name, info, share}, the last on average of the
// frames in which it is better. Null where nothing stands out, as where these are all frames.
function worstInput(report, columns, metric, positions) {
  const kTelling = 0.6;
  const shares = inputsOf(report, columns, metric).map((one) => {
    const sorted = {...one, sorted: one.values.filter(isNumber).sort((a, b) => a - b)};
    return {name: shownName(one, columns), info: one.info, share: meanOf(positions.map((at) => betterShare(sorted, one.values[at]) ?? 0))};
  });
  const [worst] = shares.sort((a, b) => b.share - a.share);
  return worst && worst.share >= kTelling ? worst : null;
}

// What to do about low scores of a model, as adviceSection() takes it; null where none is low.
function scoreAdvice(report, columns, metric) {
  const {info, values} = metric;
  const low = values.map((_, i) => i).filter((i) => isNoteworthy(info, values[i]));
  if (!info.leads || !low.length) return null;
  const subject = `low ${shownName(metric, columns)}`;
  const longest = segmentLists(report).filter((one) => one.metric === metric.name).flatMap(({list}) => list)
    .reduce((most, one) => (most && segmentFrames(most) >= segmentFrames(one) ? most : one), null);
  const at = low.reduce((worst, i) => (values[i] < values[worst] ? i : worst));
  const place = (one) => (isTimed(one) ? `${timecode(one.start)} to ${timecode(one.end)}, ` : '') + `frames ${count(one.first)} to ${count(one.last)}`;
  const remedies = [{title: 'Look at the frames that are low',
    text: `${framesOf(low.length, values.length)} score ${info.noteworthy} or less, the lowest of them frame ${count(columns.frames[at])}. `
      + (longest ? `The longest stretch that is low on average: ${place(longest)}.` : 'They are few or far apart: no stretch is low on average.')}];
  const worst = worstInput(report, columns, metric, low);
  if (worst) {
    remedies.push({title: `${worst.name} is to blame`, text: `In the frames that are low it is worse than in ${Math.floor(100 * worst.share)}\u202f% of all frames on average, `
      + `more than anything else the score is made of. ${worst.info.explanation}`.trim()});
  }
  remedies.push(low.length / values.length >= 0.5 ? {title: 'Raise the quality of the whole video',
    text: 'Most of the film is low: lower the CRF, raise the bit rate, or use a slower preset.'}
    : {title: 'Spend more bits where it is low', text: 'cambi report REPORT.json --segments-output x264:FILE writes the segments as zones, for x265, Av1an and SVT-AV1-Essential as '
      + 'well. That costs less than a lower CRF for the whole video.'});
  if (['poor', 'bad'].includes(gradeOf(info, meanOf(values)))) {
    remedies.push({title: 'Check that the videos belong together', text: 'So low a score is often that of frames that are not the same, or of pictures with other borders or '
      + 'another range. cambi align REFERENCE VIDEO tells.'});
  }
  return {subject, remedies};
}

// What stands out in a frame, in a few words: "detail loss (ADM3)"; empty where nothing does.
function reasonsText(reasons) {
  const named = reasons.filter(({share}) => share >= kStandsOut).slice(0, kMostNamed);
  const subjects = [...new Set(named.map(({subject}) => subject))];
  return subjects.map((subject) => {
    const names = named.filter((one) => one.subject === subject).map(({name}) => name.replace(kOfModel, '')).join(', ');
    return !subject || names.toLowerCase() === subject ? names : `${subject} (${names})`;
  }).join(', ');
}

function reasonsTable(reasons) {
  const rows = reasons.map(({name, fullName, value, median, share}) => el('tr', {className: share >= kStandsOut ? 'noteworthy' : ''},
    el('th', {scope: 'row', title: fullName}, ...breakable(name)), el('td', {}, value), el('td', {}, median),
    el('td', {}, share === null ? kUnknown : `${Math.floor(100 * share)}\u202f% of frames`)));
  const head = ['What the score is made of', 'Here', 'Median', 'Worse than'].map((text) => el('th', {scope: 'col'}, text));
  return el('table', {className: 'reasons'}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows));
}
