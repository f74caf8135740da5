// The whole run under a plot, with the part that the plot shows as a frame to move and to resize.

const kStripHeight = 44;
const kStripPoints = 600;

// `view`: span [first, last], window [low, high], setWindow(low, high), zoom(factor), text(at), xs, bands, and panels, of which
// the first is drawn.
class Strip {
  constructor(view) {
    this.view = view;
    this.canvas = el('canvas', {ariaHidden: 'true'});
    this.frame = this.handle('frame', 'Part of the run that is shown', (key, far) => this.moveKey(key, far));
    this.start = this.handle('grip start', 'Start of the part that is shown', (key, far) => this.gripKey(0, key, far));
    this.end = this.handle('grip end', 'End of the part that is shown', (key, far) => this.gripKey(1, key, far));
    this.before = el('div', {className: 'outside'});
    this.after = el('div', {className: 'outside'});
    this.node = el('div', {className: 'strip', role: 'group', ariaLabel: 'The whole run'}, this.canvas, this.before, this.after,
      this.frame, this.start, this.end);
    this.node.addEventListener('pointerdown', (event) => this.onDown(event));
    this.node.addEventListener('pointermove', (event) => this.drag?.(this.at(event)));
    for (const type of ['pointerup', 'pointercancel']) this.node.addEventListener(type, () => { this.drag = null; });
    this.node.addEventListener('dblclick', () => this.view.setWindow(...this.view.span));
  }

  handle(className, label, onKey) {
    const node = el('div', {className, tabIndex: 0, role: 'slider', ariaLabel: label, ariaOrientation: 'horizontal'});
    node.addEventListener('keydown', (event) => {
      if (event.key === '+' || event.key === '=') this.view.zoom(0.5);
      else if (event.key === '-') this.view.zoom(2);
      else if (event.key === '0' || event.key === 'Escape') this.view.setWindow(...this.view.span);
      else if (!onKey(event.key, event.shiftKey)) return;
      event.preventDefault();
    });
    return node;
  }

  at(event) {
    const box = this.node.getBoundingClientRect();
    const [first, last] = this.view.span;
    return first + Math.min(Math.max((event.clientX - box.left) / Math.max(1, box.width), 0), 1) * (last - first);
  }

  onDown(event) {
    if (event.button !== 0) return;
    const [low, high] = this.view.window;
    const [first, last] = this.view.span;
    const at = this.at(event);
    this.node.setPointerCapture(event.pointerId);
    if (event.target === this.start) this.drag = (to) => this.view.setWindow(Math.min(to, high), high);
    else if (event.target === this.end) this.drag = (to) => this.view.setWindow(low, Math.max(to, low));
    else if (low <= first && high >= last) this.drag = (to) => this.brush(at, to);
    else {
      const offset = at >= low && at <= high ? at - low : (high - low) / 2;
      this.drag = (to) => this.view.setWindow(to - offset, to - offset + high - low);
      this.drag(at);
    }
  }

  // Where the frame holds the whole run there is nothing to move: dragging picks a part.
  brush(from, to) {
    const [first, last] = this.view.span;
    if (Math.abs(to - from) > (last - first) / 200) this.view.setWindow(Math.min(from, to), Math.max(from, to));
  }

  moveKey(key, far) {
    const [low, high] = this.view.window;
    const [first, last] = this.view.span;
    const step = (high - low) * (far ? 1 : 0.1);
    const moves = {ArrowLeft: low - step, ArrowDown: low - step, ArrowRight: low + step, ArrowUp: low + step,
      PageUp: high, PageDown: low - (high - low), Home: first, End: last - (high - low)};
    if (!(key in moves)) return false;
    this.view.setWindow(moves[key], moves[key] + high - low);
    return true;
  }

  gripKey(side, key, far) {
    const [first, last] = this.view.span;
    const ends = [...this.view.window];
    const step = (last - first) * (far ? 0.1 : 0.01);
    const moves = {ArrowLeft: ends[side] - step, ArrowDown: ends[side] - step, ArrowRight: ends[side] + step,
      ArrowUp: ends[side] + step, PageUp: ends[side] + 10 * step, PageDown: ends[side] - 10 * step, Home: first, End: last};
    if (!(key in moves)) return false;
    ends[side] = moves[key];
    this.view.setWindow(Math.min(...ends), Math.max(...ends));
    return true;
  }

  // Fits the strip under the plot: left and width in pixels of the page.
  place(left, width) {
    this.node.style.marginLeft = `${left}px`;
    this.node.style.width = `${width}px`;
    this.paint(width);
  }

  paint(width = this.node.clientWidth) {
    const ratio = devicePixelRatio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = kStripHeight * ratio;
    const context = this.canvas.getContext('2d');
    const {xs, bands, span: [first, last], panels: [{series, ranges}]} = this.view;
    const x = (at) => (last > first ? (at - first) / (last - first) * this.canvas.width : 0);
    const heightIn = ([bottom, top]) => (value) => this.canvas.height * (1 - (Math.min(Math.max(value, bottom), top) - bottom) / (top - bottom));
    context.fillStyle = colour('warn-ground');
    for (const [from, to] of bands) context.fillRect(x(xs[from]), 0, Math.max(ratio, x(xs[to]) - x(xs[from])), this.canvas.height);
    for (const one of series) if (!one.hidden) this.line(context, one, {x, y: heightIn(ranges[one.scale]), xs, ratio});
  }

  line(context, one, {x, y, xs, ratio}) {
    const frames = Math.max(1, Math.ceil(one.values.length / kStripPoints));
    context.strokeStyle = one.colour();
    context.fillStyle = one.colour();
    context.lineWidth = ratio;
    context.beginPath();
    for (let start = 0; start < one.values.length; start += frames) {
      const part = one.values.slice(start, start + frames);
      const low = smallest(part);
      if (!Number.isFinite(low)) continue;
      const at = x(xs[start]);
      context.moveTo(at, y(low) + ratio / 2);
      context.lineTo(at, y(largest(part)) - ratio / 2);
      if (frames === 1 && isNumber(one.values[start + 1])) {
        context.moveTo(at, y(low));
        context.lineTo(x(xs[start + 1]), y(one.values[start + 1]));
      }
    }
    context.stroke();
  }

  // Puts the frame where the window is.
  show() {
    const [low, high] = this.view.window;
    const [first, last] = this.view.span;
    const percent = (at) => (last > first ? 100 * (at - first) / (last - first) : at === low ? 0 : 100);
    const [from, to] = [percent(low), percent(high)];
    this.frame.style.left = this.start.style.left = this.before.style.width = `${from}%`;
    this.frame.style.width = `${to - from}%`;
    this.end.style.left = this.after.style.left = `${to}%`;
    this.after.style.width = `${100 - to}%`;
    const tell = (node, at, text) => {
      for (const [name, value] of Object.entries({min: first, max: last, now: at, text})) node.setAttribute(`aria-value${name}`, value);
    };
    tell(this.frame, low, `${this.view.text(low)} to ${this.view.text(high)}`);
    tell(this.start, low, this.view.text(low));
    tell(this.end, high, this.view.text(high));
  }
}
