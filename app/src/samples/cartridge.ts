import type { SampleFile } from "./sample-file.ts";
import { buildUncompressedZip } from "./uncompressed-zip.ts";

const manifest = `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="sample" xmlns="http://www.imsglobal.org/xsd/imsccv1p3/imscp_v1p1">
  <metadata><schema>IMS Common Cartridge</schema><schemaversion>1.3.0</schemaversion></metadata>
  <organizations>
    <organization identifier="outline" structure="rooted-hierarchy">
      <item identifier="root">
        <item identifier="module"><title>Waves</title>
          <item identifier="i1" identifierref="page"><title>What is a wave?</title></item>
          <item identifier="i2" identifierref="link"><title>Further reading</title></item>
        </item>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" href="wave.html"><file href="wave.html"/></resource>
    <resource identifier="link" type="imswl_xmlv1p3"><file href="link.xml"/></resource>
  </resources>
</manifest>
`;

/** A Common Cartridge with one module, a page and a link. */
export const cartridgeSamples: readonly SampleFile[] = [
  {
    ...{ name: "waves.imscc", format: "Common Cartridge", type: "application/zip" },
    content: buildUncompressedZip({
      "imsmanifest.xml": manifest,
      "wave.html":
        '<!DOCTYPE html><html lang="en"><head><title>What is a wave?</title></head><body><p>A wave carries energy, not matter.</p></body></html>\n',
      "link.xml":
        '<?xml version="1.0" encoding="UTF-8"?>\n<webLink xmlns="http://www.imsglobal.org/xsd/imsccv1p3/imswl_v1p3"><title>Further reading</title><url href="https://example.org/waves"/></webLink>\n',
    }),
  },
];
