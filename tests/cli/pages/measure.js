// Looks at the page that is open and lists what a reader would stumble over; measure.py runs it and adds what to call.
// All sizes are CSS pixels. What lies behind an open dialog is left out, as is what can be reached by scrolling.

const kSlack = 1;
const scene = document.querySelector('dialog[open]') ?? document.body;
const isShown = (element) => element.checkVisibility({opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true});
const words = (text) => text.replace(/\s+/g, ' ').trim().slice(0, 60);

function selectorOf(element) {
  const own = element.tagName.toLowerCase() + (element.id ? `#${element.id}` : '') +
    [...element.classList].map((name) => `.${name}`).join('');
  const parent = element.parentElement;
  return parent && parent !== document.body ? `${selectorOf(parent).split(' > ').slice(-2).join(' > ')} > ${own}` : own;
}

const nameOf = (element) => `${selectorOf(element)} "${words(element.textContent || element.getAttribute('aria-label') || '')}"`;

function* ancestors(element) {
  for (let at = element; at; at = at.parentElement) yield at;
}

// Only for those who have the page read out to them.
function isForScreenReaders(element) {
  for (const at of ancestors(element)) {
    if (getComputedStyle(at).clipPath === 'inset(50%)') return true;
  }
  return false;
}

// Every piece of text that is shown: the element around it, and the boxes of its lines.
function* texts() {
  const walker = document.createTreeWalker(scene, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !isShown(element) || isForScreenReaders(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
    if (boxes.length) yield {element, boxes, text: words(node.data)};
  }
}

// What of the box can be seen, or be scrolled to, and whether something is cut off.
function clip(box, element) {
  let {left, right, top, bottom} = box;
  let cut = false;
  for (const at of ancestors(element)) {
    if (at === document.body || at === document.documentElement) break;
    const style = getComputedStyle(at);
    if (style.display === 'inline' || style.display === 'contents') continue;
    const port = at.getBoundingClientRect();
    const limits = {left: port.left + at.clientLeft, right: port.left + at.clientLeft + at.clientWidth,
      top: port.top + at.clientTop, bottom: port.top + at.clientTop + at.clientHeight};
    if (/hidden|clip/.test(style.overflowX)) cut ||= left < limits.left - kSlack || right > limits.right + kSlack;
    if (/hidden|clip/.test(style.overflowY)) cut ||= top < limits.top - kSlack || bottom > limits.bottom + kSlack;
    if (style.overflowX !== 'visible') [left, right] = [Math.max(left, limits.left), Math.min(right, limits.right)];
    if (style.overflowY !== 'visible') [top, bottom] = [Math.max(top, limits.top), Math.min(bottom, limits.bottom)];
    if (style.position === 'fixed') break;
  }
  return {left, right, top, bottom, cut, isSeen: right - left > kSlack && bottom - top > kSlack};
}

function cutTexts() {
  const found = [];
  const width = document.documentElement.clientWidth;
  for (const {element, boxes, text} of texts()) {
    for (const box of boxes) {
      const seen = clip(box, element);
      const isOutside = seen.isSeen && (seen.left < -kSlack || seen.right > width + kSlack);
      if (seen.cut || isOutside) found.push(`${selectorOf(element)} "${text}" is ${seen.cut ? 'cut off' : 'beyond the window'}`);
    }
  }
  for (const field of scene.querySelectorAll('input:not([type=radio]):not([type=checkbox]), textarea')) {
    if (isShown(field) && field.scrollWidth > field.clientWidth + kSlack) found.push(`${nameOf(field)} is wider than its field`);
  }
  return [...new Set(found)];
}

// What is wider than the window, where the page as a whole would have to be moved sideways.
function sideways() {
  const {scrollWidth, clientWidth} = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...scene.querySelectorAll('*')].filter((one) => isShown(one) && one.getBoundingClientRect().right > clientWidth + kSlack);
  return [`the page is ${scrollWidth} wide in a window of ${clientWidth}: ${wide.slice(0, 3).map(selectorOf).join(', ')}`];
}

// Texts of different elements on top of each other. Lines are higher than their letters, so they may touch.
function overlaps() {
  const found = new Set();
  const boxes = [];
  for (const {element, boxes: lines, text} of texts()) {
    for (const line of lines) {
      const seen = clip(line, element);
      if (seen.isSeen) boxes.push({...seen, element, text});
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, i) => {
    for (let k = i + 1; k < boxes.length && boxes[k].top < a.bottom; ++k) {
      const b = boxes[k];
      if (a.element === b.element) continue;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - b.top;
      if (across > kSlack && down > 0.3 * Math.min(a.bottom - a.top, b.bottom - b.top)) {
        found.add(`${selectorOf(a.element)} "${a.text}" lies over ${selectorOf(b.element)} "${b.text}"`);
      }
    }
  });
  return [...found];
}

// A colour as CSS has it: red, green, blue of 255, and how opaque.
const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function rgba(colour) {
  paint.clearRect(0, 0, 1, 1);
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 1, 1);
  const [red, green, blue, opaque] = paint.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, opaque / 255];
}

const over = ([r, g, b, a], below) => [...[r, g, b].map((part, i) => part * a + below[i] * (1 - a)), 1];

function luminance(colour) {
  const [red, green, blue] = colour.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratioOf(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
}

const groundBelow = (element) => [...ancestors(element)].reverse()
  .reduce((ground, at) => over(rgba(getComputedStyle(at).backgroundColor), ground), [255, 255, 255, 1]);

function contrastOf(element, property = 'color') {
  const ground = groundBelow(element);
  const [red, green, blue, opaque] = rgba(getComputedStyle(element)[property]);
  const seen = [...ancestors(element)].reduce((share, at) => share * Number(getComputedStyle(at).opacity), opaque);
  return ratioOf(over([red, green, blue, seen], ground), ground);
}

function faintTexts(least) {
  const found = new Set();
  for (const {element, text} of texts()) {
    const ratio = contrastOf(element);
    if (ratio < least) found.add(`${selectorOf(element)} "${text}" has a contrast of ${ratio.toFixed(2)}`);
  }
  return [...found];
}

// The colours that lines have, on the page's ground.
function faintLines(least) {
  const ground = groundBelow(document.body);
  const style = getComputedStyle(document.documentElement);
  return [0, 1, 2, 3, 4, 5, 6].map((i) => [i, ratioOf(rgba(style.getPropertyValue(`--c${i}`)), ground)])
    .filter(([, ratio]) => !(ratio >= least)).map(([i, ratio]) => `line ${i} has a contrast of ${ratio.toFixed(2)}`);
}

// What can be tapped, and is smaller than a fingertip needs. A label counts for its hidden input, words in a text may be low.
function smallTargets(least) {
  const found = [];
  const selector = 'a[href], button, input, select, textarea, summary, label, [tabindex], [role=button], [role=slider]';
  for (const one of scene.querySelectorAll(selector)) {
    if (!isShown(one) || one.disabled || isForScreenReaders(one) || (one.tagName === 'A' && getComputedStyle(one).display === 'inline')) continue;
    const {width, height} = one.getBoundingClientRect();
    if (width < least - 0.01 || height < least - 0.01) found.push(`${nameOf(one)} is ${width.toFixed(1)} by ${height.toFixed(1)}`);
  }
  return found;
}

// Where everything is that must stay there while the reader points at something.
function places() {
  const shown = [...document.querySelectorAll('.plot, section, header, footer, h2, .controls, .tools, table, #licence')].filter(isShown);
  return shown.map((one) => {
    const {left, top, width, height} = one.getBoundingClientRect();
    return [selectorOf(one), ...[left + scrollX, top + scrollY, width, height].map((value) => Math.round(value * 10) / 10)];
  });
}

// The plots' own words: drawn beyond the canvas, over each other, or too faint on the page.
function plotTexts(least) {
  const found = new Set();
  for (const {u} of plotsOf(window.cambi)) {
    const {canvas} = u.ctx;
    if (!isShown(canvas)) continue;
    const ground = groundBelow(canvas);
    const drawn = drawnTexts(u);
    const where = selectorOf(canvas.closest('section') ?? canvas);
    if (!drawn.length) found.add(`${where}: nothing is written on the plot`);
    drawn.forEach((a, i) => {
      const name = `${where}: "${a.text}"`;
      if (a.left < -kSlack || a.top < -kSlack || a.right > canvas.width + kSlack || a.bottom > canvas.height + kSlack) {
        found.add(`${name} is drawn beyond the canvas`);
      }
      const ratio = ratioOf(over(rgba(a.colour), ground), ground);
      if (ratio < least) found.add(`${name} has a contrast of ${ratio.toFixed(2)}`);
      for (const b of drawn.slice(i + 1)) {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.add(`${name} lies over "${b.text}"`);
      }
    });
  }
  return [...found];
}

function plotsOf(page, depth = 3) {
  if (!page || typeof page !== 'object' || !depth) return [];
  if (page.u?.ctx) return [page];
  return Object.values(page).filter((one) => one && typeof one === 'object' && !Array.isArray(one) && !(one instanceof Node))
    .flatMap((one) => plotsOf(one, depth - 1));
}

// Draws the plot once more and notes each word.
function drawnTexts(u) {
  const drawn = [];
  const context = u.ctx;
  const write = context.fillText;
  context.fillText = function (text, x, y, ...rest) {
    if (String(text).trim()) {
      const size = this.measureText(text);
      const {a, b, c, d, e, f} = this.getTransform();
      const corners = [-size.actualBoundingBoxLeft, size.actualBoundingBoxRight].flatMap((dx) =>
        [-size.actualBoundingBoxAscent, size.actualBoundingBoxDescent].map((dy) => [x + dx, y + dy]))
        .map(([px, py]) => [a * px + c * py + e, b * px + d * py + f]);
      const [xs, ys] = [0, 1].map((k) => corners.map((corner) => corner[k]));
      drawn.push({text: String(text), colour: this.fillStyle, left: Math.min(...xs), right: Math.max(...xs),
        top: Math.min(...ys), bottom: Math.max(...ys)});
    }
    return write.call(this, text, x, y, ...rest);
  };
  try {
    u.batch(() => u.redraw(false, true));
  } finally {
    delete context.fillText;
  }
  return drawn;
}

// The element with the focus, and what is wrong with how that shows: no outline, a faint one, or one outside the window.
function focused() {
  const element = document.activeElement;
  if (!element || element === document.body || element === document.documentElement) return [null, []];
  const faults = [];
  const drawn = element.matches('.chooser input') ? element.nextElementSibling : element;
  const {outlineStyle, outlineWidth} = getComputedStyle(drawn);
  if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) faults.push(`${nameOf(element)} has no outline`);
  else if (outlineStyle !== 'auto' && ratioOf(
    over(rgba(getComputedStyle(drawn).outlineColor), groundBelow(drawn.parentElement)), groundBelow(drawn.parentElement)) < 3) {
    faults.push(`${nameOf(element)} has a faint outline`);
  }
  const box = drawn.getBoundingClientRect();
  if (box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) faults.push(`${nameOf(element)} is outside the window`);
  return [selectorOf(element) + [...document.querySelectorAll('*')].indexOf(element), faults];
}
