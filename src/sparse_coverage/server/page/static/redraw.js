// Parts of the page that show marks: drawn anew when marks change, and when the view that they are in is shown again.
import { on } from './store.js';

const drawers = new WeakMap(); // goes with its node, so that nothing is held that is not shown any more

/** Draws a node now and whenever marks change. */
export function redrawn(node, draw) {
  node.classList.add('redrawn');
  drawers.set(node, draw);
  draw();
  return node;
}

/** Draws all such nodes of the view that is shown. */
export function redraw() {
  for (const node of document.querySelectorAll('.redrawn')) drawers.get(node)?.();
}

on('marks', redraw);
