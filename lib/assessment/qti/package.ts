import { badRequest } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { UnreadableArchive, type UnzippedFile, unzipFiles, zipFiles } from "../../platform/readers/zip.ts";
import type { QtiVersion } from "./write-item.ts";
import { element, serializeQtiXml } from "./xml.ts";

export type QtiFile = { name: string; xml: string };

/** An item with the paths of its pictures. */
export type PackagedItem = QtiFile & { pictures?: readonly string[] };

/** As many files as one import takes. */
const maxQtiPackageFiles = 200;
export const maxQtiPackageBytes = 8 * 1024 * 1024;

const namespaces: Record<QtiVersion, string> = {
  "2.1": "http://www.imsglobal.org/xsd/imscp_v1p1",
  "3.0": "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
};

const resourceTypes: Record<QtiVersion, string> = {
  "2.1": "imsqti_item_xmlv2p1",
  "3.0": "imsqti_item_xmlv3p0",
};

export function zipQtiPackage(
  items: readonly PackagedItem[],
  version: QtiVersion,
  pictures: readonly UnzippedFile[] = [],
): Uint8Array {
  const resources = items.map(({ name, pictures: shown = [] }) =>
    element(
      "resource",
      { identifier: name.replace(/\.xml$/, ""), type: resourceTypes[version], href: name },
      ...[name, ...shown].map((href) => element("file", { href })),
    ),
  );
  const manifest = element(
    "manifest",
    { xmlns: namespaces[version], identifier: "question-pool" },
    element(
      "metadata",
      {},
      element("schema", {}, version === "2.1" ? "QTIv2.1 Package" : "QTI Package"),
      element("schemaversion", {}, version === "2.1" ? "1.0.0" : "3.0.0"),
    ),
    element("organizations"),
    element("resources", {}, ...resources),
  );
  const files = [{ name: "imsmanifest.xml", xml: serializeQtiXml(manifest, "plain") }, ...items];
  return zipFiles([...files.map(({ name, xml }) => ({ name, bytes: Buffer.from(xml) })), ...pictures]);
}

/** Files that may have questions; 400 unless it is a content package within the limits. */
export function unzipQtiPackage(archive: Buffer): UnzippedFile[] {
  try {
    return unzipFiles(archive, bounds);
  } catch (error) {
    if (error instanceof UnreadableArchive) throw badRequest("package_not_zip");
    if (!(error instanceof BeyondBounds)) throw error;
    throw badRequest("package_too_large", { items: maxQtiPackageFiles, kib: maxQtiPackageBytes / 1024 });
  }
}

const bounds = {
  wanted: (name: string) => /\.(xml|qti|dat|txt|gift|json)$/i.test(name) && !/(^|\/)__MACOSX\//.test(name),
  maxFiles: maxQtiPackageFiles + 1,
  maxBytes: maxQtiPackageBytes,
};
