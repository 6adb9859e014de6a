import type { CartridgeXmlNames } from "./cartridge-names.ts";
import { type Element, element, xmlOf } from "./xml.ts";

export type WrittenModule = {
  identifier: string;
  title: string;
  description: string | null;
  items: ManifestItem[];
  modules: WrittenModule[];
};
export type ManifestItem = { identifier: string; title: string; resource: string };
export type WrittenResource = { identifier: string; type: string; files: string[]; dependencies?: string[] };

const descriptionOf = (text: string): Element =>
  element(
    "metadata",
    {},
    element(
      "lom:lom",
      {},
      element("lom:general", {}, element("lom:description", {}, element("lom:string", {}, text))),
    ),
  );

export function buildManifestXml(
  course: { identifier: string; title: string },
  modules: readonly WrittenModule[],
  resources: readonly WrittenResource[],
  { manifest: namespace, manifestSchema, lom, lomSchema, schemaVersion }: CartridgeXmlNames,
): string {
  const itemOf = ({ identifier, title, resource }: ManifestItem): Element =>
    element("item", { identifier, identifierref: resource }, element("title", {}, title));
  const moduleOf = ({ identifier, title, description, items, modules: inner }: WrittenModule): Element =>
    element(
      "item",
      { identifier },
      element("title", {}, title),
      ...items.map(itemOf),
      ...inner.map(moduleOf),
      ...(description === null ? [] : [descriptionOf(description)]),
    );
  const manifest = element(
    "manifest",
    {
      identifier: course.identifier,
      xmlns: namespace,
      "xmlns:lom": `${lom}/resource`,
      "xmlns:lomimscc": `${lom}/manifest`,
      "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
      "xsi:schemaLocation": `${namespace} ${manifestSchema} ${lom}/manifest ${lomSchema}`,
    },
    element(
      "metadata",
      {},
      element("schema", {}, "IMS Common Cartridge"),
      element("schemaversion", {}, schemaVersion),
      element(
        "lomimscc:lom",
        {},
        element(
          "lomimscc:general",
          {},
          element("lomimscc:title", {}, element("lomimscc:string", {}, course.title)),
        ),
      ),
    ),
    element(
      "organizations",
      {},
      element(
        "organization",
        { identifier: "org_1", structure: "rooted-hierarchy" },
        element("item", { identifier: "LearningModules" }, ...modules.map(moduleOf)),
      ),
    ),
    element(
      "resources",
      {},
      ...resources.map(({ identifier, type, files, dependencies = [] }) =>
        element(
          "resource",
          {
            identifier,
            type,
            href: type === "webcontent" || type.startsWith("assignment") ? files[0] : undefined,
          },
          ...files.map((href) => element("file", { href })),
          ...dependencies.map((identifierref) => element("dependency", { identifierref })),
        ),
      ),
    ),
  );
  return xmlOf(manifest);
}
