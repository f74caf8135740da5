// The same frame of several runs side by side: rows of small pictures, and a large view in which one walks from moment to
// moment and from run to run.

const kMostBeside = 4;  // pictures in the large view, so that each can be judged

class RunsView {
  // `moments`: {frame, timestamp, spread, shots}, each with a shot a run, {picture, heat, score} or null.
  constructor(names, moments, {info, heat, onShow}) {
    Object.assign(this, {names, moments, info, onShow});
    this.at = 0;
    this.chosen = names.map((_, i) => i < kMostBeside);
    this.title = el('h3', {id: 'runs-title'});
    this.panes = new Panes();
    this.scale = heat ? heatScale(heat) : el('p');
    this.note = el('p', {className: 'note'}, 'Compressed to keep the page small: fine noise in it is not as it was.');
    this.brighten = lever('Brighten', () => this.show(), 'Show dark places (b)');
    this.full = lever('Full size', () => this.show(), 'A pixel of the picture for each of the screen (z); drag to move');
    this.single = lever('One at a time', () => this.show(), 'Switch between runs at the same place with the up and down arrows (o)');
    const hasHeat = moments.some(({shots}) => shots.some((shot) => shot?.heat));
    this.kind = 'picture';
    this.kinds = chooser('Picture', [['picture', 'Picture'], ['heat', 'Heat map']], this.kind, (kind) => {
      this.kind = kind;
      this.show();
    });
    this.kinds.hidden = !hasHeat;
    this.next = button('\u2192', () => this.go(1), {title: 'Next moment (right arrow)', ariaLabel: 'Next moment'});
    this.previous = button('\u2190', () => this.go(-1), {title: 'Previous moment (left arrow)', ariaLabel: 'Previous moment'});
    this.runs = el('div', {className: 'legend', role: 'group', ariaLabel: 'Runs shown'});
    const inCurve = button('Show in curve', () => {
      this.node.close();
      onShow(this.moments[this.at]);
    });
    const close = button('Close', () => this.node.close(), {title: 'Close (Escape)'});
    this.node = el('dialog', {className: 'large beside'},
      el('div', {className: 'bar'}, this.title, el('div', {className: 'tools'}, this.kinds, this.brighten, this.full, this.single,
        this.previous, this.next, inCurve, close)),
      el('div', {className: 'bar'}, this.runs), this.panes.node, this.scale, this.note);
    this.node.setAttribute('aria-labelledby', 'runs-title');
    this.node.addEventListener('keydown', (event) => this.onKey(event));
    this.node.addEventListener('click', (event) => { if (event.target === this.node) this.node.close(); });
  }

  open(moment, run) {
    this.at = this.moments.indexOf(moment);
    this.run = run;
    if (!this.chosen[run]) {
      const last = this.chosen.lastIndexOf(true);
      if (last >= 0 && this.chosen.filter(Boolean).length >= kMostBeside) this.chosen[last] = false;
      this.chosen[run] = true;
    }
    this.show();
    this.node.showModal();
    this.next.focus();
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
      this.run = run;
      break;
    }
    this.show();
  }

  get isSingle() { return this.single.ariaPressed === 'true'; }

  choose(run) {
    if (this.isSingle) this.run = run;
    else this.chosen[run] = !this.chosen[run] || this.chosen.filter(Boolean).length === 1;
    this.show();
  }

  show() {
    const moment = this.moments[this.at];
    const shown = this.names.map((_, i) => i).filter((i) => (this.isSingle ? i === this.run : this.chosen[i]));
    const lift = this.kind === 'heat' || this.brighten.ariaPressed === 'true';
    this.panes.setFull(this.full.ariaPressed === 'true');
    this.panes.show(shown.map((i) => {
      const shot = moment.shots[i];
      const caption = `${this.names[i]} \u00b7 ${score(shot?.score, this.info)}`;
      if (!shot?.picture) return [caption, el('p', {className: 'note'}, 'No picture')];
      const kind = this.kind === 'heat' && shot.heat ? 'heat' : 'picture';
      return [caption, frameImage(shot, kind, `${nameOf(moment)} of ${caption}${kind === 'heat' ? ', with a heat map' : ''}`, lift)];
    }));
    this.panes.node.classList.toggle('many', shown.length > 2);
    const buttons = this.names.map((name, i) => button(name, () => this.choose(i), {ariaPressed: String(shown.includes(i))}));
    const focused = [...this.runs.children].indexOf(document.activeElement);
    this.runs.replaceChildren(...buttons);
    if (focused >= 0) buttons[focused].focus();
    this.scale.hidden = this.kind !== 'heat';
    this.note.hidden = shown.every((i) => moment.shots[i]?.exact !== false);
    this.title.textContent = this.isSingle && shown.length
      ? `${nameOf(moment)} \u00b7 ${this.names[this.run]} \u00b7 ${score(moment.shots[this.run]?.score, this.info)}` : nameOf(moment);
    this.previous.ariaDisabled = String(this.at === 0);
    this.next.ariaDisabled = String(this.at === this.moments.length - 1);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inPane = this.panes.full && event.target.classList.contains('pane');
    if (event.key === 'b') this.brighten.click();
    else if (event.key === 'z') this.full.click();
    else if (event.key === 'o') this.single.click();
    else if (event.target.type === 'radio' || inPane) return;
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

// `moments` as RunsView takes them. `page`: {names, series, info, heat, onShow}.
function momentRows(moments, page) {
  const view = moments.some(({shots}) => shots.some((shot) => shot?.picture)) ? new RunsView(page.names, moments, page) : null;
  const rows = moments.map((moment, rank) => {
    const open = (run) => (moment.shots[run].picture ? view.open(moment, run) : page.onShow(moment));
    const title = [String(rank + 1), nameOf(moment), `${score(moment.spread, page.info)} apart`].join(' \u00b7 ');
    return el('li', {}, el('h3', {}, title), el('ol', {className: 'cards small pictured'},
      ...page.names.map((_, run) => run).filter((run) => moment.shots[run])
        .map((run) => momentCard(moment, run, page, () => open(run)))));
  });
  return el('div', {className: 'moments'}, el('ol', {className: 'rows'}, ...rows), view?.node);
}
