// Zooming and moving a plot with the mouse, the wheel and fingers.

const kWheelLines = 16;  // pixels of a wheel that counts lines
const wheelPixels = (event, delta) => delta * (event.deltaMode === 1 ? kWheelLines : event.deltaMode === 2 ? 400 : 1);

// `view`: isWhole, zoomAt(share, factor), moveBy(share), readAt(share); shares are of the plot's width. What is not meant for
// the plot is left to the page: the plain wheel and vertical moves of a finger scroll it.
class Gestures {
  constructor(node, view) {
    this.node = node;
    this.view = view;
    this.pointers = new Map();
    node.addEventListener('wheel', (event) => this.onWheel(event), {passive: false});
    node.addEventListener('pointerdown', (event) => this.onDown(event));
    node.addEventListener('pointermove', (event) => this.onMove(event));
    for (const type of ['pointerup', 'pointercancel']) node.addEventListener(type, (event) => this.onUp(event));
  }

  share(x) {
    const box = this.node.getBoundingClientRect();
    return (x - box.left) / Math.max(1, box.width);
  }

  onWheel(event) {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      this.view.zoomAt(this.share(event.clientX), Math.exp(wheelPixels(event, event.deltaY) / 400));
    } else if ((event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) && !this.view.isWhole) {
      this.view.moveBy(wheelPixels(event, sideways) / Math.max(1, this.node.clientWidth));
    } else {
      return;
    }
    event.preventDefault();
  }

  // A mouse moves the plot with shift or the middle button; without, it is the plot's own affair.
  static isMove(event) { return event.shiftKey || event.button === 1; }

  onDown(event) {
    if (event.pointerType === 'mouse' && !Gestures.isMove(event)) return;
    if (event.pointerType === 'mouse') event.preventDefault();
    this.pointers.set(event.pointerId, event.clientX);
    this.node.setPointerCapture(event.pointerId);
    this.node.classList.add('moving');
  }

  onMove(event) {
    if (!this.pointers.has(event.pointerId)) return;
    const before = [...this.pointers.values()];
    this.pointers.set(event.pointerId, event.clientX);
    const now = [...this.pointers.values()];
    const middle = (places) => this.share(places.reduce((sum, x) => sum + x, 0) / places.length);
    if (now.length > 1) {
      const apart = (places) => Math.max(8, Math.abs(places[0] - places[1]));
      this.view.zoomAt(middle(now), apart(before) / apart(now));
    } else if (this.view.isWhole) {
      if (event.pointerType !== 'mouse') this.view.readAt(this.share(event.clientX));
      return;
    }
    this.view.moveBy(middle(before) - middle(now));
  }

  onUp(event) {
    this.pointers.delete(event.pointerId);
    if (this.pointers.size === 0) this.node.classList.remove('moving');
  }
}
