// Statistics in tables, and what they mean.

// A word that is explained at the end of the page.
const term = (key, text) => el('a', {className: 'term', href: `#about-${key}`}, text);

const statisticText = (statistic, pooled, info) => (statistic.is_mean ? meanScore : score)(pooled?.[statistic.name], info);

const noteworthyText = ({info, values}) => (info.noteworthy === null ? kUnknown
  : `${count(countNoteworthy(info, values))} (${percent(countNoteworthy(info, values), values.length)})`);

// The statistics that the report has, in the order of `about`.
const pooledStatistics = (report, about) => about.statistics.filter(({name}) => (
  Object.values(report.pooled_metrics).some((pooled) => name in pooled)));

// A column a metric.
function statisticsTable(report, about, columns) {
  const head = el('tr', {}, el('th', {scope: 'col'}, 'Statistic'));
  for (const metric of columns.metrics) head.append(el('th', {scope: 'col', className: 'metric'}, ...breakable(metric.name)));
  const body = el('tbody');
  const row = (name, cells) => body.append(el('tr', {}, el('th', {scope: 'row'}, name), ...cells.map((cell) => el('td', {}, cell))));
  for (const statistic of pooledStatistics(report, about)) {
    row(term(statistic.name, statistic.title),
      columns.metrics.map((metric) => statisticText(statistic, report.pooled_metrics[metric.name], metric.info)));
  }
  const marked = columns.metrics.filter(({info}) => info.noteworthy !== null);
  if (marked.length) {
    const titles = new Set(marked.map(({info}) => noteworthyTitle(info)));
    const title = ({info}) => (titles.size === 1 || info.noteworthy === null ? '' : `${noteworthyTitle(info)}: `);
    row(term('share', titles.size === 1 ? [...titles][0] : 'Noteworthy frames'),
      columns.metrics.map((metric) => title(metric) + noteworthyText(metric)));
  }
  return el('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Statistics'}, el('table', {}, el('thead', {}, head), body));
}

// A row a metric, where there are many.
function metricsTable(report, about, columns) {
  const shown = pooledStatistics(report, about).filter(({name}) => !['harmonic_mean', 'p90'].includes(name));
  const body = el('tbody', {}, ...columns.metrics.map((metric) => (
    el('tr', {}, el('th', {scope: 'row', className: 'metric'}, ...breakable(metric.name)),
      ...shown.map((statistic) => el('td', {}, statisticText(statistic, report.pooled_metrics[metric.name], metric.info))),
      el('td', {}, noteworthyText(metric))))));
  const head = [el('th', {scope: 'col'}, 'Metric'), ...shown.map(({name, title}) => el('th', {scope: 'col'}, term(name, title))),
    el('th', {scope: 'col'}, term('share', 'Noteworthy frames'))];
  return el('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Statistics'},
    el('table', {className: 'metrics'}, el('thead', {}, el('tr', {}, ...head)), body));
}
