import { strToU8, zipSync } from "fflate";

export type ManifestItem = {
  href: string;
  title?: string;
  parameters?: string;
  kind?: "sco" | "asset";
  /** Elements within the item. */
  extra?: string;
};

const items = (given: readonly ManifestItem[]): string =>
  given
    .map(
      ({ title, parameters, extra = "" }, at) =>
        `<item identifier="item${at + 1}" identifierref="res${at + 1}"${parameters ? ` parameters="${parameters}"` : ""}>
         <title>${title ?? `Part ${at + 1}`}</title>${extra}</item>`,
    )
    .join("");

const resources = (given: readonly ManifestItem[], attribute: string): string =>
  given
    .map(
      ({ href, kind = "sco" }, at) =>
        `<resource identifier="res${at + 1}" type="webcontent" adlcp:${attribute}="${kind}" href="${href}"><file href="${href}"/></resource>`,
    )
    .join("");

export const manifest12 = (given: readonly ManifestItem[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" version="1.2" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="o"><organization identifier="o"><title>Course</title>${items(given)}</organization></organizations>
<resources>${resources(given, "scormtype")}</resources></manifest>`;

export const manifest2004 = (
  given: readonly ManifestItem[],
  edition = "2004 4th Edition",
): string => `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
<metadata><schema>ADL SCORM</schema><schemaversion>${edition}</schemaversion></metadata>
<organizations default="o"><organization identifier="o"><title>Course</title>${items(given)}</organization></organizations>
<resources>${resources(given, "scormType")}</resources></manifest>`;

/** A package as a ZIP archive. */
export const packageOf = (files: Record<string, string | Uint8Array>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === "string" ? strToU8(content) : content,
      ]),
    ),
  );
