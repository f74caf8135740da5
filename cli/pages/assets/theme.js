// Light or dark: as the system has it until the reader chooses; always light on paper.

const theme = {
  listeners: [],
  system: matchMedia('(prefers-color-scheme: dark)'),
  chosen: null,

  get dark() { return this.chosen === null ? this.system.matches : this.chosen === 'dark'; },

  apply(dark = this.dark) {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    for (const listener of this.listeners) listener();
  },

  toggle() {
    const node = button('', () => {
      this.chosen = this.dark ? 'light' : 'dark';
      this.apply();
    }, {className: 'quiet'});
    const name = () => { node.textContent = this.dark ? 'Light' : 'Dark'; };
    node.title = 'Switch between light and dark';
    this.listeners.push(name);
    name();
    return node;
  },
};

// Shades of the colours of lines, by name: a colour, and by how much it is mixed with the ink, or below 0 with the ground.
const shades = new Map();
function mixed(one, other, share) {
  const parts = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const [from, to] = [parts(one), parts(other)];
  return `#${from.map((part, i) => Math.round(part + (to[i] - part) * share).toString(16).padStart(2, '0')).join('')}`;
}
function applyShades() {
  const {style} = document.documentElement;
  for (const [name, {base, amount}] of shades) {
    style.setProperty(`--${name}`, mixed(colour(base), colour(amount < 0 ? 'ground' : 'ink'), Math.abs(amount)));
  }
}
theme.listeners.push(applyShades);
theme.apply();
theme.system.addEventListener('change', () => theme.apply());

// Plots have their size in pixels, so each is fitted to the sheet and back.
const plots = [];
const kSheetWidth = 680;
const kSheetHeight = 0.6;  // of plots, of what they have on the screen
// What explains the words is open on paper, where nothing can be opened.
const words = () => document.getElementById('words');
let wordsWereOpen = false;
let isOnPaper = false;
addEventListener('beforeprint', () => {
  isOnPaper = true;
  theme.apply(false);
  wordsWereOpen = words()?.open ?? false;
  if (words()) words().open = true;
  for (const plot of plots) plot.fit(Math.min(kSheetWidth, plot.sheetShare * kSheetWidth), kSheetHeight);
});
// Firefox tells of the end while the page is still laid out for paper.
addEventListener('afterprint', () => requestAnimationFrame(() => {
  isOnPaper = false;
  theme.apply();
  if (words()) words().open = wordsWereOpen;
  for (const plot of plots) plot.fit();
}));

// Keeps a plot as wide as its host and in the colours of the theme.
function adopt(plot, host, sheetShare = 1) {
  plot.sheetShare = sheetShare;
  plots.push(plot);
  new ResizeObserver(() => { if (!isOnPaper) plot.fit(); }).observe(host);
  theme.listeners.push(() => { if (plots.includes(plot)) plot.repaint(); });
}
