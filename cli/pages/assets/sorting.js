// Tables that are sorted by a click on a heading, or Enter on it.

// `columns`: {title, group, cell(i), key(i), className, descending}: the group of columns it belongs to, if to any, what row i shows, what it is sorted by (a number, a text, or
// null, which is always last; absent: not sorted by), and whether the first click puts the highest first. `sorted`: the
// title of the column by which rows are in order to begin with.
function sortableTable({className, label, columns, rows, sorted}) {
  const body = el('tbody');
  const lines = Array.from({length: rows}, (_, i) => el('tr', {}, ...columns.map((column) => {
    const node = column.isName ? el('th', {scope: 'row'}) : el('td');
    if (column.className) node.className = column.className;
    fill(node, ...[column.cell(i)].flat());
    return node;
  })));
  const heads = columns.map((column) => {
    const head = el('th', {scope: 'col', className: column.className ?? ''});
    if (!column.key) return fill(head, column.title);
    if (column.title === sorted) head.setAttribute('aria-sort', column.descending ? 'descending' : 'ascending');
    const sort = () => {
      const before = head.getAttribute('aria-sort');
      const descending = before === null ? Boolean(column.descending) : before === 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      body.replaceChildren(...sortedPlaces(rows, column.key, descending).map((i) => lines[i]));
    };
    return fill(head, button(column.title, sort, {className: 'sort', title: 'Sort by this'}));
  });
  body.append(...lines);
  return scrollable(label, {className}, el('thead', {}, groupRow(columns), el('tr', {}, ...heads)), body);
}

// A row above the headings that names groups of columns which follow each other; null where there are none.
function groupRow(columns) {
  if (!columns.some(({group}) => group)) return null;
  const cells = [];
  for (const {group = ''} of columns) {
    const last = cells.at(-1);
    if (last && group && last.textContent === group) last.colSpan += 1;
    else cells.push(group ? el('th', {scope: 'colgroup', colSpan: 1}, group) : el('td'));
  }
  return el('tr', {className: 'groups'}, ...cells);
}

// Rows by their keys; equals stay in the order they have.
function sortedPlaces(rows, key, descending) {
  const places = Array.from({length: rows}, (_, i) => i);
  const keys = places.map(key);
  const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), 'en', {numeric: true}));
  return places.sort((a, b) => {
    if (keys[a] === null || keys[b] === null) return (keys[a] === null) - (keys[b] === null);
    return descending ? compare(keys[b], keys[a]) : compare(keys[a], keys[b]);
  });
}
