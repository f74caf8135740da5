// Pictures of one place, to be compared: beside each other, in turn, or on both sides of a line.

// Pictures beside each other in boxes that scroll together where they are larger.
class Panes {
  constructor() {
    this.node = el('div', {className: 'panes'});
    this.full = false;
    this.wiper = new Wiper();
  }

  show(images) {
    const [first] = this.boxes ?? [];
    const [left, top] = first ? [first.scrollLeft, first.scrollTop] : [0, 0];
    this.boxes = images.map(([name, image]) => this.box(name, image));
    const hasFocus = this.node.contains(document.activeElement);
    const captions = images.length > 1 ? images.map(([name]) => el('figcaption', {}, name)) : [];
    this.node.replaceChildren(...this.boxes.map((box, i) => el('figure', {}, box, captions[i] ?? '')));
    this.node.classList.toggle('full', this.full);
    this.node.classList.remove('wiped');
    this.boxes[0].scrollTo(left, top);
    if (hasFocus) this.focus();
  }

  // Two pictures in one box, each on its side of a line.
  showWipe([leftName, left], [rightName, right]) {
    this.show([[`${leftName} on the left, ${rightName} on the right`, this.wiper.over(left, right)]]);
    this.node.firstChild.append(el('figcaption', {}, el('span', {}, leftName), this.wiper.slider, el('span', {}, rightName)));
    this.node.classList.add('wiped');
  }

  box(name, image) {
    const box = el('div', {className: 'pane', tabIndex: 0, role: 'group', ariaLabel: name}, image);
    box.addEventListener('scroll', () => this.follow(box));
    box.addEventListener('pointerdown', (event) => this.drag(box, event));
    return box;
  }

  focus() { this.boxes[0].focus({preventScroll: true}); }

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

// The line between two pictures, which is where the slider is, or where a pointer drags it.
class Wiper {
  constructor() {
    this.slider = el('input', {type: 'range', min: 0, max: 100, step: 'any', value: 50, ariaLabel: 'Line between the pictures'});
    this.slider.addEventListener('input', () => this.place());
  }

  over(left, right) {
    this.node = left;
    right.classList.add('over');
    left.append(right, el('span', {className: 'line', ariaHidden: 'true'}));
    left.addEventListener('pointerdown', (event) => this.drag(event));
    this.place();
    return left;
  }

  place() { this.node.style.setProperty('--wipe', `${this.slider.value}%`); }

  // Where the picture is larger than its box, dragging moves it, and the slider moves the line.
  drag(start) {
    if (start.button !== 0 || this.node.closest('.full')) return;
    start.preventDefault();
    const move = ({clientX}) => {
      const {left, width} = this.node.getBoundingClientRect();
      this.slider.value = 100 * (clientX - left) / Math.max(1, width);
      this.place();
    };
    move(start);
    this.node.setPointerCapture(start.pointerId);
    this.node.addEventListener('pointermove', move);
    this.node.addEventListener('lostpointercapture', () => this.node.removeEventListener('pointermove', move), {once: true});
  }
}

const kKinds = {reference: 'Reference', picture: 'Picture', difference: 'Difference', heat: 'Heat map', both: 'Side by side', wipe: 'Wipe'};

// A large view of pictures, in which one walks through a list. What extends it has flicker(), ofDigit(), which gives what a digit
// does, and more of show().
class PictureDialog {
  // `views`: the kinds of pictures there are, `kind` the first that is shown; `arrows`: titles of the buttons for the next and the
  // previous of the list, each of which is a `word`.
  constructor(list, {id, className, heat, onShow, views, kind, arrows, word, keys}) {
    Object.assign(this, {list, heat, views, kind, at: 0});
    this.title = el('h3', {id, tabIndex: -1});
    this.panes = new Panes();
    this.scale = heat ? heatScale(heat) : el('p');
    this.note = el('p', {className: 'note'});
    this.brighten = lever(() => this.show(), {title: 'Show dark places (b)'}, 'Brighten');
    this.full = lever(() => this.show(), {title: 'A pixel of the picture for each of the screen (z); drag to move'}, 'Full size');
    this.acts = {b: () => this.brighten.click(), z: () => this.full.click()};
    this.kinds = chooser('Picture', views.map((one) => [one, kKinds[one]]), kind, (one) => {
      this.kind = one;
      this.show();
    });
    this.kinds.hidden = views.length < 2;
    this.next = button('\u2192', () => this.go(1), {title: arrows[0], ariaLabel: `Next ${word}`});
    this.previous = button('\u2190', () => this.go(-1), {title: arrows[1], ariaLabel: `Previous ${word}`});
    const inCurve = button('Show in curve', () => {
      this.node.close();
      onShow(this.list[this.at]);
    });
    const close = button('Close', () => this.node.close(), {title: 'Close (Escape)'});
    this.node = el('dialog', {className},
      el('div', {className: 'bar'}, this.title, el('div', {className: 'tools'}, this.kinds, this.brighten, this.full, this.previous, this.next,
        inCurve, close)),
      this.panes.node, this.scale, this.note, el('p', {className: 'note keys'}, `Keys: ${keys}`));
    this.node.setAttribute('aria-labelledby', id);
    this.node.addEventListener('keydown', (event) => this.onKey(event));
    this.node.addEventListener('click', (event) => { if (event.target === this.node) this.node.close(); });
  }

  present(at) {
    this.at = at;
    this.show();
    this.node.showModal();
    this.title.focus();
  }

  go(step) {
    this.at = Math.min(Math.max(this.at + step, 0), this.list.length - 1);
    this.show();
  }

  show() {
    this.panes.setFull(isDown(this.full));
    this.previous.ariaDisabled = String(this.at === 0);
    this.next.ariaDisabled = String(this.at === this.list.length - 1);
  }

  get moves() {
    const {length} = this.list;
    return {ArrowLeft: () => this.go(-1), ArrowRight: () => this.go(1), Home: () => this.go(-length), End: () => this.go(length)};
  }

  // Inside the chooser arrows choose, as in every group of radio buttons; inside a picture that is larger than its box
  // they move it.
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const hasOwnMoves = ['radio', 'range'].includes(event.target.type) || (this.panes.full && event.target.classList.contains('pane'));
    const act = isSpace(event) ? () => this.flicker() : this.acts[event.key] ?? this.ofDigit(digitOf(event))
      ?? (hasOwnMoves ? null : this.moves[event.key]);
    if (!act) return;
    act();
    event.preventDefault();
  }
}

// What is said under pictures of how they were made. `shots` are shown as `kinds`.
function picturesNotes(shots, kinds) {
  const some = (key) => shots.find((shot) => shot?.[key])?.[key];
  const transfer = some('tone_mapped');
  const size = some('scaled_from');
  const light = some('light');
  return [shots.some((shot) => shot?.exact === false) && kinds.some((kind) => kind !== 'difference')
    ? 'Compressed to keep the page small: fine noise is not as it was (--page-pictures lossless keeps it).' : '',
  transfer ? `${transfer}, tone-mapped for this page: 1000 cd/m\u00b2 is white, what is darker than 95 cd/m\u00b2 is as it was.` : '',
  light ? `It reaches ${count(Math.round(light.peak))} cd/m\u00b2; outside BT.709 is ${percent(light.outside_bt709, 1)} of it, outside P3 ${percent(light.outside_p3, 1)}.` : '',
  size ? `${size.join('\u00d7')}, scaled to the size of the reference.` : '',
  kinds.includes('difference') ? 'Difference from the reference in luma, eight times as large.' : ''].filter(Boolean).join(' ');
}

// Eyes stay on the picture: digits choose views, space flickers. Where a button has the focus, space presses it.
const isSpace = (event) => event.key === ' ' && !['BUTTON', 'SELECT', 'SUMMARY'].includes(event.target.tagName);
const digitOf = (event) => (/^[1-9]$/.test(event.key) ? Number(event.key) : 0);
