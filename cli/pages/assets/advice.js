// What can be done about the scores, and what the words of the page mean.

function adviceSection(advice) {
  if (!advice.length) return null;
  const lists = advice.map(({subject, remedies}) => el('div', {},
    advice.length > 1 ? el('h3', {}, `Against ${subject}`) : null,
    el('ol', {className: 'advice'}, ...remedies.map(({title, text}) => el('li', {}, el('b', {}, title), el('p', {}, text))))));
  return section('What to do next', `Against ${advice.map(({subject}) => subject).join(' and ')}, the first thing first.`, ...lists);
}

// What a metric measures, and from where on its scores are worth telling.
function metricMeaning(info) {
  const side = {lower: 'Lower is better.', higher: 'Higher is better.', neither: 'Neither side is better.'}[info.better];
  const level = info.noteworthy === null || !info.meaning ? ''
    : ` ${higherIsBetter(info) ? 'Down to' : 'From'} ${info.noteworthy}${higherIsBetter(info) ? '' : ' on'}: ${info.meaning}.`;
  return `${info.explanation || `${capital(info.title)}${info.unit ? ` in ${info.unit}` : ''}.`} ${side}${level}`;
}

function paperNode({citation, doi}) {
  if (!citation) return null;
  return el('p', {}, `${citation}. `, doi ? el('a', {href: `https://doi.org/${doi}`, rel: 'noreferrer'}, `doi:${doi}`) : null);
}

// Metrics that are explained in the same words are explained together. The parts of what models score from are left out.
function metricEntries(columns) {
  const entries = new Map();
  for (const {name, info} of columns.metrics) {
    if (!info.known || (info.is_inner && info.is_detail)) continue;
    const meaning = metricMeaning(info);
    const entry = entries.get(meaning) ?? {names: [], isInner: true};
    entries.set(meaning, {names: [...entry.names, labelOf(name, info)], isInner: entry.isInner && info.is_inner});
  }
  return [...entries].map(([meaning, {names, isInner}]) => [names.join(', '), meaning, isInner]);
}

function glossarySection(report, about, columns) {
  const list = el('dl', {className: 'glossary'});
  const entry = (key, name, ...meaning) => list.appendChild(el('div', {id: key ? `about-${key}` : ''}, el('dt', {}, name), el('dd', {}, ...meaning)));
  for (const [names, meaning, isInner] of metricEntries(columns)) entry('', names, meaning).classList.toggle('inner', isInner);
  // Percentiles are alike but for a number: one entry, to which the words of all lead.
  const isPercentile = ({name}) => /^p\d+$/.test(name) && name !== 'p50';
  const percentiles = about.statistics.filter(isPercentile);
  for (const one of about.statistics.filter((other) => !isPercentile(other) || other === percentiles[0])) {
    const others = one === percentiles[0] ? percentiles.slice(1) : [];
    entry(one.name, [one, ...others].map(({title}) => title).join(', '), one.meaning, others.length ? ' The others alike.' : '',
      ...others.map(({name}) => el('span', {id: `about-${name}`})));
  }
  if (Object.keys(report.worst ?? {}).length) {
    entry('moments', 'Worst moments', 'The worst frame of each scene, the worst first. Where there are few scenes, or nobody looked for them, also frames that are '
      + 'worse than all others of their scene within a second: the neighbours of a bad frame look as bad, and are no news.');
  }
  if (report.run?.repeated_frames) {
    entry('repeats', 'Repeated frames', 'Frames whose picture is that of the frame before, sample by sample. They have its score; it is not computed again.');
  }
  const papers = Object.values(about.features ?? {}).map(paperNode).filter((node) => node !== null);
  if (papers.length) entry('', papers.length > 1 ? 'Published in' : 'Published as', ...papers).classList.add('papers');
  const details = el('details', {className: 'facts', id: 'words'}, el('summary', {}, 'Metrics and statistics explained'), list);
  // A link to a word opens the list that holds it, before it is followed.
  addEventListener('click', ({target}) => { if (target instanceof Element && target.matches('a.term')) details.open = true; }, true);
  details.open = location.hash.startsWith('#about-');
  return section('What the words mean', null, details);
}
