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

// A picture of a frame, `kind` being 'picture', 'reference' or 'heat': colours over the picture, which is lifted then.
function frameImage(shot, kind, alt, lift = kind === 'heat') {
  const image = el('img', {src: kind === 'reference' ? shot.reference : shot.picture, alt, draggable: false, className: lift ? 'lifted' : ''});
  const node = el('span', {className: 'frame'}, image);
  image.addEventListener('load', () => node.style.setProperty('--natural', `${image.naturalWidth}px`));
  if (kind === 'heat' && shot.heat) node.append(el('img', {src: shot.heat, alt: '', draggable: false, className: 'heat'}));
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

// Pictures beside each other in boxes that scroll together where they are larger.
class Panes {
  constructor() {
    this.node = el('div', {className: 'panes'});
    this.full = false;
  }

  show(images) {
    const [first] = this.boxes ?? [];
    const [left, top] = first ? [first.scrollLeft, first.scrollTop] : [0, 0];
    this.boxes = images.map(([name, image]) => {
      const box = el('div', {className: 'pane', tabIndex: 0, role: 'group', ariaLabel: name}, image);
      box.addEventListener('scroll', () => this.follow(box));
      box.addEventListener('pointerdown', (event) => this.drag(box, event));
      return box;
    });
    const captions = images.length > 1 ? images.map(([name]) => el('figcaption', {}, name)) : [];
    this.node.replaceChildren(...this.boxes.map((box, i) => el('figure', {}, box, captions[i] ?? '')));
    this.node.classList.toggle('full', this.full);
    this.boxes[0].scrollTo(left, top);
  }

  follow(from) {
    for (const box of this.boxes) {
      if (box.scrollLeft !== from.scrollLeft) box.scrollLeft = from.scrollLeft;
      if (box.scrollTop !== from.scrollTop) box.scrollTop = from.scrollTop;
    }
  }

  // A mouse drags; fingers scroll by themselves.
  drag(box, start) {
    if (start.pointerType !== 'mouse' || start.button !== 0 || !this.full) return;
    start.preventDefault();
    box.focus({preventScroll: true});
    const [left, top] = [box.scrollLeft, box.scrollTop];
    const move = (event) => box.scrollTo(left + start.clientX - event.clientX, top + start.clientY - event.clientY);
    box.setPointerCapture(start.pointerId);
    box.addEventListener('pointermove', move);
    box.addEventListener('lostpointercapture', () => box.removeEventListener('pointermove', move), {once: true});
  }

  // Sizes in pixels of the screen, so that none of the picture's is drawn as more or less.
  setFull(full) {
    this.full = full;
    this.node.style.setProperty('--zoom', String(1 / devicePixelRatio));
  }
}

// A button that stays down. `onChange` finds what it is by ariaPressed.
function lever(text, onChange, title) {
  const node = button(text, () => {
    node.ariaPressed = String(node.ariaPressed !== 'true');
    onChange();
  }, {className: 'lever', ariaPressed: 'false', title});
  return node;
}

const kKinds = {picture: 'Picture', heat: 'Heat map', reference: 'Reference', both: 'Side by side'};

class LargeView {
  constructor(shots, {info, onShow, channels, heat, reasons = null}) {
    this.shots = shots;
    this.info = info;
    this.reasons = reasons;
    this.reasonsHost = el('div', {className: 'scroll'});
    this.channels = channels;
    this.title = el('h3', {id: 'large-title'});
    this.panes = new Panes();
    this.levels = el('div', {className: 'levels'});
    this.heat = heat;
    this.scale = heat ? heatScale(heat) : el('p');
    this.note = el('p', {className: 'note'}, 'Compressed to keep the page small: fine noise in it is not as it was.');
    this.next = button('\u2192', () => this.go(1), {title: 'Next (right arrow)', ariaLabel: 'Next frame'});
    this.previous = button('\u2190', () => this.go(-1), {title: 'Previous (left arrow)', ariaLabel: 'Previous frame'});
    this.brighten = lever('Brighten', () => this.show(), 'Show dark places (b)');
    this.full = lever('Full size', () => this.show(), 'A pixel of the picture for each of the screen (z); drag to move');
    const has = (kind) => shots.some((shot) => shot[kind]);
    const kinds = ['picture', ...(has('heat') ? ['heat'] : []), ...(has('reference') ? ['reference'] : []),
      ...(has('heat') || has('reference') ? ['both'] : [])];
    this.kind = has('heat') ? 'heat' : has('reference') ? 'both' : 'picture';
    this.kinds = chooser('Picture', kinds.map((kind) => [kind, kKinds[kind]]), this.kind, (kind) => {
      this.kind = kind;
      this.show();
    });
    this.kinds.hidden = kinds.length < 2;
    const inCurve = button('Show in curve', () => {
      this.node.close();
      onShow(this.shots[this.at]);
    });
    const close = button('Close', () => this.node.close(), {title: 'Close (Escape)'});
    this.node = el('dialog', {className: 'large'},
      el('div', {className: 'bar'}, this.title, el('div', {className: 'tools'}, this.kinds, this.brighten, this.full,
        this.previous, this.next, inCurve, close)),
      this.panes.node, this.scale, this.note, this.reasonsHost, this.levels);
    this.node.setAttribute('aria-labelledby', 'large-title');
    this.node.addEventListener('keydown', (event) => this.onKey(event));
    this.node.addEventListener('click', (event) => { if (event.target === this.node) this.node.close(); });
  }

  open(shot) {
    this.at = this.shots.indexOf(shot);
    this.show();
    this.node.showModal();
    this.next.focus();
  }

  go(step) {
    this.at = Math.min(Math.max(this.at + step, 0), this.shots.length - 1);
    this.show();
  }

  // What is shown of a frame: the kinds, from left to right.
  shown(shot) {
    if (this.kind === 'both') return shot.reference ? ['reference', 'picture'] : shot.heat ? ['picture', 'heat'] : ['picture'];
    return shot[this.kind] ? [this.kind] : ['picture'];
  }

  show() {
    const shot = this.shots[this.at];
    const kinds = this.shown(shot);
    const what = {picture: '', heat: ` with the ${this.heat?.subject ?? 'flaws'} laid over it as a heat map`, reference: ' of the reference'};
    this.panes.setFull(this.full.ariaPressed === 'true');
    this.panes.show(kinds.map((kind) => [kKinds[kind],
      frameImage(shot, kind, `${nameOf(shot)}${what[kind]}, score ${score(shot.score, this.info)}`,
        kind === 'heat' || this.brighten.ariaPressed === 'true')]));
    this.scale.hidden = !kinds.includes('heat');
    this.brighten.ariaDisabled = String(kinds.every((kind) => kind === 'heat'));
    this.note.hidden = shot.exact !== false;
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
    else if (event.target.type === 'radio' || (this.panes.full && event.target.classList.contains('pane'))) return;
    else if (event.key === 'ArrowLeft') this.go(-1);
    else if (event.key === 'ArrowRight') this.go(1);
    else if (event.key === 'Home') this.go(-this.shots.length);
    else if (event.key === 'End') this.go(this.shots.length);
    else return;
    event.preventDefault();
  }
}

function card(shot, {info, channels, reasons}, rank, onOpen) {
  const where = shot.timestamp === null ? `Frame ${count(shot.frame)}` : timecode(shot.timestamp);
  const node = button('', onOpen, {className: isNoteworthy(info, shot.score) ? 'card noteworthy' : 'card'});
  if (shot.picture) node.append(frameImage(shot, shot.heat ? 'heat' : 'picture', ''));
  if (shot.histograms) node.append(levelsDrawing(shot.histograms, channels));
  node.append(el('span', {className: 'caption'},
    el('span', {className: 'rank'}, String(rank)),
    el('span', {className: 'where'}, where),
    el('b', {}, score(shot.score, info)),
    shot.timestamp === null ? null : el('span', {className: 'number'}, `Frame ${count(shot.frame)}`),
    reasons ? reasonsLine(reasons(shot.frame)) ?? '' : ''));
  node.append(el('span', {className: 'hidden'}, shot.picture ? 'Open the large view' : 'Show in the curve'));
  return el('li', {}, node);
}

// `shots`: {frame, timestamp, score, picture, reference, heat, exact, histograms}, worst first; all but the first three may
// be absent. `view`: {info, onShow, channels, heat, reasons}, the third and fourth about histograms and heat maps, the last what
// explains the score of a frame.
function worstFrames(shots, view) {
  const pictured = shots.filter((shot) => shot.picture);
  const large = pictured.length ? new LargeView(pictured, view) : null;
  const gallery = el('ol', {className: 'cards pictured'});
  const list = el('ol', {className: 'cards'});
  shots.forEach((shot, i) => {
    if (shot.picture) gallery.append(card(shot, view, i + 1, () => large.open(shot)));
    else list.append(card(shot, view, i + 1, () => view.onShow(shot)));
  });
  return el('div', {className: 'worst'}, pictured.length ? liftFilter() : null, gallery, list, large?.node);
}
