// Tables that are wider than the window scroll by themselves. While one is, the keyboard can reach it, under the name of
// what it belongs to.

function makeScrollersReachable(root) {
  for (const node of root.querySelectorAll('.scroll:not([tabindex])')) {
    new ResizeObserver(() => {
      const heading = node.closest('details')?.querySelector('summary') ?? node.closest('section')?.querySelector('h2');
      const facts = {tabindex: 0, role: 'region', 'aria-label': heading?.textContent ?? 'Table'};
      for (const [name, value] of Object.entries(facts)) {
        if (node.scrollWidth > node.clientWidth) node.setAttribute(name, value);
        else node.removeAttribute(name);
      }
    }).observe(node);
  }
}
