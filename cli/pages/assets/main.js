// Reads what the page carries and builds it. `window.cambi` is there for tests and the console, once all is built.

const parsed = (node) => JSON.parse(node.textContent);

async function main() {
  const root = document.getElementById('page');
  const about = parsed(document.getElementById('about'));
  root.append(el('p', {className: 'note'}, `Reading the report of ${about.name} \u2026`));
  try {
    const texts = await Promise.all([...document.querySelectorAll('script.report')].map((_, i) => reportText(i)));
    const reports = texts.map((text) => withInfinities(JSON.parse(text)));
    root.replaceChildren();
    window.cambi = about.kind === 'batch' ? batchPage(root, about)
      : about.kind === 'comparison' ? comparePage(root, about, reports, parsed(document.getElementById('pictures')))
      : reportPage(root, about, reports[0], parsed(document.getElementById('pictures')));
    makeScrollersReachable(root);
    performance.mark('ready');
  } catch (error) {
    // What the page would show without scripts says the most of it.
    const summary = new DOMParser().parseFromString(document.querySelector('noscript').textContent, 'text/html').body.textContent;
    root.replaceChildren(el('p', {className: 'warnings'}, 'This browser cannot show the page. It needs one of 2023 or later.'),
      el('pre', {}, summary));
    throw error;
  }
}
main();
