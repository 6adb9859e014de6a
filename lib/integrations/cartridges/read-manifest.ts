import { badRequest } from "../../errors.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import type { EncodedOmission } from "../../platform/results/omission-codes.ts";
import { encodeStoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { type CanvasStates, readCanvasStates } from "./canvas-states.ts";
import type { ModuleDates } from "./module-dates.ts";
import { type CartridgePlan, maxModuleDepth, type PlannedPart } from "./plan.ts";
import { omittedResourceMetadata } from "./resource-metadata.ts";
import { type CartridgeResource, parseManifestResources } from "./resources.ts";
import { cutText } from "./settings.ts";
import { childElements, deepElementText, type Element, elementAtPath, parseXml } from "./xml.ts";

export type ManifestInput = {
  text: string;
  /** Readable files of the archive. */
  names: string[];
  /** Titles for parts without one, and of the module for resources outside of the outline. */
  titles: { untitled: string; further: string };
  dates?: ModuleDates;
  /** The texts of `canvasStateFileNames`. */
  states?: string[];
};

/** No single course has more parts. */
const maxCartridgeParts = 5000;

/**
 * The outline in order, then resources outside of it. 400 if it is no manifest of Common Cartridge 1.0 to
 * 1.4, or has too many parts.
 */
export function readManifest({ text, names, titles, dates = {}, states = [] }: ManifestInput): CartridgePlan {
  const manifest = rootOf(text);
  const schema = deepElementText(elementAtPath(manifest, "metadata", "schema"));
  const version = deepElementText(elementAtPath(manifest, "metadata", "schemaversion"));
  if (manifest.name !== "manifest" || !/common cartridge/i.test(schema))
    throw badRequest("cartridge_of_another_kind", { kind: truncate(schema || manifest.name, 100) });
  if (!/^1\.[0-4](\.\d+)?$/.test(version))
    throw badRequest("cartridge_version_unknown", { version: truncate(version || "none", 20) });
  const title = truncate(titleOf(manifest) || titles.untitled, 255);
  const plan = planner(
    parseManifestResources(manifest, new Set(names)),
    { ...titles, untitled: title },
    dates,
    readCanvasStates(states.map(rootOf)),
  );
  plan.outline(topItems(manifest));
  plan.rest();
  plan.whole(omittedResourceMetadata(manifest));
  return { version, title, parts: plan.parts };
}

function rootOf(text: string): Element {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof XmlError)
      throw badRequest("cartridge_manifest_unreadable", { fault: truncate(error.message, 300) });
    throw error;
  }
}

/** From the metadata, in either of the two spellings. */
const titleOf = (manifest: Element): string =>
  deepElementText(elementAtPath(manifest, "metadata", "lom", "general", "title", "string")) ||
  deepElementText(elementAtPath(manifest, "metadata", "lom", "general", "title", "langstring"));

const descriptionOf = (item: Element): string =>
  deepElementText(elementAtPath(item, "metadata", "lom", "general", "description", "string")) ||
  deepElementText(elementAtPath(item, "metadata", "lom", "general", "description", "langstring"));

const maxManifestDescriptionCharacters = 10_000;

/** Moodle writes an empty reference for folders. */
const referenceOf = (item: Element): string | undefined => item.attributes["identifierref"] || undefined;

/** Items below the outline's untitled root. */
function topItems(manifest: Element): Element[] {
  const organization = elementAtPath(manifest, "organizations", "organization");
  if (!organization) return [];
  const items = childElements(organization, "item");
  const [root] = items;
  const isRoot =
    items.length === 1 &&
    root &&
    referenceOf(root) === undefined &&
    !deepElementText(elementAtPath(root, "title"));
  return isRoot ? childElements(root, "item") : items;
}

const inactive = (part: CartridgeResource["part"]): CartridgeResource["part"] => ({
  ...part,
  details: { ...part.details, is_active: false },
});

function planner(
  resources: ReadonlyMap<string, CartridgeResource>,
  titles: ManifestInput["titles"],
  dates: ModuleDates,
  states: CanvasStates,
) {
  const parts: PlannedPart[] = [];
  const placed = new Set<string>();

  const add = (part: PlannedPart): number => {
    if (parts.length === maxCartridgeParts)
      throw badRequest("cartridge_too_many_parts", { count: maxCartridgeParts });
    return parts.push(part) - 1;
  };

  const addModule = (
    identifier: string,
    title: string,
    parent: number | null,
    more: Partial<PlannedPart> = {},
  ) => add({ kind: "module", identifier, title: titled(title), parent, details: {}, ...more });

  const titled = (title: string): string => truncate(title.trim() || titles.untitled, 255);

  const addResource = (
    { attributes: { identifier = "", isvisible = "" } }: Element,
    reference: string,
    title: string,
    parent: number | null,
  ): void => {
    const resource = resources.get(reference);
    placed.add(resource?.identifier ?? reference);
    for (const other of resource?.consumed ?? []) placed.add(other);
    if (!resource) {
      const refusal = {
        outcome: "refused" as const,
        reason: encodeStoredReason("cartridge_resource_missing"),
      };
      add({ kind: "other", identifier: reference, title: titled(title), parent, details: {}, refusal });
      return;
    }
    const isHidden = /^(false|0)$/.test(isvisible) || states.isUnpublished(identifier);
    add({
      ...(isHidden ? inactive(resource.part) : resource.part),
      identifier: reference,
      title: titled(title || resource.title),
      parent,
    });
  };

  /** Content needs a module: adjacent items at the top of the outline share a new one. */
  const outline = (items: readonly Element[], parent: number | null = null, depth = 0): void => {
    let gathering: number | undefined;
    for (const item of items) {
      const { identifier = "" } = item.attributes;
      const identifierref = referenceOf(item);
      const title = deepElementText(elementAtPath(item, "title"));
      const inner = childElements(item, "item");
      if (identifierref !== undefined && inner.length === 0) {
        if (parent === null) gathering ??= addModule("", titles.untitled, null);
        addResource(item, identifierref, title, parent ?? gathering ?? null);
        continue;
      }
      gathering = undefined;
      const isTooDeep = depth > maxModuleDepth;
      const refusal = { outcome: "refused" as const, reason: encodeStoredReason("modules_too_deep") };
      const left_out: EncodedOmission[] = [];
      const description = cutText(
        descriptionOf(item),
        maxManifestDescriptionCharacters,
        "description",
        (line) => left_out.push(line),
      );
      const details = {
        ...(description && { description }),
        ...(left_out.length > 0 && { left_out }),
        ...(Object.hasOwn(dates, identifier) && { dates: dates[identifier] }),
      };
      const module = addModule(identifier, title, parent, { details, ...(isTooDeep && { refusal }) });
      if (identifierref !== undefined) addResource(item, identifierref, title, module);
      outline(inner, module, depth + 1);
    }
  };

  /** Resources that the outline does not name. */
  const rest = (): void => {
    // Variants share one resource.
    const left = [...new Set(resources.values())].filter(({ identifier }) => !placed.has(identifier));
    if (left.length === 0) return;
    const module = addModule("", titles.further, null, { details: { is_lazy: true } });
    // Unsupported resources and non-content belong to no module.
    for (const { identifier, title, part: found } of left) {
      const part = states.isHiddenFile(identifier, found.details.path ?? "") ? inactive(found) : found;
      add({
        ...part,
        details: { ...part.details, is_untitled: true },
        identifier,
        title: titled(title),
        parent: part.refusal ? null : module,
      });
    }
  };

  /** Metadata of the whole cartridge belongs to no part. */
  const whole = (left_out: EncodedOmission[]): void => {
    if (left_out.length === 0) return;
    const reason = encodeStoredReason("cartridge_metadata_ignored");
    const refusal = { outcome: "ignored" as const, reason, left_out };
    add({ kind: "other", identifier: "", title: titles.untitled, parent: null, details: {}, refusal });
  };

  return { parts, outline: (items: readonly Element[]) => outline(items), rest, whole };
}
