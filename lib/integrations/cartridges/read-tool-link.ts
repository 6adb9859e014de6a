import {
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
} from "../../platform/results/omission-codes.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { parseCanvasPoints } from "./canvas-settings.ts";
import { allowedWebUrl } from "./html-to-blocks.ts";
import { firstDistinctOmissions } from "./settings.ts";
import { childElements, deepElementText, descendants, type Element, elementAtPath } from "./xml.ts";

/** A link of LTI 1.1 or later, without its keys. */
export type ParsedToolLink = {
  title: string;
  url: string;
  description: string;
  custom: Record<string, string>;
  /** Of its line item. */
  grading: { max_points?: number; resource_id?: string; tag?: string };
  leftOut: EncodedOmission[];
};

const maxCustomParameters = 50;

/** Reported by their own lines, or without effect here. */
const understood = new Set([
  ...[
    "title",
    "description",
    "custom",
    "extensions",
    "launch_url",
    "secure_launch_url",
    "vendor",
    "lineItem",
  ],
]);

export function parseToolLink(link: Element): { tool: ParsedToolLink } | { refusal: StoredReason } {
  const textOf = (name: string): string => deepElementText(elementAtPath(link, name));
  const url = textOf("secure_launch_url") || textOf("launch_url");
  if (!/^https?:/i.test(url) || !allowedWebUrl(url))
    return { refusal: encodeStoredReason("cartridge_lti_link") };
  const custom = childElements(link, "custom").flatMap(propertiesOf);
  const further = custom.length - maxCustomParameters;
  const tool = {
    ...{ url, title: textOf("title"), description: textOf("description") },
    custom: Object.fromEntries(custom.slice(0, maxCustomParameters)),
    grading: gradingOf(descendants(link).find(({ name }) => name === "lineItem")),
    leftOut: firstDistinctOmissions([
      ...(further > 0 ? [encodeOmission("left_out_further", { count: further })] : []),
      ...omissionsOf(link),
    ]),
  };
  return { tool };
}

const propertiesOf = (of: Element): [string, string][] =>
  childElements(of, "property").flatMap((one): [string, string][] => {
    const { name = "" } = one.attributes;
    return name === "" ? [] : [[name, deepElementText(one)]];
  });

/** The line item of Assignment and Grade Services, since Common Cartridge 1.4. */
function gradingOf(line: Element | undefined): ParsedToolLink["grading"] {
  if (!line) return {};
  const textOf = (name: string): string =>
    line.attributes[name] ?? deepElementText(elementAtPath(line, name));
  const max_points = parseCanvasPoints(textOf("scoreMaximum"));
  const [resource_id, tag] = [textOf("resourceId"), textOf("tag")].map((text) => truncate(text, 255));
  return {
    ...(max_points !== undefined && { max_points }),
    ...(resource_id && { resource_id }),
    ...(tag && { tag }),
  };
}

/** Settings for single platforms, and icons. */
function omissionsOf(link: Element): EncodedOmission[] {
  const extensions = childElements(link, "extensions").flatMap((one) => {
    const { platform = "extensions" } = one.attributes;
    return descendants(one).flatMap((property) => {
      const { name } = property.attributes;
      const isProperty = property.name === "property" && name;
      const values = {
        setting: truncate(`${platform} ${name}`, 100),
        value: truncate(deepElementText(property), 100),
      };
      return isProperty ? [encodeOmission("left_out_setting", values)] : [];
    });
  });
  const others = childElements(link).flatMap(({ name }) =>
    understood.has(name) ? [] : [encodeOmittedElement(name)],
  );
  return [...extensions, ...others];
}
