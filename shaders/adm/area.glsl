// Location of detail; see shared.h.
bool is_in_area(uint row, uint column, DetailArea area) {
  return area.first_row <= row && row < area.end_row && area.first_column <= column &&
         column < area.end_column;
}
uint place_in_area(uint band, uint row, uint column, DetailArea area) {
  const uint columns = area.end_column - area.first_column;
  return (band * columns + column - area.first_column) * area.pitch + row -
         area.first_row / kRowAlignment * kRowAlignment;
}
// Whether a tile has a place in common with it.
bool meets_area(uint row, uint rows, uint column, uint columns, DetailArea area) {
  return row < area.end_row && area.first_row < row + rows && column < area.end_column &&
         area.first_column < column + columns;
}
