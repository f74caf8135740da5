// Statistics in tables, and what they mean.

// A word that is explained at the end of the page.
const term = (key, text) => el('a', {className: 'term', href: `#about-${key}`}, text);

function statisticCell(statistic, pooled, info) {
  const value = pooled?.[statistic.name];
  return el('td', exactly(value, info), (statistic.is_mean ? meanScore : score)(value, info));
}

const noteworthyText = ({info, values}) => (info.noteworthy === null ? kUnknown
  : `${count(countNoteworthy(info, values))} (${percent(countNoteworthy(info, values), values.length)})`);

// The statistics that the report has, in the order of `about`.
const pooledStatistics = (report, about) => about.statistics.filter(({name}) => (
  Object.values(report.pooled_metrics).some((pooled) => name in pooled)));

// A column a metric.
function statisticsTable(report, about, columns) {
  const head = el('tr', {}, el('th', {scope: 'col'}, 'Statistic'));
  for (const metric of columns.metrics) head.append(el('th', {scope: 'col', className: 'metric'}, ...breakable(labelOf(metric.name, metric.info))));
  const body = el('tbody');
  const row = (name, cells) => body.append(el('tr', {}, el('th', {scope: 'row'}, name), ...cells));
  for (const statistic of pooledStatistics(report, about)) {
    row(term(statistic.name, statistic.title),
      columns.metrics.map((metric) => statisticCell(statistic, report.pooled_metrics[metric.name], metric.info)));
  }
  const marked = columns.metrics.filter(({info}) => info.noteworthy !== null);
  if (marked.length) {
    const titles = new Set(marked.map(({info}) => noteworthyTitle(info)));
    const title = ({info}) => (titles.size === 1 || info.noteworthy === null ? '' : `${noteworthyTitle(info)}: `);
    row(term('share', titles.size === 1 ? [...titles][0] : 'Noteworthy frames'),
      columns.metrics.map((metric) => el('td', {}, title(metric) + noteworthyText(metric))));
  }
  return scrollable('Statistics', {}, el('thead', {}, head), body);
}

// What a row of many metrics tells. Scores of models are bad where they are low, and are often told by their harmonic mean.
const kOfMany = ['mean', 'stdev', 'min', 'p50', 'p95', 'p99', 'max'];
const kBesideScores = ['mean', 'harmonic_mean', 'stdev', 'min', 'p5', 'p50', 'p95', 'max'];

function statisticsOfMany(about, columns) {
  const names = columns.metrics.some(({info}) => info.leads) ? kBesideScores : kOfMany;
  return names.map((wanted) => about.statistics.find(({name}) => name === wanted)).filter(Boolean);
}

// A row a metric, where there are many. Details have theirs when they are asked for.
function metricsTable(report, about, columns) {
  const shown = statisticsOfMany(about, columns);
  const row = (metric) => el('tr', {}, el('th', {scope: 'row', className: 'metric', title: metric.name}, ...breakable(labelOf(metric.name, metric.info))),
    ...shown.map((statistic) => statisticCell(statistic, report.pooled_metrics[metric.name], metric.info)),
    el('td', {}, noteworthyText(metric)));
  const isFolded = ({info}) => info.is_detail && columns.metrics.some((other) => other.info.leads);
  const details = columns.metrics.filter(isFolded);
  const body = el('tbody', {}, ...columns.metrics.filter((metric) => !isFolded(metric)).map(row));
  const more = button(`Show ${plural(details.length, 'more metric')}`, () => {
    more.remove();
    body.append(...details.map(row));
  }, {className: 'more'});
  const head = [el('th', {scope: 'col'}, 'Metric'), ...shown.map(({name, title}) => el('th', {scope: 'col'}, term(name, title))),
    el('th', {scope: 'col'}, term('share', 'Noteworthy frames'))];
  const table = scrollable('Statistics', {className: 'metrics'}, el('thead', {}, el('tr', {}, ...head)), body);
  return details.length ? el('div', {}, table, more) : table;
}
