import { toMathVariantLetters } from "./math-letters.ts";

/** Rewrites an element to MathML Core, the subset that browsers render. Visits an element before its children. */
export function rewriteToMathMlCore(element: Element): void {
  switch (element.localName) {
    case "mi":
      spaceFunction(element);
      writeInLetters(element);
      break;
    case "mn":
    case "mo":
    case "ms":
      writeInLetters(element);
      break;
    case "mtable":
      passToCells(element);
      break;
    case "mpadded":
      keepOwnSize(element);
  }
}

/** Core supports only the variant `normal`, so other variants become Unicode letters. */
function writeInLetters(element: Element): void {
  const letters = toMathVariantLetters(element.textContent, element.getAttribute("mathvariant") ?? "");
  if (letters === undefined || element.childElementCount > 0) return;
  element.textContent = letters;
  element.removeAttribute("mathvariant");
}

const scripts = new Set(["msub", "msup", "msubsup", "munder", "mover", "munderover"]);
const rows = new Set(["math", "mrow", "mstyle", "mtd", "msqrt", "mpadded", "mphantom", "menclose"]);

/** Adds the space after a function name (`sin x`), which the library omits. */
function spaceFunction(name: Element): void {
  if (name.textContent.length < 2) return;
  const parent = name.parentElement;
  const whole = parent && scripts.has(parent.localName) && parent.firstElementChild === name ? parent : name;
  // In other elements a child's meaning depends on its position.
  if (!rows.has(whole.parentElement?.localName ?? "")) return;
  const call = whole.nextElementSibling;
  const before = whole.previousElementSibling;
  const after = call?.textContent === "\u2061" ? call.nextElementSibling : call;
  if (before && !spacesItself.has(before.localName)) whole.before(thinSpace(name));
  if (after && !spacesItself.has(after.localName)) after.before(thinSpace(name));
}

const spacesItself = new Set(["mo", "mspace", "annotation"]);

function thinSpace({ ownerDocument, namespaceURI }: Element): Element {
  const space = ownerDocument.createElementNS(namespaceURI, "mspace");
  space.setAttribute("width", "0.1667em");
  return space;
}

/** Copies column and row attributes of a table to its cells, where CSS can use them. */
function passToCells(table: Element): void {
  const tableRows = [...table.children].filter(({ localName }) => localName === "mtr");
  const rowLines = listed(table, "rowlines");
  tableRows.forEach((row, at) => {
    for (const cell of row.querySelectorAll(":scope > :is(.mtr-glue, .mml-eqn-num):empty")) cell.remove();
    [...row.children].forEach((cell, column) => {
      for (const name of ["columnalign", "columnlines", "columnspacing"]) {
        const value = listed(table, name)[column];
        if (value) cell.setAttribute(name, value);
      }
      const line = at < tableRows.length - 1 && rowLines[at];
      if (line) cell.setAttribute("rowlines", line);
    });
  });
}

const listed = (element: Element, name: string): string[] =>
  element.getAttribute(name)?.trim().split(/\s+/) ?? [];

/** A relative width (`+6pt`) would be read as the absolute width. */
function keepOwnSize(element: Element): void {
  if (!element.getAttribute("width")?.startsWith("+")) return;
  for (const name of ["width", "height", "depth", "lspace", "voffset"]) element.removeAttribute(name);
}
