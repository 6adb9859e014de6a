import type { CartridgeVersion } from "../../../schema/enums.ts";

/** Namespaces, schemas and resource types of a version of Common Cartridge. */
export type CartridgeXmlNames = {
  schemaVersion: string;
  manifest: string;
  manifestSchema: string;
  lom: string;
  lomSchema: string;
  webLink: string;
  toolLink: string;
  quizSchema: string;
  types: { webLink: string; toolLink: string; quiz: string };
};

const schemaFolders: Record<CartridgeVersion, { schemas: string; lom: string }> = {
  "1.3": {
    schemas: "http://www.imsglobal.org/profile/cc/ccv1p3",
    lom: "http://www.imsglobal.org/profile/cc/ccv1p3/LOM",
  },
  "1.4": {
    schemas: "https://purl.imsglobal.org/spec/cc/v1p4/schema/xsd",
    lom: "https://purl.imsglobal.org/spec/cc/v1p4/schema/xsd",
  },
};

export function cartridgeXmlNamesForVersion(version: CartridgeVersion): CartridgeXmlNames {
  const v = `v${version.replace(".", "p")}`;
  const namespace = `http://www.imsglobal.org/xsd/imscc${v}`;
  const { schemas, lom } = schemaFolders[version];
  return {
    schemaVersion: `${version}.0`,
    manifest: `${namespace}/imscp_v1p1`,
    manifestSchema: `${schemas}/cc${v}_imscp_v1p2_v1p0.xsd`,
    lom: `http://ltsc.ieee.org/xsd/imscc${v}/LOM`,
    lomSchema: `${lom}/cc${v}_lommanifest_v1p0.xsd`,
    webLink: `${namespace}/imswl_${v}`,
    toolLink: `http://www.imsglobal.org/xsd/imslticc_${v}`,
    quizSchema: `${schemas}/cc${v}_qtiasiv1p2p1_v1p0.xsd`,
    types: {
      webLink: `imswl_xml${v}`,
      toolLink: `imsbasiclti_xml${v}`,
      quiz: `imsqti_xmlv1p2/imscc_xml${v}/assessment`,
    },
  };
}
