// What is known of several runs in one table, and what is the same in all of them in one sentence.

// A run as the plot shows it.
const runLabel = (one, name, path = '') => el('span', {className: 'run-name', title: path}, swatch(one), el('span', {}, ...breakable(name)));

const videoOf = (report) => report.run?.inputs?.find(({role}) => role === 'distorted');
const referenceOf = (report) => report.run?.inputs?.find(({role}) => role === 'reference');

// "crf=18.0 aq=1:1.00 no-sao" as names and values.
function settingsOf(text) {
  return new Map((text ?? '').split(/\s+/).filter(Boolean).map((word) => {
    const at = word.indexOf('=');
    return at < 0 ? [word, 'yes'] : [word.slice(0, at), word.slice(at + 1)];
  }));
}

// Encoders of one family have settings of the same names.
const familyOf = (encoder) => (encoder ?? '').split(/[\s(-]/)[0];

// Names of settings in which runs of one family differ, those that say most first.
function differingSettings(videos) {
  const families = new Map();
  for (const video of videos.filter(Boolean)) {
    const family = familyOf(video.encoder);
    families.set(family, [...(families.get(family) ?? []), video]);
  }
  const names = new Set();
  for (const members of families.values()) {
    const settings = members.map((video) => settingsOf(video.encoder_settings));
    const all = new Set(settings.flatMap((one) => [...one.keys()]));
    for (const name of all) {
      if (new Set(settings.map((one) => one.get(name))).size > 1) names.add(name);
    }
  }
  const weight = (name) => ['crf', 'qp', 'bitrate', 'preset'].indexOf(name) + 1 || 9;
  return [...names].sort((a, b) => weight(a) - weight(b));
}

// [property, the text for each run]; unknown ones are empty.
function runProperties(about, reports) {
  const videos = reports.map(videoOf);
  const of = (list, text) => list.map((one) => (one ? text(one) : ''));
  const videoText = (text) => of(videos, text);
  const rows = [
    ['File', about.runs.map(({path}) => path)],
    ['Video', videoText(({path}) => path)],
    ['Codec', videoText(({codec}) => codec)],
    ['Picture', videoText(({width, height}) => `${width}\u00d7${height}`)],
    ['Bit depth', videoText(({bit_depth: depth}) => `${depth} bit`)],
    ['Chroma', videoText(({chroma}) => chroma)],
    ['Range', videoText(({range}) => known(range))],
    ['Transfer', videoText(({transfer}) => known(transfer))],
    ['Matrix', videoText(({matrix}) => known(matrix))],
    ['Frame rate', videoText(({frame_rate: rate}) => (isNumber(rate) ? `${Number(rate.toFixed(3))} fps` : ''))],
    ['Duration', videoText(({duration}) => (isNumber(duration) ? timecode(duration) : ''))],
    ['Frames read', videoText(({frames}) => count(frames))],
    ['Bit rate', videoText(({bit_rate: rate, bit_rate_of: whose}) => (isNumber(rate) ? `${rateText(rate)}${whose === 'file' ? ' (of the file)' : ''}` : ''))],
    ['File size', videoText(({file_bytes: bytes}) => (isNumber(bytes) ? `${count(bytes)} bytes` : ''))],
    ['Encoder', videoText(({encoder}) => encoder ?? '')],
    ...differingSettings(videos).map((name) => [name, videoText((video) => settingsOf(video.encoder_settings).get(name) ?? '')]),
    ['Reference', of(reports.map(referenceOf), ({path}) => path)],
    ['Scored area', of(reports, ({run}) => (run?.crop ? cropText(run.crop) : ''))],
    ['Program', reports.map(({version, run}) => (run ? `cambi ${version}` : version ?? ''))],
    ['Notes', of(reports, ({run}) => (run?.notes ?? []).join(', '))],
  ];
  const samePath = rows[0][1].every((path, i) => path === rows[1][1][i]);
  return (samePath ? rows.slice(1) : rows).filter(([, texts]) => texts.some(Boolean));
}

function runTable(about, reports, series) {
  const rows = runProperties(about, reports);
  const isSame = ([, texts]) => texts.every((text) => text === texts[0]);
  const same = rows.filter(isSame);
  const head = el('tr', {}, el('th', {scope: 'col'}, ''),
    ...about.runs.map(({name}, i) => el('th', {scope: 'col'}, runLabel(series[i], name))));
  const body = el('tbody', {}, ...rows.filter((row) => !isSame(row)).map(([property, texts]) => (
    el('tr', {}, el('th', {scope: 'row'}, property), ...texts.map((text) => el('td', {}, text || kUnknown))))));
  body.append(el('tr', {className: 'downloads'}, el('th', {scope: 'row'}, 'Report'),
    ...about.runs.map(({name}, i) => el('td', {}, button('Download JSON', () => downloadReport(about, i), {ariaLabel: `Download JSON of ${name}`})))));
  const sentence = same.map(([property, [text]]) => `${property.toLowerCase()} ${text}`).join(', ');
  return el('div', {}, scrollable('Facts of the runs', {className: 'facts'}, el('thead', {}, head), body),
    same.length ? el('p', {className: 'same note'}, `The same in all: ${sentence}.`) : null);
}
