// Histograms of samples: of the worst frames, of the whole run, and the levels of every frame.

const kLevelsWidth = 256;
const kLevelsHeight = 88;
const kChannelColours = {y: 'c4', l: 'c4', r: 'c1', g: 'c2', b: 'c0', cb: 'c0', cr: 'c1'};
const channelColour = (name, i) => kChannelColours[name] ?? `c${i % kColours}`;
const channelTitle = (name) => ({cb: 'Cb', cr: 'Cr', l: 'luminance'}[name] ?? name.toUpperCase());

const shareText = (share) => (share > 0 && share < 0.0001 ? '<\u202f0.01\u202f%' : `${(100 * share).toFixed(2)}\u202f%`);

// What is clipped of each channel, in words; empty where nothing is.
function clippedText(histograms, channels) {
  const parts = histograms.flatMap(({clipped: [low, high]}, i) => [
    low > 0 ? `${channelTitle(channels[i].name)} ${shareText(low)} low` : null,
    high > 0 ? `${channelTitle(channels[i].name)} ${shareText(high)} high` : null]).filter((part) => part !== null);
  return parts.length ? `Clipped: ${parts.join(', ')}` : '';
}

// A line for each channel. Heights are square roots of shares: a single level that many samples have leaves the others to
// be seen. The ends that hold clipped samples have the colour of a warning where there are any.
function levelsDrawing(histograms, channels) {
  const peak = Math.sqrt(Math.max(1, ...histograms.map(({shares}) => largest(shares))));
  const low = Math.max(...channels.map((channel) => channel.low));
  const high = Math.min(...channels.map((channel) => channel.high));
  const end = (from, to, clipped) => svgNode('rect', {x: from * kLevelsWidth, y: 0, width: (to - from) * kLevelsWidth,
    height: kLevelsHeight, class: clipped ? 'end clipped' : 'end'});
  const lines = histograms.map(({shares}, i) => {
    const step = kLevelsWidth / shares.length;
    const points = shares.map((share, k) =>
      `${((k + 0.5) * step).toFixed(1)},${(kLevelsHeight - 1 - Math.sqrt(share) / peak * (kLevelsHeight - 6)).toFixed(1)}`);
    const line = svgNode('polyline', {points: points.join(' '), 'vector-effect': 'non-scaling-stroke'});
    line.style.stroke = `var(--${channelColour(channels[i].name, i)})`;
    return line;
  });
  const words = clippedText(histograms, channels) || 'Nothing is clipped';
  return svgNode('svg', {class: 'levels', viewBox: `0 0 ${kLevelsWidth} ${kLevelsHeight}`, preserveAspectRatio: 'none',
    role: 'img', 'aria-label': `Histogram. ${words}.`},
  end(0, low, histograms.some(({clipped}) => clipped[0] > 0)), end(high, 1, histograms.some(({clipped}) => clipped[1] > 0)),
  ...lines);
}

function levelsFigure(histograms, channels, name) {
  const clipped = clippedText(histograms, channels);
  return el('figure', {className: 'levels'}, levelsDrawing(histograms, channels),
    el('figcaption', {}, name ? el('span', {}, name) : null, clipped ? el('span', {className: 'warn'}, clipped) : null));
}

function channelLegend(channels) {
  return el('p', {className: 'channels'}, ...channels.map(({name}, i) => {
    const colourName = channelColour(name, i);
    return el('span', {}, swatch({colourName}), channelTitle(name));
  }));
}

// The levels of one channel over the frames.
function levelsCurve(channel, i, columns) {
  const colourName = channelColour(channel.name, i);
  const title = channelTitle(channel.name);
  const line = (words, values, dash) => ({label: words, values, colourName, colour: () => colour(colourName), dash, width: 1.5});
  return new Curve({frames: columns.frames, times: columns.times, label: `Levels of ${title} in every frame`,
    info: {...kUnknownMetric, title: 'code value', decimals: 0}, series: [line(`${title}, 99th percentile`, channel.p99, kDashes[1]),
      line(`${title}, median`, channel.p50), line(`${title}, 1st percentile`, channel.p1, kDashes[2])]});
}

// Null where the run has no histograms.
function levelsSection(channels, columns) {
  if (!channels?.length) return null;
  const host = el('div');
  let curve = null;
  const view = {
    node: section('Levels', channels[0].bins > 256 ? `Code values of 0 to ${count(channels[0].bins - 1)}.` : null,
      channels.length > 1 ? chooser('Channel', channels.map(({name}) => [name, channelTitle(name)]), channels[0].name,
        (name) => view.choose(name)) : null,
      host,
      el('div', {className: 'whole'}, levelsFigure(channels.map(({histogram}) => histogram), channels, 'All frames'),
        channels.length > 1 ? channelLegend(channels) : null)),
    choose(name) {
      if (curve) curve.remove();
      const i = channels.findIndex((channel) => channel.name === name);
      curve = levelsCurve(channels[i], i, columns);
      this.curve = curve;
      host.replaceChildren(legend(curve), curve.node);
      curve.draw();
    },
  };
  return view;
}
