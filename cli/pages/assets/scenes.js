// The scores of every scene.

const kSceneMetrics = 3;

// What a table says of a scene: of the first metric how bad it gets as well, of the others the mean.
function sceneStatistics(metrics) {
  const [lead, ...others] = metrics;
  const ends = lead.info.better === 'lower' ? ['p95', 'max'] : ['p5', 'min'];
  return [...['mean', ...ends].map((name) => ({metric: lead, name})), ...others.map((metric) => ({metric, name: 'mean'}))];
}

// Statistics of infinite scores are null in the report.
function sceneValue(scene, {metric, name}, {frames}, report) {
  const value = scene.metrics[metric.name]?.[name];
  if (value !== null || name === 'stdev') return value ?? null;
  const inside = report.frames.filter((_, i) => frames[i] >= scene.first && frames[i] <= scene.last);
  const missing = inside.filter(({metrics, infinite}) => metrics[metric.name] === null && !infinite?.includes(metric.name));
  return missing.length ? null : Infinity;
}

// `show(metric, first, last)` takes positions among the scored frames. A single scene is what the statistics are of.
function scenesSection(report, columns, about, show) {
  const scenes = report.scenes ?? [];
  const metrics = columns.metrics.filter(({name}) => scenes.some((scene) => name in scene.metrics)).slice(0, kSceneMetrics);
  if (scenes.length < 2 || !metrics.length) return null;
  const shown = sceneStatistics(metrics);
  // Of all samples of a scene together.
  const percentiles = columns.metrics.filter(({name}) => scenes.some((scene) => name in (scene.aggregate_metrics ?? {})));
  const [{metric: lead}] = shown;
  const cells = (scene, i, timed) => [
    ...placeCells(scene, i, {word: 'scene', timed, columns, show: (from, to) => show(lead.name, from, to)}),
    ...shown.map((one) => {
      const value = sceneValue(scene, one, columns, report);
      return el('td', exactly(value, one.metric.info), (one.name === 'mean' ? meanScore : score)(value, one.metric.info));
    }),
    ...percentiles.map(({name, info}) => {
      const value = scene.aggregate_metrics?.[name] ?? null;
      return el('td', exactly(value, info), score(value, info));
    })];
  const title = ({metric, name}) => {
    const words = about.statistics.find((statistic) => statistic.name === name)?.title ?? name;
    return metric === lead && name !== 'mean' ? words : `${shownName(metric, columns)}, ${words.toLowerCase()}`;
  };
  const badness = (scene) => {
    const mean = sceneValue(scene, shown[0], columns, report);
    return mean === null ? -Infinity : higherIsBetter(lead.info) ? -mean : mean;
  };
  const node = section('Scenes', `${plural(scenes.length, 'scene')}; ticks at the foot of the curve are where they begin.`,
    ...stretchTable('scene', scenes, {headings: [...shown.map(title), ...percentiles.map((metric) => shownName(metric, columns))], cells, badness}));
  node.classList.add('scenes');
  return node;
}
