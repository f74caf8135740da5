// What the program says about rate and quality beside the plot: differences of curves, rates at a target, a ladder.

const sizeWords = ({width, height}) => `${width}\u00d7${height}`;
const signed = (text, value) => (value > 0 ? `+${text}` : text.replace('-', '\u2212'));
const kilobits = (rate) => count(Math.round(rate / 1000));

function rateTable(label, columns, rows) {
  return el('div', {className: 'rate-part'}, el('h3', {}, label), sortableTable({className: 'rated', label,
    columns: columns.map(({cell, ...column}) => ({...column, cell: (i) => cell(rows[i])})), rows: rows.length}));
}

// By each metric that was asked for: those that the ranking's own choice has, whichever metric is looked at.
function differencesTable({about, rates: own}) {
  const rates = about.choices[0].rates ?? own;
  if (!rates.shows_differences) return null;
  const name = ({curve}) => rates.curves[curve].name;
  const of = ({metric}) => about.metrics[metric] ?? kUnknownMetric;
  const isOfPictures = rates.cost === 'file_bytes';
  const range = ([low, high], text) => `${text(low)} to ${text(high)}`;
  return rateTable(`Difference from ${rates.anchor}`, [
    {title: 'Curve', className: 'text', isName: true, cell: name},
    {title: 'Against', className: 'text', cell: ({anchor}) => (anchor === null ? kUnknown : rates.curves[anchor].name)},
    {title: 'Metric', className: 'text', cell: (row) => labelOf(row.metric, of(row))},
    {title: 'BD-rate', cell: ({bd_rate: rate}) => (rate === null ? kUnknown : signed(`${rate.toFixed(2)}\u202f%`, rate))},
    {title: 'BD-score', cell: (row) => (row.bd_score === null ? kUnknown : signed(row.bd_score.toFixed(Math.max(2, of(row).mean_decimals)), row.bd_score))},
    {title: 'Over', className: 'text', cell: (row) => (row.scores === null ? row.why_not
      : `${range(row.scores, (value) => meanScore(value, of(row)))}, ${isOfPictures ? range(row.rates, sizeText) : `${range(row.rates, kilobits)} kbit/s`}`)},
  ], rates.differences);
}

function targetTable({rates, info, metric, isOfPictures}) {
  if (!rates.target) return null;
  return rateTable(`${isOfPictures ? 'Sizes' : 'Bit rates'} at ${labelOf(metric, info)} ${rates.target.value}, interpolated`, [
    {title: 'Curve', className: 'text', isName: true, cell: ({curve}) => rates.curves[curve].name},
    ...(isOfPictures ? [] : [{title: 'kbit/s', cell: ({bit_rate: rate}) => (rate === null ? kUnknown : kilobits(rate))}]),
    {title: 'Size', cell: ({file_bytes: bytes}) => sizeText(bytes)},
    {title: 'Of the source', cell: ({share_of_source: share}) => (share === null ? kUnknown : percent(share, 1))},
    {title: 'Between', className: 'text', cell: ({around}) => around},
  ], rates.target.curves);
}

function ladderTable({rates, info, metric, runs, points, isOfPictures}) {
  if (!rates.ladder.length) return null;
  return rateTable('Ladder', [
    {title: 'Encoder', className: 'text', isName: true, cell: ({encoder}) => encoder},
    {title: isOfPictures ? 'Picture' : 'Size', cell: sizeWords},
    {title: isOfPictures ? 'Size' : 'kbit/s', cell: ({run}) => (run === null ? kUnknown : (isOfPictures ? sizeText : kilobits)(points[run].rate))},
    {title: labelOf(metric, info), cell: ({run}) => (run === null ? kUnknown : meanScore(points[run].value, info))},
    {title: 'Run', className: 'text', cell: ({run, why_not: why}) => (run === null ? why : runs[run].name)},
  ], rates.ladder);
}

// The section about rate and quality; null where rates are not known.
function ratesSection(choice) {
  if (!choice.rates) return null;
  const tables = [differencesTable(choice), targetTable(choice), ladderTable(choice)].filter(Boolean);
  const notes = [tables.length && choice.rates.shows_differences
    ? 'BD-rate: average difference of the bits at equal score, negative where fewer bits do (Bj\u00f8ntegaard, piecewise cubic interpolation). BD-score: that of the score at equal bits.' : '',
  choice.rates.ladder.length ? 'The ladder has the best run of each size on its encoder\u2019s hull.' : ''].filter(Boolean);
  return section(choice.isOfPictures ? 'Score and size' : 'Score and bit rate', null, new RatePlot(choice).node, ...tables,
    notes.length ? el('p', {className: 'note'}, notes.join(' ')) : null);
}
