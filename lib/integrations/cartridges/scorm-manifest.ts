import type { StoredActivity, StoredSco } from "../../../schema/db/integrations/scorm.ts";
import type { ScormVersion } from "../../../schema/enums.ts";
import { badRequest } from "../../errors.ts";
import { decodeText, UndecodableTextError } from "../../platform/readers/decode-text.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { decodePath, normalizeArchivePath } from "./paths.ts";
import {
  readActivityTree,
  type SharedSequencing,
  sequencingPartsOf,
  sharedSequencing,
} from "./scorm-sequencing.ts";
import { childElements, deepElementText, type Element, elementAtPath, parseXml } from "./xml.ts";

export type ScormManifestInput = { manifest: Uint8Array; names: string[] };

export type ScormManifest = {
  version: ScormVersion;
  title: string;
  scos: StoredSco[];
  activity_tree: StoredActivity | null;
};

/** More items than any author writes; a launch returns all of them. */
const maxItems = 500;

/**
 * Reads `imsmanifest.xml`: the default organization's items in order. 400 for another kind of manifest, or
 * if an item launches a file that the package lacks.
 */
export function readScormManifest({ manifest, names }: ScormManifestInput): ScormManifest {
  const root = rootOf(manifest);
  if (root.name !== "manifest")
    throw badRequest("scorm_manifest_unreadable", { fault: `its root is ${truncate(root.name, 100)}` });
  const version = versionOf(root);
  const organization = defaultOrganization(root);
  const resources = resourcesOf(root, version);
  const present = new Set(names);
  const items = organization ? itemsBelow(organization) : [];
  if (items.length > maxItems) throw badRequest("scorm_too_many_items", { count: maxItems });
  const shared = sharedSequencing(root);
  const listed = (some: Element[]) =>
    some.flatMap((item) => launchable(item, resources, present, shared) ?? []);
  const all = listed(items);
  const isSequenced = version === "2004" && organization !== undefined && all.length > 1;
  const activity_tree = isSequenced ? readActivityTree(root, organization) : null;
  // The sequencer hides items itself. An only SCO is shown.
  const visible = activity_tree ? all : listed(items.filter(isVisible));
  const scos = visible.some(({ is_sco }) => is_sco) ? visible : all;
  if (!scos.some(({ is_sco }) => is_sco)) throw badRequest("scorm_without_sco");
  const title = organization && deepElementText(elementAtPath(organization, "title"));
  return {
    ...{ version, title: truncate(title || scos[0]?.title || "SCORM", 255), scos },
    activity_tree,
  };
}

const isVisible = ({ attributes: { isvisible = "" } }: Element): boolean => !/^(false|0)$/.test(isvisible);

function rootOf(manifest: Uint8Array): Element {
  try {
    return parseXml(decodeText(manifest).text);
  } catch (error) {
    if (error instanceof XmlError || error instanceof UndecodableTextError)
      throw badRequest("scorm_manifest_unreadable", { fault: truncate(error.message, 300) });
    throw error;
  }
}

/** `CAM 1.3` is the first edition of 2004. Without a version, the namespace decides. */
function versionOf(root: Element): ScormVersion {
  const stated = deepElementText(elementAtPath(root, "metadata", "schemaversion"));
  if (stated === "1.2") return "1.2";
  if (/^(2004\b|CAM 1\.3$)/i.test(stated)) return "2004";
  if (stated === "") {
    const namespaces = Object.values(root.attributes).join(" ").toLowerCase();
    if (namespaces.includes("adlcp_rootv1p2")) return "1.2";
    if (namespaces.includes("adlcp_v1p3")) return "2004";
  }
  throw badRequest("scorm_version_unknown", { version: truncate(stated || "none", 40) });
}

function defaultOrganization(root: Element): Element | undefined {
  const [organizations] = childElements(root, "organizations");
  const all = organizations ? childElements(organizations, "organization") : [];
  const named = organizations?.attributes["default"];
  return all.find(({ attributes }) => attributes["identifier"] === named) ?? all[0];
}

/** Depth first, as the outline shows them. */
const itemsBelow = (above: Element): Element[] =>
  childElements(above, "item").flatMap((item) => [item, ...itemsBelow(item)]);

type Resource = { href: string; base: string; is_sco: boolean };

function resourcesOf(root: Element, version: ScormVersion): Map<string, Resource> {
  const [list] = childElements(root, "resources");
  const above = (root.attributes["xml:base"] ?? "") + (list?.attributes["xml:base"] ?? "");
  const kind = version === "1.2" ? "scormtype" : "scormType";
  return new Map(
    (list ? childElements(list, "resource") : []).map(({ attributes }) => [
      attributes["identifier"] ?? "",
      {
        href: attributes["href"] ?? "",
        base: above + (attributes["xml:base"] ?? ""),
        // Some tools write the other version's spelling.
        is_sco: /^sco$/i.test(
          attributes[`adlcp:${kind}`] ??
            Object.entries(attributes).find(([name]) => /:scormtype$/i.test(name))?.[1] ??
            "",
        ),
      },
    ]),
  );
}

function launchable(
  item: Element,
  resources: ReadonlyMap<string, Resource>,
  present: ReadonlySet<string>,
  shared: SharedSequencing,
): StoredSco | undefined {
  const { identifierref = "", identifier = "", parameters = "" } = item.attributes;
  const resource = resources.get(identifierref);
  if (!resource || resource.href === "" || identifier === "") return undefined;
  const title = truncate(deepElementText(elementAtPath(item, "title")) || identifier, 255);
  const [, address = "", suffix = ""] = /^([^?#]*)(.*)$/s.exec(resource.href) ?? [];
  const isElsewhere = /^([a-z][\w+.-]*:|\/\/)/i.test(resource.base + address);
  const path = isElsewhere ? undefined : normalizeArchivePath(decodePath(resource.base + address));
  if (path === undefined)
    throw badRequest("scorm_launch_leaves", { title, path: truncate(resource.href, 200) });
  const found = present.has(path) ? path : inAnyCase(path, present);
  if (found === undefined)
    throw badRequest("scorm_launch_file_missing", { title, path: truncate(path, 200) });
  return {
    ...{ id: truncate(identifier, 255), title, path: found, is_sco: resource.is_sco },
    parameters: truncate(joinParameters(suffix, parameters.trim()), 1000),
    launch_data: truncate(textBelow(item, "datafromlms"), 64_000),
    passing_score: passingScore(item, shared),
    completion_threshold: completionThreshold(item),
  };
}

/** Authors on Windows do not notice another case. */
function inAnyCase(path: string, present: ReadonlySet<string>): string | undefined {
  const folded = path.toLowerCase();
  return [...present].find((name) => name.toLowerCase() === folded);
}

/** By the standard's algorithm: RTE 3.1.2 of 1.2, CAM 3.4.1.8 of 2004. */
function joinParameters(suffix: string, parameters: string): string {
  const given = parameters.replace(/^[?&]+/, "");
  if (given === "") return suffix;
  if (given.startsWith("#")) return suffix.includes("#") ? suffix : suffix + given;
  const [query = "", ...fragment] = suffix.split("#");
  const joined = `${query}${query.startsWith("?") ? "&" : "?"}${given}`;
  return fragment.length > 0 ? `${joined}#${fragment.join("#")}` : joined;
}

/** The mastery score of 1.2, or the primary objective's measure of 2004. */
function passingScore(item: Element, shared: SharedSequencing): number | null {
  const mastery = numberOf(textBelow(item, "masteryscore"));
  if (mastery !== null) return clamp(mastery / 100);
  const objectives = sequencingPartsOf(item, shared).get("objectives");
  const [primary] = objectives ? childElements(objectives, "primaryObjective") : [];
  if (!primary || !/^(true|1)$/.test(primary.attributes["satisfiedByMeasure"] ?? "")) return null;
  const measure = elementAtPath(primary, "minNormalizedMeasure");
  return measure ? clamp(numberOf(deepElementText(measure)) ?? 1) : 1;
}

/** An attribute since the fourth edition of 2004, before that the element's text. */
function completionThreshold(item: Element): number | null {
  const [threshold] = childElements(item, "completionThreshold");
  if (!threshold) return null;
  const { completedByMeasure, minProgressMeasure } = threshold.attributes;
  if (completedByMeasure === undefined && minProgressMeasure === undefined)
    return clampOrNull(numberOf(deepElementText(threshold)));
  if (!/^(true|1)$/.test(completedByMeasure ?? "")) return null;
  return clamp(numberOf(minProgressMeasure ?? "") ?? 1);
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

const clampOrNull = (value: number | null): number | null => (value === null ? null : clamp(value));

const numberOf = (text: string): number | null =>
  /^-?\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : null;

/** `datafromlms` in 1.2, `dataFromLMS` in 2004. */
function textBelow(item: Element, name: string): string {
  const found = childElements(item).find((child) => child.name.toLowerCase() === name);
  return found ? deepElementText(found) : "";
}
