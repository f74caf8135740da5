// Reads what the page carries and builds it. `window.cambi` is there for tests and the console.

const parsed = (node) => JSON.parse(node.textContent);
const about = parsed(document.getElementById('about'));
const reports = [...document.querySelectorAll('script.report')].map(parsed);
const root = document.getElementById('page');
window.cambi = about.kind === 'comparison' ? comparePage(root, about, reports)
  : reportPage(root, about, reports[0], parsed(document.getElementById('pictures')));
