// The worst frames: cards in a grid, and a large view to walk through.

const nameOf = (shot) =>
  `Frame ${count(shot.frame)}${shot.timestamp === null ? '' : ` at ${timecode(shot.timestamp)}`}`;

// Makes dark pictures brighter, as the program does in the pictures that it writes: each level becomes the square root
// of its share of white.
const kLiftExponent = 0.5;
function liftFilter() {
  const curves = ['R', 'G', 'B'].map((channel) => svgNode(`feFunc${channel}`,
    {type: 'gamma', amplitude: 1, exponent: kLiftExponent, offset: 0}));
  const filter = svgNode('filter', {id: 'lift', 'color-interpolation-filters': 'sRGB', x: 0, y: 0, width: 1, height: 1},
    svgNode('feComponentTransfer', {}, ...curves));
  const host = svgNode('svg', {width: 0, height: 0, 'aria-hidden': 'true'}, filter);
  host.classList.add('hidden');
  return host;
}

// A picture of a frame, `kind` being 'picture', 'reference', 'difference' or 'heat'. The last two lie over the picture, which
// gives them their size; under the colours of a heat map it is grey and lifted.
function frameImage(shot, kind, alt, lift = kind === 'heat') {
  const over = kind === 'heat' || kind === 'difference' ? shot[kind] : null;
  const className = kind === 'difference' ? '' : `${lift ? 'lifted' : ''}${over ? ' grey' : ''}`.trim();
  const image = el('img', {src: kind === 'reference' ? shot.reference : shot.picture, alt, draggable: false, className});
  const node = el('span', {className: 'frame'}, image);
  image.addEventListener('load', () => node.style.setProperty('--natural', `${image.naturalWidth}px`));
  if (over) node.append(el('img', {src: over, alt: '', draggable: false, className: kind}));
  return node;
}

// The colours of a heat map, from no score to the top of the usual scale.
function heatScale({subject, top, noteworthy, colours}) {
  const ticks = [0, ...(noteworthy > 0 && noteworthy < top ? [noteworthy] : []), top];
  const labels = ticks.map((tick) => {
    const label = el('span', {}, tick === top ? `${tick} or more` : String(tick));
    label.style.left = `${100 * tick / top}%`;
    return label;
  });
  const bar = el('span', {className: 'colours'});
  bar.style.backgroundImage = `linear-gradient(to right, ${colours.join(', ')})`;
  return el('p', {className: 'scale'}, el('span', {}, capital(subject)),
    el('span', {className: 'ruler'}, bar, el('span', {className: 'labels'}, ...labels)));
}

class LargeView extends PictureDialog {
  constructor(shots, {info, onShow, channels, heat, reasons = null}) {
    const has = (kind) => shots.some((shot) => shot[kind]);
    const several = {both: has('heat') || has('reference'), wipe: has('reference')};
    const views = Object.keys(kKinds).filter((kind) => (kind in several ? several[kind] : has(kind)));
    super(shots, {id: 'large-title', className: 'large', heat, onShow, views,
      kind: has('heat') ? 'heat' : has('reference') ? 'both' : 'picture', arrows: ['Next (right arrow)', 'Previous (left arrow)'], word: 'frame',
      keys: `1 to ${views.length} for the views, ${several.both ? 'space to flicker, ' : ''}arrows for other frames.`});
    Object.assign(this, {info, reasons, channels});
    this.reasonsHost = el('div', {className: 'scroll'});
    this.levels = el('div', {className: 'levels'});
    this.node.append(this.reasonsHost, this.levels);
  }

  open(shot) { this.present(this.list.indexOf(shot)); }

  choose(kind) {
    this.kind = kind;
    this.kinds.querySelectorAll('input')[this.views.indexOf(kind)].checked = true;
    this.show();
  }

  ofDigit(digit) { return this.views[digit - 1] && (() => this.choose(this.views[digit - 1])); }

  // Picture and reference in turn at one place, or what is laid over the picture.
  flicker() {
    const other = this.views.includes('reference') ? 'reference' : this.views.includes('heat') ? 'heat' : 'picture';
    this.choose(this.kind === 'picture' ? other : 'picture');
  }

  // What is shown of a frame: the kinds, from left to right.
  shown(shot) {
    if (this.kind === 'wipe') return shot.reference ? ['reference', 'picture'] : ['picture'];
    if (this.kind === 'both') return shot.reference ? ['reference', 'picture'] : shot.heat ? ['picture', 'heat'] : ['picture'];
    return shot[this.kind] ? [this.kind] : ['picture'];
  }

  show() {
    super.show();
    const shot = this.list[this.at];
    const kinds = this.shown(shot);
    const what = {picture: '', heat: ` with the ${this.heat?.subject ?? 'flaws'} laid over it as a heat map`, reference: ' of the reference',
      difference: ', difference from the reference'};
    const images = kinds.map((kind) => [kKinds[kind],
      frameImage(shot, kind, `${nameOf(shot)}${what[kind]}, score ${score(shot.score, this.info)}`, kind === 'heat' || isDown(this.brighten))]);
    if (this.kind === 'wipe' && images.length === 2) this.panes.showWipe(...images);
    else this.panes.show(images);
    this.scale.hidden = !kinds.includes('heat');
    this.brighten.ariaDisabled = String(kinds.every((kind) => kind === 'heat'));
    this.note.textContent = picturesNotes([shot], kinds);
    this.title.textContent = `${nameOf(shot)} \u00b7 ${score(shot.score, this.info)}`;
    if (this.reasons) this.reasonsHost.replaceChildren(reasonsTable(this.reasons(shot.frame)));
    this.levels.replaceChildren(shot.histograms ? levelsFigure(shot.histograms, this.channels, '') : '');
  }
}

// A button for a frame, with its picture if there is one. `where`: what tells the frame from others, unless the caption does.
function pictureCard(shot, isBad, where, onOpen, ...below) {
  const node = button('', onOpen, {className: isBad ? 'card noteworthy' : 'card'});
  if (shot.picture) node.append(frameImage(shot, shot.heat ? 'heat' : 'picture', ''));
  return el('li', {}, fill(node, ...below, el('span', {className: 'hidden'}, `${where}${shot.picture ? 'Open the large view' : 'Show in the curve'}`)));
}

function card(shot, {info, channels}, rank, standsOut, onOpen) {
  const where = shot.timestamp === null ? `Frame ${count(shot.frame)}` : timecode(shot.timestamp);
  return pictureCard(shot, isNoteworthy(info, shot.score), '', onOpen, shot.histograms ? levelsDrawing(shot.histograms, channels) : null,
    el('span', {className: 'caption'},
      el('span', {className: 'rank'}, String(rank)),
      el('span', {className: 'where'}, where),
      el('b', {}, score(shot.score, info)),
      shot.timestamp === null ? null : el('span', {className: 'number'}, `Frame ${count(shot.frame)}`),
      standsOut ? el('span', {className: 'number'}, `Stands out: ${standsOut}`) : ''));
}

// `shots`: {frame, timestamp, score, picture, reference, difference, heat, exact, tone_mapped, light, scaled_from, histograms}, worst
// first; all but the first three may be absent. `view`: {info, onShow, channels, heat, reasons}, the third and fourth about histograms and heat maps, the last what
// explains the score of a frame.
function worstFrames(shots, view) {
  const pictured = shots.filter((shot) => shot.picture);
  const large = pictured.length ? new LargeView(pictured, view) : null;
  const gallery = el('ol', {className: 'cards pictured'});
  const list = el('ol', {className: 'cards'});
  const standsOut = shots.map(({frame}) => (view.reasons ? reasonsText(view.reasons(frame)) : ''));
  const common = shots.length > 1 && standsOut.every((text) => text === standsOut[0]) ? standsOut[0] : '';
  shots.forEach((shot, i) => {
    const node = card(shot, view, i + 1, common ? '' : standsOut[i], () => (shot.picture ? large.open(shot) : view.onShow(shot)));
    (shot.picture ? gallery : list).append(node);
  });
  return el('div', {className: 'worst'}, pictured.length ? liftFilter() : null, common ? el('p', {className: 'note stands-out'}, `Stands out in all of them: ${common}.`) : null,
    gallery, list, large?.node);
}
