// The same frame of several runs side by side: rows of small pictures, and a large view in which one walks from moment to
// moment and from run to run.

const kMostBeside = 4;  // pictures in the large view, so that each can be judged

class RunsView {
  // `moments`: {frame, timestamp, spread, shots}, each with a shot a run, {picture, difference, heat, score} or null, behind
  // one of the source where `source` is its name.
  constructor(names, moments, {info, heat, source, onShow}) {
    Object.assign(this, {moments, info, source, onShow});
    this.names = source ? ['Source', ...names] : names;
    this.at = 0;
    this.chosen = this.names.map((_, i) => i < kMostBeside);
    this.other = 0;  // what is on the left of the line, and what a run flickers with
    this.title = el('h3', {id: 'runs-title', tabIndex: -1});
    this.panes = new Panes();
    this.scale = heat ? heatScale(heat) : el('p');
    this.note = el('p', {className: 'note'});
    this.brighten = lever('Brighten', () => this.show(), 'Show dark places (b)');
    this.full = lever('Full size', () => this.show(), 'A pixel of the picture for each of the screen (z); drag to move');
    this.single = lever('One at a time', () => this.setMode(this.single), 'Switch at the same place: space for the last two, digits, up and down arrows (o)');
    this.wipe = lever('Wipe', () => this.setMode(this.wipe), 'Two pictures on both sides of a line (w)');
    const has = (kind) => moments.some(({shots}) => shots.some((shot) => shot?.[kind]));
    this.kind = 'picture';
    this.views = ['picture', 'difference', 'heat'].filter(has);
    this.kinds = chooser('Picture', this.views.map((kind) => [kind, kKinds[kind]]), this.kind, (kind) => {
      this.kind = kind;
      this.show();
    });
    this.kinds.hidden = this.views.length < 2;
    const keys = el('p', {className: 'note keys'}, `Keys: 1 to ${Math.min(this.names.length, 9)} for one at a time, space to flicker, w to wipe, arrows for other moments.`);
    this.next = button('\u2192', () => this.go(1), {title: 'Next moment (right arrow)', ariaLabel: 'Next moment'});
    this.previous = button('\u2190', () => this.go(-1), {title: 'Previous moment (left arrow)', ariaLabel: 'Previous moment'});
    this.runs = el('div', {className: 'legend', role: 'group', ariaLabel: 'Runs shown'});
    const inCurve = button('Show in curve', () => {
      this.node.close();
      onShow(this.moments[this.at]);
    });
    const close = button('Close', () => this.node.close(), {title: 'Close (Escape)'});
    this.node = el('dialog', {className: 'large beside'},
      el('div', {className: 'bar'}, this.title, el('div', {className: 'tools'}, this.kinds, this.brighten, this.full, this.single, this.wipe,
        this.previous, this.next, inCurve, close)),
      el('div', {className: 'bar'}, this.runs), this.panes.node, this.scale, this.note, keys);
    this.node.setAttribute('aria-labelledby', 'runs-title');
    this.node.addEventListener('keydown', (event) => this.onKey(event));
    this.node.addEventListener('click', (event) => { if (event.target === this.node) this.node.close(); });
  }

  open(moment, run) {
    this.at = this.moments.indexOf(moment);
    this.run = run;
    if (this.run === this.other) this.other = this.names.findIndex((_, i) => i !== run);
    if (!this.chosen[run]) {
      const last = this.chosen.lastIndexOf(true);
      if (last >= 0 && this.chosen.filter(Boolean).length >= kMostBeside) this.chosen[last] = false;
      this.chosen[run] = true;
    }
    this.show();
    this.node.showModal();
    this.title.focus();
  }

  go(step) {
    this.at = Math.min(Math.max(this.at + step, 0), this.moments.length - 1);
    this.show();
  }

  // To the next run that has a picture here.
  turn(step) {
    const {shots} = this.moments[this.at];
    for (let i = 1; i <= shots.length; ++i) {
      const run = (this.run + step * i + i * shots.length) % shots.length;
      if (!shots[run]?.picture) continue;
      this.turnTo(run);
      break;
    }
    this.show();
  }

  turnTo(run) {
    if (run !== this.run) [this.other, this.run] = [this.run, run];
  }

  get isSingle() { return this.single.ariaPressed === 'true'; }
  get isWipe() { return this.wipe.ariaPressed === 'true'; }

  // One of two levers may be down.
  setMode(lever) {
    const other = lever === this.wipe ? this.single : this.wipe;
    if (lever.ariaPressed === 'true') other.ariaPressed = 'false';
    this.show();
  }

  // One at a time, at once or in turn.
  alone(run) {
    this.single.ariaPressed = 'true';
    this.wipe.ariaPressed = 'false';
    this.turnTo(run);
    this.show();
  }

  flicker() { this.alone(this.isSingle ? this.other : this.run); }

  choose(run) {
    if (this.isSingle || this.isWipe) this.turnTo(run);
    else this.chosen[run] = !this.chosen[run] || this.chosen.filter(Boolean).length === 1;
    this.show();
  }

  shown() {
    if (this.isWipe) return [this.other, this.run].sort((a, b) => a - b);
    return this.names.map((_, i) => i).filter((i) => (this.isSingle ? i === this.run : this.chosen[i]));
  }

  captionOf(shot, run) {
    return run === 0 && this.source ? `Source \u00b7 ${this.source}` : `${this.names[run]} \u00b7 ${score(shot?.score, this.info)}`;
  }

  imageOf(moment, run) {
    const shot = moment.shots[run];
    const caption = this.captionOf(shot, run);
    if (!shot?.picture) return [caption, el('p', {className: 'note'}, 'No picture')];
    const kind = shot[this.kind] ? this.kind : 'picture';
    const lift = this.kind === 'heat' || this.brighten.ariaPressed === 'true';
    const what = {picture: '', heat: ', with a heat map', difference: ', difference from the source'}[kind];
    return [caption, frameImage(shot, kind, `${nameOf(moment)} of ${caption}${what}`, lift)];
  }

  show() {
    const moment = this.moments[this.at];
    const shown = this.shown();
    const images = shown.map((i) => this.imageOf(moment, i));
    this.panes.setFull(this.full.ariaPressed === 'true');
    if (this.isWipe && images.length === 2 && shown.every((i) => moment.shots[i]?.picture)) this.panes.showWipe(...images);
    else this.panes.show(images);
    this.panes.node.classList.toggle('many', images.length > 2);
    const buttons = this.names.map((name, i) => button(name, () => this.choose(i), {ariaPressed: String(shown.includes(i))}));
    const focused = [...this.runs.children].indexOf(document.activeElement);
    this.runs.replaceChildren(...buttons);
    if (focused >= 0) buttons[focused].focus();
    this.scale.hidden = this.kind !== 'heat';
    this.note.textContent = picturesNotes(shown.map((i) => moment.shots[i]), [this.kind]);
    this.title.textContent = this.isSingle && shown.length
      ? `${nameOf(moment)} \u00b7 ${this.captionOf(moment.shots[this.run], this.run)}` : nameOf(moment);
    this.previous.ariaDisabled = String(this.at === 0);
    this.next.ariaDisabled = String(this.at === this.moments.length - 1);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inPane = this.panes.full && event.target.classList.contains('pane');
    if (event.key === 'b') this.brighten.click();
    else if (event.key === 'z') this.full.click();
    else if (event.key === 'o') this.single.click();
    else if (event.key === 'w') this.wipe.click();
    else if (isSpace(event)) this.flicker();
    else if (digitOf(event) && digitOf(event) <= this.names.length) this.alone(digitOf(event) - 1);
    else if (['radio', 'range'].includes(event.target.type) || inPane) return;
    else if (event.key === 'ArrowLeft') this.go(-1);
    else if (event.key === 'ArrowRight') this.go(1);
    else if (event.key === 'ArrowUp' && this.isSingle) this.turn(-1);
    else if (event.key === 'ArrowDown' && this.isSingle) this.turn(1);
    else if (event.key === 'Home') this.go(-this.moments.length);
    else if (event.key === 'End') this.go(this.moments.length);
    else return;
    event.preventDefault();
  }
}

// One run in a row of small pictures.
function momentCard(moment, run, {names, series, info}, onOpen) {
  const shot = moment.shots[run];
  const caption = el('span', {className: 'caption'}, el('span', {className: 'where'}, runLabel(series[run], names[run])),
    el('b', {}, score(shot.score, info)));
  const node = button('', onOpen, {className: isNoteworthy(info, shot.score) ? 'card noteworthy' : 'card'});
  if (shot.picture) node.append(frameImage(shot, shot.heat ? 'heat' : 'picture', ''));
  node.append(caption);
  node.append(el('span', {className: 'hidden'}, `${nameOf(moment)}. ${shot.picture ? 'Open the large view' : 'Show in the curve'}`));
  return el('li', {}, node);
}

function sourceCard(moment, name, onOpen) {
  const node = button('', onOpen, {className: 'card'});
  node.append(frameImage(moment.shots[0], 'picture', ''), el('span', {className: 'caption'}, el('span', {className: 'where', title: name}, 'Source')),
    el('span', {className: 'hidden'}, `${nameOf(moment)}. Open the large view`));
  return el('li', {}, node);
}

// `moments` as RunsView takes them. `page`: {names, series, info, heat, source, onShow}.
function momentRows(moments, page) {
  const view = moments.some(({shots}) => shots.some((shot) => shot?.picture)) ? new RunsView(page.names, moments, page) : null;
  const first = page.source ? 1 : 0;
  const rows = moments.map((moment, rank) => {
    const shots = moment.shots.slice(first);
    const open = (run) => (shots[run].picture ? view.open(moment, run + first) : page.onShow(moment));
    const title = [String(rank + 1), nameOf(moment), `${score(moment.spread, page.info)} apart`].join(' \u00b7 ');
    const source = first && moment.shots[0]?.picture ? sourceCard(moment, page.source, () => view.open(moment, 0)) : '';
    return el('li', {}, el('h3', {}, title), el('ol', {className: 'cards small pictured'}, source,
      ...page.names.map((_, run) => run).filter((run) => shots[run])
        .map((run) => momentCard({...moment, shots}, run, page, () => open(run)))));
  });
  return el('div', {className: 'moments'}, el('ol', {className: 'rows'}, ...rows), view?.node);
}
