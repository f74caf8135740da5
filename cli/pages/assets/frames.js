// The worst frames: cards in a grid, and a large view to walk through.

const nameOf = (shot) =>
  `Frame ${count(shot.frame)}${shot.timestamp === null ? '' : ` at ${timecode(shot.timestamp)}`}`;

// Makes dark pictures brighter, as the program does in the pictures that it writes: each level becomes the square root
// of its share of white.
const kLiftExponent = 0.5;
function liftFilter() {
  const svg = (tag, attributes, ...children) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const curves = ['R', 'G', 'B'].map((channel) => svg(`feFunc${channel}`,
    {type: 'gamma', amplitude: 1, exponent: kLiftExponent, offset: 0}));
  const filter = svg('filter', {id: 'lift', 'color-interpolation-filters': 'sRGB', x: 0, y: 0, width: 1, height: 1},
    svg('feComponentTransfer', {}, ...curves));
  const host = svg('svg', {width: 0, height: 0, 'aria-hidden': 'true'}, filter);
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

const kKinds = {reference: 'Reference', picture: 'Picture', difference: 'Difference', heat: 'Heat map', both: 'Side by side', wipe: 'Wipe'};

class LargeView {
  constructor(shots, {info, onShow, channels, heat, reasons = null}) {
    this.shots = shots;
    this.info = info;
    this.reasons = reasons;
    this.reasonsHost = el('div', {className: 'scroll'});
    this.channels = channels;
    this.title = el('h3', {id: 'large-title', tabIndex: -1});
    this.panes = new Panes();
    this.levels = el('div', {className: 'levels'});
    this.heat = heat;
    this.scale = heat ? heatScale(heat) : el('p');
    this.note = el('p', {className: 'note'});
    this.next = button('\u2192', () => this.go(1), {title: 'Next (right arrow)', ariaLabel: 'Next frame'});
    this.previous = button('\u2190', () => this.go(-1), {title: 'Previous (left arrow)', ariaLabel: 'Previous frame'});
    this.brighten = lever('Brighten', () => this.show(), 'Show dark places (b)');
    this.full = lever('Full size', () => this.show(), 'A pixel of the picture for each of the screen (z); drag to move');
    const has = (kind) => shots.some((shot) => shot[kind]);
    const several = {both: has('heat') || has('reference'), wipe: has('reference')};
    this.views = Object.keys(kKinds).filter((kind) => (kind in several ? several[kind] : has(kind)));
    this.kind = has('heat') ? 'heat' : has('reference') ? 'both' : 'picture';
    this.kinds = chooser('Picture', this.views.map((kind) => [kind, kKinds[kind]]), this.kind, (kind) => {
      this.kind = kind;
      this.show();
    });
    const keys = el('p', {className: 'note keys'}, `Keys: 1 to ${this.views.length} for the views, ` +
      `${has('reference') || has('heat') ? 'space to flicker, ' : ''}arrows for other frames.`);
    this.kinds.hidden = this.views.length < 2;
    const inCurve = button('Show in curve', () => {
      this.node.close();
      onShow(this.shots[this.at]);
    });
    const close = button('Close', () => this.node.close(), {title: 'Close (Escape)'});
    this.node = el('dialog', {className: 'large'},
      el('div', {className: 'bar'}, this.title, el('div', {className: 'tools'}, this.kinds, this.brighten, this.full,
        this.previous, this.next, inCurve, close)),
      this.panes.node, this.scale, this.note, keys, this.reasonsHost, this.levels);
    this.node.setAttribute('aria-labelledby', 'large-title');
    this.node.addEventListener('keydown', (event) => this.onKey(event));
    this.node.addEventListener('click', (event) => { if (event.target === this.node) this.node.close(); });
  }

  open(shot) {
    this.at = this.shots.indexOf(shot);
    this.show();
    this.node.showModal();
    this.title.focus();
  }

  go(step) {
    this.at = Math.min(Math.max(this.at + step, 0), this.shots.length - 1);
    this.show();
  }

  choose(kind) {
    this.kind = kind;
    this.kinds.querySelectorAll('input')[this.views.indexOf(kind)].checked = true;
    this.show();
  }

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
    const shot = this.shots[this.at];
    const kinds = this.shown(shot);
    const what = {picture: '', heat: ` with the ${this.heat?.subject ?? 'flaws'} laid over it as a heat map`, reference: ' of the reference',
      difference: ', difference from the reference'};
    this.panes.setFull(this.full.ariaPressed === 'true');
    const images = kinds.map((kind) => [kKinds[kind],
      frameImage(shot, kind, `${nameOf(shot)}${what[kind]}, score ${score(shot.score, this.info)}`,
        kind === 'heat' || this.brighten.ariaPressed === 'true')]);
    if (this.kind === 'wipe' && images.length === 2) this.panes.showWipe(...images);
    else this.panes.show(images);
    this.scale.hidden = !kinds.includes('heat');
    this.brighten.ariaDisabled = String(kinds.every((kind) => kind === 'heat'));
    this.note.textContent = picturesNotes([shot], kinds);
    this.title.textContent = `${nameOf(shot)} \u00b7 ${score(shot.score, this.info)}`;
    if (this.reasons) this.reasonsHost.replaceChildren(reasonsTable(this.reasons(shot.frame)));
    this.levels.replaceChildren(shot.histograms ? levelsFigure(shot.histograms, this.channels, '') : '');
    this.previous.ariaDisabled = String(this.at === 0);
    this.next.ariaDisabled = String(this.at === this.shots.length - 1);
  }

  // Inside the chooser arrows choose, as in every group of radio buttons; inside a picture that is larger than its box
  // they move it.
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'b') this.brighten.click();
    else if (event.key === 'z') this.full.click();
    else if (isSpace(event)) this.flicker();
    else if (this.views[digitOf(event) - 1]) this.choose(this.views[digitOf(event) - 1]);
    else if (['radio', 'range'].includes(event.target.type) || (this.panes.full && event.target.classList.contains('pane'))) return;
    else if (event.key === 'ArrowLeft') this.go(-1);
    else if (event.key === 'ArrowRight') this.go(1);
    else if (event.key === 'Home') this.go(-this.shots.length);
    else if (event.key === 'End') this.go(this.shots.length);
    else return;
    event.preventDefault();
  }
}

function card(shot, {info, channels, reasons}, rank, standsOut, onOpen) {
  const where = shot.timestamp === null ? `Frame ${count(shot.frame)}` : timecode(shot.timestamp);
  const node = button('', onOpen, {className: isNoteworthy(info, shot.score) ? 'card noteworthy' : 'card'});
  if (shot.picture) node.append(frameImage(shot, shot.heat ? 'heat' : 'picture', ''));
  if (shot.histograms) node.append(levelsDrawing(shot.histograms, channels));
  node.append(el('span', {className: 'caption'},
    el('span', {className: 'rank'}, String(rank)),
    el('span', {className: 'where'}, where),
    el('b', {}, score(shot.score, info)),
    shot.timestamp === null ? null : el('span', {className: 'number'}, `Frame ${count(shot.frame)}`),
    standsOut ? el('span', {className: 'number'}, `Stands out: ${standsOut}`) : ''));
  node.append(el('span', {className: 'hidden'}, shot.picture ? 'Open the large view' : 'Show in the curve'));
  return el('li', {}, node);
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
