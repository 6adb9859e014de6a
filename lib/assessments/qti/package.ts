import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { badRequest } from "../../errors.ts";
import type { QtiVersion } from "./write-item.ts";
import { element, writeXml } from "./xml.ts";

/** A file of a package: its path there, and its text. */
export type QtiFile = { name: string; xml: string };

/** A package has no more items than an import takes, and none of them is larger than the whole request may be. */
export const mostFiles = 200;
const largestFile = 256 * 1024;
const largestPackage = 8 * 1024 * 1024;

const namespaces: Record<QtiVersion, string> = {
  "2.1": "http://www.imsglobal.org/xsd/imscp_v1p1",
  "3.0": "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
};

const resourceTypes: Record<QtiVersion, string> = {
  "2.1": "imsqti_item_xmlv2p1",
  "3.0": "imsqti_item_xmlv3p0",
};

/** Items as a content package: a ZIP file with a manifest that lists them. */
export function packed(items: readonly QtiFile[], version: QtiVersion): Uint8Array {
  const resources = items.map(({ name }) =>
    element(
      "resource",
      { identifier: name.replace(/\.xml$/, ""), type: resourceTypes[version], href: name },
      element("file", { href: name }),
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
  const files = [{ name: "imsmanifest.xml", xml: writeXml(manifest, "plain") }, ...items];
  // The moment of a file would make the same questions another package each time.
  return zipSync(Object.fromEntries(files.map(({ name, xml }) => [name, strToU8(xml)])), {
    mtime: new Date("1980-01-02T00:00:00Z"),
  });
}

/** The XML files of a content package; 400 for what is none, has too many of them, or is too large when unpacked. */
export function unpacked(base64: string): QtiFile[] {
  let files = 0;
  let bytes = 0;
  const isTaken = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!/\.xml$/i.test(name) || /(^|\/)__MACOSX\//.test(name)) return false;
    files += 1;
    bytes += originalSize;
    if (files > mostFiles + 1 || originalSize > largestFile || bytes > largestPackage)
      throw badRequest(
        `A package may have ${mostFiles} items, each of at most ${largestFile / 1024} KiB and together 8 MiB`,
      );
    return true;
  };
  const read = unzip(Buffer.from(base64, "base64"), isTaken);
  return Object.entries(read).map(([name, content]) => ({ name, xml: strFromU8(content) }));
}

type Filter = NonNullable<Parameters<typeof unzipSync>[1]>["filter"];

/** What is unpacked has the size that it is said to have, whatever it holds. */
function unzip(bytes: Uint8Array, filter: Filter): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, filter ? { filter } : {});
  } catch (error) {
    if (error instanceof Error && "status" in error) throw error;
    throw badRequest("The package is not a ZIP file");
  }
}
