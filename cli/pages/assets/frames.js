// The worst frames: cards in a grid, and a large view to walk through.

const nameOf = (shot) =>
  `Frame ${count(shot.frame)}${shot.timestamp === null ? '' : ` at ${timecode(shot.timestamp)}`}`;

class LargeView {
  constructor(shots, info, onShow, channels) {
    this.shots = shots;
    this.info = info;
    this.kind = 'overlay';
    this.title = el('h3', {id: 'large-title'});
    this.channels = channels;
    this.image = el('img');
    this.levels = el('div', {className: 'levels'});
    this.next = button('\u2192', () => this.go(1), {title: 'Next (right arrow)', ariaLabel: 'Next frame'});
    this.previous = button('\u2190', () => this.go(-1), {title: 'Previous (left arrow)', ariaLabel: 'Previous frame'});
    this.kinds = chooser('Picture', [['plain', 'Picture'], ['overlay', 'Heat map']], 'overlay', (kind) => {
      this.kind = kind;
      this.show();
    });
    const inCurve = button('Show in curve', () => {
      this.node.close();
      onShow(this.shots[this.at]);
    });
    const close = button('Close', () => this.node.close(), {title: 'Close (Escape)'});
    this.node = el('dialog', {className: 'large'},
      el('div', {className: 'bar'}, this.title, el('div', {className: 'tools'}, this.kinds, this.previous, this.next,
        inCurve, close)),
      this.image, this.levels);
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

  show() {
    const shot = this.shots[this.at];
    const overlay = shot.overlay && (this.kind === 'overlay' || !shot.plain);
    this.image.src = (overlay ? shot.overlay : shot.plain) || shot.thumbnail;
    this.image.alt = overlay
      ? `${nameOf(shot)} with the ${this.info.subject} laid over it as a heat map, score ${score(shot.score, this.info)}`
      : `${nameOf(shot)}, score ${score(shot.score, this.info)}`;
    this.title.textContent = `${nameOf(shot)} \u00b7 ${score(shot.score, this.info)}`;
    this.levels.replaceChildren(shot.histograms ? levelsFigure(shot.histograms, this.channels, '') : '');
    this.kinds.hidden = !(shot.plain && shot.overlay);
    this.previous.ariaDisabled = String(this.at === 0);
    this.next.ariaDisabled = String(this.at === this.shots.length - 1);
  }

  // Inside the chooser arrows choose, as in every group of radio buttons.
  onKey(event) {
    if (event.target.type === 'radio') return;
    if (event.key === 'ArrowLeft') this.go(-1);
    else if (event.key === 'ArrowRight') this.go(1);
    else if (event.key === 'Home') this.go(-this.shots.length);
    else if (event.key === 'End') this.go(this.shots.length);
    else return;
    event.preventDefault();
  }
}

function card(shot, {info, channels}, rank, onOpen) {
  const picture = shot.thumbnail || shot.overlay || shot.plain;
  const where = shot.timestamp === null ? `Frame ${count(shot.frame)}` : timecode(shot.timestamp);
  const node = button('', onOpen, {className: isNoteworthy(info, shot.score) ? 'card noteworthy' : 'card'});
  if (picture) node.append(el('img', {src: picture, alt: '', loading: 'lazy'}));
  if (shot.histograms) node.append(levelsDrawing(shot.histograms, channels));
  node.append(el('span', {className: 'caption'},
    el('span', {className: 'rank'}, String(rank)),
    el('span', {className: 'where'}, where),
    el('b', {}, score(shot.score, info)),
    shot.timestamp === null ? null : el('span', {className: 'number'}, `Frame ${count(shot.frame)}`)));
  node.setAttribute('aria-label', `${nameOf(shot)}, score ${score(shot.score, info)}. ` +
    (picture ? 'Open the large view.' : 'Show in the curve.'));
  return el('li', {}, node);
}

// `shots`: {frame, timestamp, score, thumbnail, plain, overlay, histograms}, worst first; pictures may be empty. `channels`:
// of the histograms.
function worstFrames(shots, info, onShow, channels) {
  const pictured = shots.filter((shot) => shot.thumbnail || shot.plain || shot.overlay);
  const view = pictured.length ? new LargeView(pictured, info, onShow, channels) : null;
  const gallery = el('ol', {className: 'cards pictured'});
  const list = el('ol', {className: 'cards'});
  shots.forEach((shot, i) => {
    if (pictured.includes(shot)) gallery.append(card(shot, {info, channels}, i + 1, () => view.open(shot)));
    else list.append(card(shot, {info, channels}, i + 1, () => onShow(shot)));
  });
  return el('div', {className: 'worst'}, gallery, list, view?.node);
}
