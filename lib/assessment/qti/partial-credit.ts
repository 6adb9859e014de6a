import { type Element, element } from "./xml.ts";

/**
 * Each correct option adds a share of the points, each other one removes a share, within 0 and the points.
 */
export const partialCreditMapping = (right: readonly string[], points: number): Element => {
  const share = String(points / right.length);
  return element(
    "mapping",
    { lowerBound: "0", upperBound: String(points), defaultValue: `-${share}` },
    ...right.map((id) => element("mapEntry", { mapKey: id, mappedValue: share })),
  );
};

/** Whether a response with these correct options has such a mapping. */
export function hasPartialCreditMapping({ children }: Element, right: readonly string[]): boolean {
  const mapping = children.find((child) => typeof child !== "string" && child.name === "mapping");
  if (mapping === undefined || typeof mapping === "string" || right.length === 0) return false;
  const entries = mapping.children.flatMap((child) => (typeof child === "string" ? [] : [child.attributes]));
  const share = Number(entries[0]?.["mappedValue"]);
  return (
    share > 0 &&
    Number(mapping.attributes["lowerBound"]) === 0 &&
    Number(mapping.attributes["defaultValue"]) === -share &&
    entries.length === right.length &&
    entries.every(({ mapKey = "", mappedValue }) => right.includes(mapKey) && Number(mappedValue) === share)
  );
}
