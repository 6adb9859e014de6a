import { MathMLToLaTeX } from "mathml-to-latex";
import { type Element, type Node, writeXml } from "./xml.ts";

/** The converter skips other elements with their content. */
const known = new Set([
  ...["math", "mrow", "mstyle", "mpadded", "mphantom", "mspace", "mi", "mn", "mo", "mtext"],
  ...["mfrac", "msqrt", "mroot", "msup", "msub", "msubsup", "mover", "munder", "munderover"],
  ...["mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd", "mfenced", "menclose", "semantics"],
]);

/** Conversion takes longer per element in large formulas. */
const maxMathmlElements = 2000;

/** The annotation in TeX, or a conversion. Undefined if a part would be lost, as in content MathML. */
export function mathmlToLatex(math: Element): string | undefined {
  const annotation = annotationIn(math);
  const latex = annotation ?? converted(math);
  return latex?.replaceAll(/(?<!\\)\$|\s+/g, " ").trim() || undefined;
}

const isElement = (node: Node): node is Element => typeof node !== "string";

const localName = ({ name }: Element): string => name.slice(name.indexOf(":") + 1);

const isTex = (element: Element): boolean =>
  localName(element) === "annotation" && /tex/i.test(element.attributes["encoding"] ?? "");

function annotationIn(element: Element): string | undefined {
  if (isTex(element)) return element.children.filter((child) => !isElement(child)).join("");
  for (const child of element.children.filter(isElement)) {
    const found = annotationIn(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function converted(math: Element): string | undefined {
  const { root, elements, isKnown } = presentationOf(math);
  if (!isKnown || elements > maxMathmlElements) return undefined;
  try {
    return MathMLToLaTeX.convert(writeXml(root, plainNames));
  } catch {
    return undefined;
  }
}

const plainNames = { element: (name: string) => name, attribute: (name: string) => name };

/** Without prefixes and annotations. The converter has no sign for `_`. */
function presentationOf(math: Element): { root: Element; elements: number; isKnown: boolean } {
  let elements = 0;
  let isKnown = true;
  const copy = (element: Element): Element => {
    const name = localName(element);
    elements += 1;
    if (!known.has(name)) isKnown = false;
    const children = element.children
      .filter((child) => !isElement(child) || !/^annotation(-xml)?$/.test(localName(child)))
      .map((child) => (isElement(child) ? copy(child) : child));
    if (name === "mo" && children.join("").trim() === "_") isKnown = false;
    return { name, attributes: element.attributes, children };
  };
  return { root: copy(math), elements, isKnown };
}
