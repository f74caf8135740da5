// The same frame of several runs side by side: rows of small pictures, and a large view in which one walks from moment to
// moment and from run to run.

const kMostBeside = 4;  // pictures in the large view, so that each can be judged

class RunsView extends PictureDialog {
  // `moments`: {frame, timestamp, spread, shots}, each with a shot a run, {picture, difference, heat, score} or null, behind
  // one of the source where `source` is its name.
  constructor(runs, moments, {info, heat, source, onShow}) {
    const names = source ? ['Source', ...runs] : runs;
    super(moments, {id: 'runs-title', className: 'large beside', heat, onShow, kind: 'picture', word: 'moment',
      views: ['picture', 'difference', 'heat'].filter((kind) => moments.some(({shots}) => shots.some((shot) => shot?.[kind]))),
      arrows: ['Next moment (right arrow)', 'Previous moment (left arrow)'],
      keys: `1 to ${Math.min(names.length, 9)} for one at a time, space to flicker, w to wipe, arrows for other moments.`});
    Object.assign(this, {names, info, source});
    this.chosen = names.map((_, i) => i < kMostBeside);
    this.other = 0;  // what is on the left of the line, and what a run flickers with
    this.single = lever(() => this.setMode(this.single), {title: 'Switch at the same place: space for the last two, digits, up and down arrows (o)'}, 'One at a time');
    this.wipe = lever(() => this.setMode(this.wipe), {title: 'Two pictures on both sides of a line (w)'}, 'Wipe');
    this.full.after(this.single, this.wipe);
    Object.assign(this.acts, {o: () => this.single.click(), w: () => this.wipe.click()});
    this.runs = el('div', {className: 'legend', role: 'group', ariaLabel: 'Runs shown'});
    this.panes.node.before(el('div', {className: 'bar'}, this.runs));
  }

  open(moment, run) {
    this.run = run;
    if (this.run === this.other) this.other = this.names.findIndex((_, i) => i !== run);
    if (!this.chosen[run]) {
      const last = this.chosen.lastIndexOf(true);
      if (last >= 0 && this.chosen.filter(Boolean).length >= kMostBeside) this.chosen[last] = false;
      this.chosen[run] = true;
    }
    this.present(this.list.indexOf(moment));
  }

  // To the next run that has a picture here.
  turn(step) {
    const {shots} = this.list[this.at];
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

  get isSingle() { return isDown(this.single); }
  get isWipe() { return isDown(this.wipe); }

  // One of two levers may be down.
  setMode(mode) {
    if (isDown(mode)) (mode === this.wipe ? this.single : this.wipe).ariaPressed = 'false';
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
  ofDigit(digit) { return digit && digit <= this.names.length ? () => this.alone(digit - 1) : null; }
  get moves() { return {...super.moves, ...(this.isSingle ? {ArrowUp: () => this.turn(-1), ArrowDown: () => this.turn(1)} : {})}; }

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
    const lift = this.kind === 'heat' || isDown(this.brighten);
    const what = {picture: '', heat: ', with a heat map', difference: ', difference from the source'}[kind];
    return [caption, frameImage(shot, kind, `${nameOf(moment)} of ${caption}${what}`, lift)];
  }

  show() {
    super.show();
    const moment = this.list[this.at];
    const shown = this.shown();
    const images = shown.map((i) => this.imageOf(moment, i));
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
  }
}

// One run in a row of small pictures, or the source.
function momentCard(moment, run, {names, series, info}, onOpen) {
  const shot = moment.shots[run];
  return pictureCard(shot, isNoteworthy(info, shot.score), `${nameOf(moment)}. `, onOpen, el('span', {className: 'caption'},
    el('span', {className: 'where'}, runLabel(series[run], names[run])), el('b', {}, score(shot.score, info))));
}

function sourceCard(moment, name, onOpen) {
  return pictureCard(moment.shots[0], false, `${nameOf(moment)}. `, onOpen,
    el('span', {className: 'caption'}, el('span', {className: 'where', title: name}, 'Source')));
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
