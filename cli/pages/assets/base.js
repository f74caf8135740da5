// What every part of the page uses: elements, numbers, times and colours.

// An element with properties and children. Text is always text, so that no name can bring markup with it.
function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  return fill(node, ...children);
}

// Appends what there is: absent children are left out.
function fill(node, ...children) {
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// The same in a drawing.
function svgNode(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return fill(node, ...children);
}

const kUnknown = '\u2013';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
// With the decimals that say something of this metric; statistics that lie between scores may have more.
const kEndless = '\u221e';
const rounded = (value, info, decimals) => (value === Infinity ? kEndless : !isNumber(value) ? kUnknown
  : isNumber(info?.limit) && value >= info.limit ? `\u2265\u00a0${info.limit}` : value.toFixed(decimals));
const score = (value, info) => rounded(value, info, info?.decimals ?? 3);
const meanScore = (value, info) => rounded(value, info, info?.mean_decimals ?? 3);
// A property for what shows a score with fewer decimals than there are: all of them, in its tooltip.
const exactly = (value, info) => (isNumber(value) && info?.exact_decimals > info?.mean_decimals ? {title: value.toFixed(info.exact_decimals)} : {});
const count = (value) => value.toLocaleString('en-US');
const percent = (part, whole) => `${(100 * part / whole).toFixed(1)}\u202f%`;
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

// h:mm:ss.cc, cut and not rounded, so that seeking there never goes past the frame.
function timecode(seconds, decimals = 2) {
  const unit = 10 ** decimals;
  const units = Math.floor(Math.abs(seconds) * unit + 3e-4);
  const two = (value) => String(value).padStart(2, '0');
  const whole = Math.floor(units / unit);
  const text = `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  const fraction = decimals ? `.${String(units % unit).padStart(decimals, '0')}` : '';
  return (seconds < 0 && units > 0 ? '-' : '') + text + fraction;
}

// Loops, because spreading a long array over arguments overflows the stack.
function largest(values) {
  let most = -Infinity;
  for (const value of values) if (isNumber(value) && value > most) most = value;
  return most;
}

function smallest(values) {
  let least = Infinity;
  for (const value of values) if (isNumber(value) && value < least) least = value;
  return least;
}

// What the page knows of a metric (`info`): see described_metrics() of the program.
const kUnknownMetric = {label: '', title: '', purpose: '', unit: '', subject: '', better: 'neither', flawless: null, noteworthy: null, meaning: '',
  grades: [], explanation: '', usual_top: 0, limit: null, decimals: 3, mean_decimals: 3, exact_decimals: 3, reference_of: '', excess_of: '', known: false, leads: false, is_detail: false, is_inner: false, interval: null, figures: []};
// What it is called where there is little room.
const labelOf = (name, info) => info?.label || name;
const higherIsBetter = (info) => info.better === 'higher';
const isNoteworthy = (info, value) => isNumber(value) && info.noteworthy !== null &&
  (higherIsBetter(info) ? value <= info.noteworthy : value >= info.noteworthy);

// The word for a score; empty where the metric has none.
function gradeOf(info, value) {
  const holds = ({from}) => (higherIsBetter(info) ? value <= from : value >= from);
  return info.grades.findLast(holds)?.word ?? (info.grades[0]?.word ?? '');
}

// The word for scores that are just not noteworthy.
const gradeAbove = (info) => info.grades[info.grades.findIndex(({from}) => from === info.noteworthy) - 1]?.word ?? '';

// What is graded is annoying from some score on; of the rest that is less sure.
const becomes = (info) => (info.grades.length ? 'becomes' : 'may be');

function countNoteworthy(info, values) {
  let found = 0;
  for (const value of values) if (isNoteworthy(info, value)) ++found;
  return found;
}

// What the levels and words of metrics do not hold for: they were found with SDR.
const kHdrTransfers = {pq: 'PQ', hlg: 'HLG'};
const hdrOf = ({run}) => run?.inputs?.map(({transfer}) => kHdrTransfers[transfer]).find(Boolean) ?? '';
const hdrWords = (reports) => { const hdr = reports.map(hdrOf).find(Boolean); return hdr ? `This video is HDR (${hdr})` : ''; };
const isUnjudged = (info, transfer) => !info.judges_hdr && transfer in kHdrTransfers;
const withoutLevels = (info) => ({...info, flawless: null, noteworthy: null, meaning: '', grades: []});

// Facts and advice of metrics for these reports: on HDR nothing that judges by SDR.
const judgedBySdr = (about, reports) => (!reports.some(hdrOf) ? about : {...about, advice: [],
  metrics: Object.fromEntries(Object.entries(about.metrics).map(([name, info]) => [name, info.judges_hdr ? info : withoutLevels(info)]))});

// The first thing on a page about HDR. `hdr`: which video is what; null where none is. `metrics`: those it is about.
function hdrNode(hdr, metrics) {
  const unjudged = metrics.filter(({info}) => !info.judges_hdr);
  if (!hdr || !unjudged.length) return null;
  const names = [...new Set(unjudged.map(({name, info}) => info.title || name))].join(' and ');
  const [were, them] = names.includes(' and ') ? ['were', 'them'] : ['was', 'it'];
  return el('section', {className: 'top hdr'}, verdictBox('bad', '!', `${names} ${were} made for SDR: compare only encodes of one source`,
    `${hdr}, and HDR gets no verdict by ${them}: the words for quality, and the levels from which on flaws are visible, hold for SDR.`));
}

const noteworthyTitle = (info) => `Frames ${higherIsBetter(info) ? '\u2264' : '\u2265'} ${info.noteworthy}`;
// Where plots of scores end at least: what is noteworthy is in sight.
const plotTop = (info, highest) => Math.max(info.noteworthy === null ? 0 : 1.2 * info.noteworthy, highest);
const capital = (words) => words.slice(0, 1).toUpperCase() + words.slice(1);

const baseName = (path) => path.replace(/[/\\]+$/, '').replace(/^.*[/\\]/, '') || path;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The text that packed_text() of the program packed.
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).text();
}

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
  const link = el('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A score's word, with what it is of unless the word says that: "good quality", but "high quality" of a distortion.
const gradeWords = (info, value) => `${gradeOf(info, value)}${info.subject === 'distortion' ? '' : ` ${info.subject}`}`;

// A few choices of which one holds: native radio buttons, so that arrow keys work.
let choices = 0;
function chooser(label, options, chosen, onChange) {
  const name = `choice${++choices}`;
  const group = el('fieldset', {className: 'chooser'}, el('legend', {className: 'hidden'}, label));
  for (const [value, text] of options) {
    const input = el('input', {type: 'radio', name, value, checked: value === chosen});
    input.addEventListener('change', () => onChange(value));
    group.append(el('label', {}, input, el('span', {}, text)));
  }
  return group;
}

// The same for many choices: [title, options] of each group.
function menu(label, groups, chosen, onChange) {
  const list = el('select', {ariaLabel: label}, ...groups.map(([title, options]) => el('optgroup', {label: title},
    ...options.map(([value, text]) => el('option', {value, selected: value === chosen}, text)))));
  list.addEventListener('change', () => onChange(list.value));
  return el('label', {className: 'menu'}, el('span', {}, label), list);
}

// A name that may break after each underscore.
const breakable = (name) => name.split(/(?<=_)/).flatMap((part) => [part, el('wbr')]);

function button(text, onClick, properties = {}) {
  const node = el('button', {type: 'button', ...properties}, text);
  node.addEventListener('click', onClick);
  return node;
}

// A button that stays down, which `onChange` is told of.
const isDown = (node) => node.ariaPressed === 'true';
function lever(onChange, properties, ...children) {
  const node = button('', () => {
    node.ariaPressed = String(!isDown(node));
    onChange(isDown(node));
  }, {className: 'lever', ariaPressed: 'false', ...properties});
  return fill(node, ...children);
}

// A table that scrolls by itself where it is wider than the window, under the name of what it belongs to.
const scrollable = (label, properties, ...parts) => el('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: label}, el('table', properties, ...parts));

// A judgement: its sign repeats its kind without colour.
const verdictBox = (kind, sign, title, text) => el('div', {className: `verdict ${kind}`}, sign ? el('span', {className: 'sign', ariaHidden: 'true'}, sign) : '',
  el('div', {className: 'words'}, el('p', {className: 'title'}, title), el('p', {}, text)));

function section(title, note, ...children) {
  const heading = el('div', {className: 'heading'}, el('h2', {}, title), note && el('p', {className: 'note'}, note));
  return el('section', {}, heading, ...children);
}
