// How scores are drawn: every frame where there is room for them, else the mean of a few with what they lie between.

const kMostFramesAPixel = 3;  // up to here every frame is drawn
const kPixelsOfAMean = 2;

// How many frames one point of a line stands for in this part of a plot.
function framesAPoint(u, from, to) {
  const pixels = Math.max(1, u.bbox.width / devicePixelRatio);
  const each = (to - from + 1) / pixels;
  return each <= kMostFramesAPixel ? 1 : Math.round(each * kPixelsOfAMean);
}

// One point for so many frames: {x, mean, low, high} in pixels of the canvas, or null where no score is known. Points keep
// their frames when the window moves.
function pointsOf(u, values, from, to, frames, scale = 'y') {
  const xs = u.data[0];
  const points = [];
  const y = (value) => u.valToPos(value, scale, true);
  for (let start = from - from % frames; start <= to; start += frames) {
    const end = Math.min(start + frames, values.length);
    let sum = 0;
    let known = 0;
    let low = Infinity;
    let high = -Infinity;
    for (let i = start; i < end; ++i) {
      const value = values[i];
      if (!isNumber(value)) continue;
      sum += value;
      ++known;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    points.push(known ? {x: u.valToPos(xs[(start + end - 1) >> 1], 'x', true), mean: y(sum / known), low: y(low), high: y(high)} : null);
  }
  return points;
}

function lineThrough(points) {
  const path = new Path2D();
  let isOpen = false;
  for (const point of points) {
    if (point === null) {
      isOpen = false;
      continue;
    }
    if (isOpen) path.lineTo(point.x, point.mean);
    else path.moveTo(point.x, point.mean);
    isOpen = true;
  }
  return path;
}

// The area between two heights of the same points.
function areaBetween(points, upper, lower) {
  const path = new Path2D();
  let run = [];
  const close = () => {
    run.forEach((point, i) => (i ? path.lineTo(point.x, upper(point)) : path.moveTo(point.x, upper(point))));
    for (const point of run.reverse()) path.lineTo(point.x, lower(point));
    if (run.length) path.closePath();
    run = [];
  };
  for (const point of points) {
    if (point === null) close();
    else run.push(point);
  }
  close();
  return path;
}

// What uPlot strokes and fills for one line. `one.above`: the line of the reference, down to which the area is filled;
// `one.interval`: what the score lies between, {low, high}.
function linePaths(u, one, from, to) {
  const frames = framesAPoint(u, from, to);
  const points = pointsOf(u, one.values, from, to, frames, one.scale);
  const fill = new Map();
  if (one.interval) {
    const [low, high] = [one.interval.low, one.interval.high].map((values) => pointsOf(u, values, from, to, frames, one.scale));
    const both = low.map((point, i) => (point && high[i] ? {x: point.x, upper: high[i].mean, lower: point.mean} : null));
    fill.set(`${colour(one.colourName)}33`, areaBetween(both, (point) => point.upper, (point) => point.lower));
  }
  // That of a reference would hide the line that it is compared with.
  if (frames > 1 && !one.isReference) {
    fill.set(`${colour(one.colourName)}55`, areaBetween(points, (point) => point.high, (point) => point.low));
  }
  if (one.above && !one.above.hidden) {
    const other = pointsOf(u, one.above.values, from, to, frames, one.scale);
    const both = points.map((point, i) => (point && other[i] ? {x: point.x, upper: point.mean, lower: other[i].mean} : null));
    fill.set(`${colour(one.colourName)}33`, areaBetween(both, (point) => point.upper, (point) => point.lower));
  }
  return {stroke: lineThrough(points), fill, clip: null, band: null, gaps: null, flags: 0};
}

// Whether most frames have the same score in both, to the eye.
function coincide(one, other, range) {
  const step = Math.max(1, Math.floor(one.values.length / 4000));
  let same = 0;
  let known = 0;
  for (let i = 0; i < one.values.length; i += step) {
    if (!isNumber(one.values[i]) || !isNumber(other.values[i])) continue;
    ++known;
    if (Math.abs(one.values[i] - other.values[i]) < range / 200) ++same;
  }
  return known > 0 && same > known / 2;
}

// Lines that lie on each other: those beneath are wider, so that each is seen. `ranges`: of each scale.
function widthsOf(series, ranges) {
  return series.map((one, i) => {
    const [low, high] = ranges[one.scale];
    const lies = (other) => !other.hidden && other.scale === one.scale && coincide(one, other, high - low);
    const above = series.slice(i + 1).filter(lies).length;
    return (one.width || 1.5) + 2.5 * Math.min(above, 3);
  });
}

// Shades stretches behind the lines. Those narrower than a pixel are as wide as one.
function drawBands(u, bands, xs) {
  drawOn(u, 'warn-ground', (context, {left, top, width, height}, ratio) => {
    for (const [first, last] of bands) {
      const from = Math.max(left, u.valToPos(xs[first], 'x', true));
      const to = Math.min(left + width, Math.max(u.valToPos(xs[last], 'x', true), from + ratio));
      if (to > from) context.fillRect(from, top, to - from, height);
    }
  });
}

// Draws over or under a plot in a colour.
function drawOn(u, colourName, draw) {
  u.ctx.save();
  u.ctx.fillStyle = u.ctx.strokeStyle = colour(colourName);
  draw(u.ctx, u.bbox, devicePixelRatio);
  u.ctx.restore();
}

// `from` and `to`: in pixels of the canvas.
function drawLine(u, {colourName, dash = [], width}, from, to) {
  drawOn(u, colourName, (context, box, ratio) => {
    context.lineWidth = width * ratio;
    context.setLineDash(dash.map((part) => part * ratio));
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  });
}

// A dashed line; what it means stands above the plot.
function drawNoteworthy(u, {info, scale}, colourName, dash) {
  if (info.noteworthy === null) return;
  const y = Math.round(u.valToPos(info.noteworthy, scale, true));
  drawLine(u, {colourName, dash, width: 1}, [u.bbox.left, y], [u.bbox.left + u.bbox.width, y]);
}
