// What every plot uses: axes, their steps and labels, samples of lines.

const kTimeSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  14400, 43200, 86400];

function frameSteps() {
  const steps = [];
  for (let unit = 1; unit < 1e12; unit *= 10) steps.push(unit, 2 * unit, 5 * unit);
  return steps;
}

const kLevelDash = [5, 4];  // of lines from which on scores are noteworthy
const kRightLevelDash = [2, 3];  // the same of the axis on the right

const axisFont = '12px system-ui, sans-serif';

function axis(more) {
  return {
    stroke: () => colour('muted'),
    font: axisFont,
    labelFont: axisFont,
    grid: {stroke: () => colour('line'), width: 1},
    ticks: {show: false},
    ...more,
  };
}

// Beside the plot, for the longest of these labels.
const labelRoom = (labels) => Math.max(42, 14 + 7 * Math.max(0, ...(labels ?? []).map((label) => label.length)));

const tickText = (at) => String(Number(at.toPrecision(6)));

// Where the axis of these scores begins and ends. What is noteworthy is in sight. Scores that lie close together, far from
// zero, have the axis to themselves unless zero is what they are measured from.
// `isClose`: the axis begins near the scores in any case.
function scoreRange(info, values, isClose = false) {
  let low = Infinity;
  let high = -Infinity;
  for (const column of values) {
    low = Math.min(low, smallest(column));
    high = Math.max(high, largest(column));
  }
  if (!Number.isFinite(low)) [low, high] = [0, 1];
  if (info.noteworthy !== null) {
    low = Math.min(low, info.noteworthy);
    high = Math.max(high, info.noteworthy * 1.13);
  }
  const room = (high - low) * 0.06;
  const top = high + room;
  if (low < 0) return [low - room, Math.max(top, 0)];
  const isApart = (isClose || (info.flawless === null && low > 0.5 * high)) && high > low;
  return isApart ? [Math.max(0, low - 2 * room), top] : [0, Math.max(high * 1.06, 0) || 1];
}

// Two axes share a plot: what is on the left has the upper part, what is on the right the lower one, so that neither the lines
// nor their levels lie on each other.
const kRightShare = 1 / 3;
const sharedRanges = ([low, high], [rightLow, rightHigh]) => [
  [low - (high - low) * kRightShare / (1 - kRightShare), high], [rightLow, rightLow + (rightHigh - rightLow) / kRightShare]];

// A sample of a line as the plot draws it.
function swatch(one) {
  const line = svgNode('line', {x1: 1, x2: 21, y1: 4, y2: 4, 'stroke-width': 2.5, 'stroke-dasharray': (one.dash || []).join(' ')});
  line.style.stroke = `var(--${one.colourName})`;
  return svgNode('svg', {class: 'swatch', viewBox: '0 0 22 8', 'aria-hidden': 'true'}, line);
}
