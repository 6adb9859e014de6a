import type { CartridgePartKind } from "../../../schema/enums.ts";
import { type EncodedOmission, encodeOmission } from "../../platform/results/omission-codes.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { decodePath, fileNameOfPath, normalizeArchivePath } from "./paths.ts";
import type { PlannedPart } from "./plan.ts";
import { omittedResourceMetadata } from "./resource-metadata.ts";
import { chooseVariants } from "./variants.ts";
import { childElements, deepElementText, type Element, elementAtPath, xmlOf } from "./xml.ts";

export type CartridgeResource = {
  identifier: string;
  title: string;
  part: Pick<PlannedPart, "kind" | "details" | "refusal">;
  consumed: ReadonlySet<string>;
};

type Listed = {
  identifier: string;
  type: string;
  href: string | undefined;
  files: string[];
  dependencies: string[];
  title: string;
  /** Such as `syllabus`. */
  use: string;
  /** Another resource with a better version of the same content. */
  variantOf: string | undefined;
  /** A SCO of SCORM, which needs a package of its own. */
  isSco: boolean;
  /** XML of a web link or LTI link within the manifest. */
  link: string | undefined;
  leftOut: EncodedOmission[];
};

const page = /\.x?html?$/i;

/** Styles, scripts and data of pages, which are not content on their own. */
const ofPages = /\.(css|js|mjs|json|map|dtd|xsd)$/i;

/** Our own file next to a page, with the original item. */
export const nativeItemFileName = "content.json";

/** By identifier; `names` are the existing files. The first of a duplicate wins. */
export function parseManifestResources(
  manifest: Element,
  names: ReadonlySet<string>,
): Map<string, CartridgeResource> {
  const [list] = childElements(manifest, "resources");
  const base = list?.attributes["xml:base"] ?? "";
  const listed = new Map<string, Listed>();
  for (const one of list ? childElements(list, "resource") : []) {
    const found = listedOf(one, base);
    if (found.identifier && !listed.has(found.identifier)) listed.set(found.identifier, found);
  }
  const variants = chooseVariants(listed, (one) => partOf(one, listed, names).refusal?.outcome !== "refused");
  const made = new Map<Listed, CartridgeResource>();
  const resources = new Map<string, CartridgeResource>();
  for (const one of listed.values()) {
    const { best, unsupported } = variants.get(one.identifier) ?? { best: one, unsupported: [] };
    const lost = unsupported.map((kind) => encodeOmission("left_out_variant", { kind: truncate(kind, 100) }));
    const resource = made.get(best) ?? {
      identifier: best.identifier,
      title: best.title,
      part: withOmissions(partOf(best, listed, names), [...lost, ...best.leftOut]),
      consumed: consumedBy(best, listed),
    };
    made.set(best, resource);
    resources.set(one.identifier, resource);
  }
  return resources;
}

/** A part without content reports its metadata with its reason. */
function withOmissions(
  { refusal, ...part }: CartridgeResource["part"],
  lines: EncodedOmission[],
): CartridgeResource["part"] {
  if (lines.length === 0) return { ...part, ...(refusal && { refusal }) };
  if (refusal) return { ...part, refusal: { ...refusal, left_out: [...(refusal.left_out ?? []), ...lines] } };
  return { ...part, details: { ...part.details, left_out: lines } };
}

function listedOf(resource: Element, base: string): Listed {
  const { identifier = "", type = "", href, intendeduse: use = "" } = resource.attributes;
  const from = base + (resource.attributes["xml:base"] ?? "");
  const path = (address: string) => normalizeArchivePath(decodePath(from + address)) ?? "";
  const files = childElements(resource, "file").map((file) => path(file.attributes["href"] ?? ""));
  const title = deepElementText(elementAtPath(resource, "metadata", "lom", "general", "title", "string"));
  return {
    ...{ identifier, type, files, use },
    href: href === undefined ? undefined : path(href),
    dependencies: childElements(resource, "dependency").flatMap(
      (one) => one.attributes["identifierref"] ?? [],
    ),
    title: truncate(
      title || fileNameOfPath(href ?? files[0] ?? identifier).replace(/\.[a-z0-9]+$/i, ""),
      255,
    ),
    variantOf: elementAtPath(resource, "variant")?.attributes["identifierref"],
    isSco: Object.entries(resource.attributes).some(
      ([name, value]) => /:scormtype$/i.test(name) && /^sco$/i.test(value),
    ),
    link: linkWithin(resource, type),
    leftOut: omittedResourceMetadata(resource),
  };
}

/** Thin Common Cartridge has no files. */
function linkWithin(resource: Element, type: string): string | undefined {
  const name = webLinkType.test(type) ? "webLink" : toolLinkType.test(type) ? "cartridge_basiclti_link" : "";
  const [link] = childElements(resource, name);
  return link && xmlOf(link);
}

const webLinkType = /^imswl_xmlv1p\d$/;
const toolLinkType = /^imsbasiclti_xmlv1p\d/;

/** Dependencies of a quiz, topic or assignment that are part of it. Cycles end. */
function consumedBy({ identifier, type }: Listed, listed: ReadonlyMap<string, Listed>): Set<string> {
  const found = new Set<string>();
  if (type === "webcontent") return found;
  const waiting = [identifier];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const dependency of listed.get(next)?.dependencies ?? []) {
      const is = listed.get(dependency);
      if (!is || found.has(dependency) || dependency === identifier || !/^associatedcontent\//.test(is.type))
        continue;
      found.add(dependency);
      waiting.push(dependency);
    }
  return found;
}

const refused = (reason: StoredReason) => ({ outcome: "refused" as const, reason });
const ignored = (reason: StoredReason, left_out: EncodedOmission[] = []) => ({
  outcome: "ignored" as const,
  reason,
  left_out,
});

function partOf(
  one: Listed,
  listed: ReadonlyMap<string, Listed>,
  names: ReadonlySet<string>,
): CartridgeResource["part"] {
  const { type, href, files, link } = one;
  const path = href ?? files[0] ?? "";
  const read = (kind: CartridgePartKind, details = {}): CartridgeResource["part"] =>
    names.has(path)
      ? { kind, details: { path, ...details } }
      : {
          kind,
          details: { path },
          refusal: refused(encodeStoredReason("cartridge_file_missing", { path: truncate(path, 200) })),
        };
  if (/^imsqti_xmlv1p2\/imscc_xmlv1p\d\/assessment$/.test(type)) {
    const fuller = fullerQuiz(one, listed, names);
    const settings = settingsBeside(one, listed, names, "assessment_meta.xml");
    if (fuller) return { kind: "quiz", details: { path: fuller, ...settings } };
    return read("quiz", { ...settings, ...ownOf(one, names) });
  }
  if (/^imsqti_xmlv1p2\/imscc_xmlv1p\d\/question-bank$/.test(type)) return read("question_bank");
  const isLink = webLinkType.test(type);
  if (link !== undefined && !names.has(path))
    return { kind: isLink ? "link" : "lti_link", details: { xml: link } };
  if (isLink) return read("link");
  if (type === "imsov_xmlv1p0") return read("link", { is_recording: true });
  if (type === "imsqti_zipv3p0") return read("question_bank", { is_package: true });
  if (type === "idpfepub_epubv3p0") return read("file");
  if (/^imsdt_xmlv1p\d$/.test(type)) return read("topic", settingsBeside(one, listed, names));
  if (/^assignment_xmlv1p\d$/.test(type)) return read("assignment", ownOf(one, names));
  if (toolLinkType.test(type)) return read("lti_link", ownOf(one, names));
  if (one.isSco)
    return {
      kind: "other",
      details: { path },
      refusal: refused(encodeStoredReason("cartridge_scorm_resource")),
    };
  const isContent = type === "webcontent";
  if (!isContent && !/^associatedcontent\//.test(type))
    return {
      kind: "other",
      details: { type },
      refusal: refused(encodeStoredReason("cartridge_kind_unknown", { kind: truncate(type || "none", 100) })),
    };
  if (ofCanvas.test(path)) return read("quiz");
  const settings = files.find((file) => fileNameOfPath(file) === "assignment_settings.xml");
  if (!isContent && settings !== undefined && names.has(settings)) {
    const text = files.find((file) => page.test(file)) ?? path;
    return { kind: "assignment", details: { path: text, settings } };
  }
  if (/^syllabus$/i.test(one.use) || isSyllabus(path)) return read("page");
  if (!isContent && (!page.test(path) || isSettings(path))) {
    const lines = files
      .filter((file) => names.has(file) && !/\.txt$/.test(file))
      .slice(0, maxSettingsFilesListedPerPart);
    return {
      kind: "other",
      details: { path },
      refusal: ignored(
        encodeStoredReason("cartridge_settings_of_program"),
        lines.map((file) => encodeOmission("left_out_settings_file", { path: truncate(file, 200) })),
      ),
    };
  }
  if (isContent && ofPages.test(path))
    return {
      kind: "file",
      details: { path },
      refusal: ignored(encodeStoredReason("cartridge_part_of_pages")),
    };
  return read(page.test(path) ? "page" : "file", ownOf(one, names));
}

/** Canvas's full quizzes; the standard's version lacks some kinds of questions. */
const ofCanvas = /^non_cc_assessments\/[^/]+\.xml\.qti$/;

const fullerQuiz = (
  one: Listed,
  listed: ReadonlyMap<string, Listed>,
  names: ReadonlySet<string>,
): string | undefined =>
  one.dependencies
    .flatMap((dependency) => listed.get(dependency)?.files ?? [])
    .find((file) => ofCanvas.test(file) && names.has(file));

const isSyllabus = (path: string): boolean => path === "course_settings/syllabus.html";

/** Files of settings that one part lists. */
const maxSettingsFilesListedPerPart = 50;

/** Settings of the program in a dependency. */
function settingsBeside(
  { dependencies }: Listed,
  listed: ReadonlyMap<string, Listed>,
  names: ReadonlySet<string>,
  wanted?: string,
): { settings?: string } {
  const settings = dependencies
    .flatMap((dependency) => listed.get(dependency) ?? [])
    .filter(({ type }) => /^associatedcontent\//.test(type))
    .flatMap(({ files }) => files)
    .find((file) => names.has(file) && (wanted ? fileNameOfPath(file) === wanted : /\.xml$/.test(file)));
  return settings === undefined ? {} : { settings };
}

const isSettings = (path: string): boolean => /^(course_settings|non_cc_assessments)\//.test(path);

function ownOf({ files }: Listed, names: ReadonlySet<string>): { own?: string } {
  const own = files.find((file) => fileNameOfPath(file) === nativeItemFileName);
  return own !== undefined && names.has(own) ? { own } : {};
}
