import { buffer } from "node:stream/consumers";
import PDFDocument from "pdfkit";
import { zipTexts } from "../../lib/platform/readers/zip.ts";

const xml = (inner: string): string => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${inner}`;

const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;

const relations = (...inner: string[]): string =>
  xml(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner.join("")}</Relationships>`,
  );

const types = (part: string, type: string): string =>
  xml(
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
  );

export async function pdfOf(pages: readonly string[]): Promise<Uint8Array> {
  const document = new PDFDocument({ autoFirstPage: false });
  for (const page of pages) document.addPage().text(page);
  document.end();
  return new Uint8Array(await buffer(document));
}

/** A DOCX with these paragraphs, which may be XML. */
export const docxOf = (paragraphs: readonly string[], head = ""): Uint8Array =>
  zipTexts([
    { name: "[Content_Types].xml", text: types("/word/document.xml", "wordprocessingml.document") },
    { name: "_rels/.rels", text: relations(relation("rId1", "officeDocument", "word/document.xml")) },
    {
      name: "word/document.xml",
      text: `${head}${xml(
        `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs
          .map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`)
          .join("")}</w:body></w:document>`,
      )}`,
    },
  ]);

/** A PPTX with the given paragraphs per slide. Files are in reverse order of the slides. */
export function pptxOf(slides: readonly (readonly string[])[]): Uint8Array {
  const numberOf = (index: number) => slides.length - index;
  return zipTexts([
    { name: "[Content_Types].xml", text: types("/ppt/presentation.xml", "presentationml.presentation") },
    { name: "_rels/.rels", text: relations(relation("rId1", "officeDocument", "ppt/presentation.xml")) },
    {
      name: "ppt/presentation.xml",
      text: xml(
        `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst>${slides
          .map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index}"/>`)
          .join("")}</p:sldIdLst></p:presentation>`,
      ),
    },
    {
      name: "ppt/_rels/presentation.xml.rels",
      text: relations(
        ...slides.map((_, index) => relation(`rId${index}`, "slide", `slides/slide${numberOf(index)}.xml`)),
      ),
    },
    ...slides.map((paragraphs, index) => ({
      name: `ppt/slides/slide${numberOf(index)}.xml`,
      text: xml(
        `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:txBody>${paragraphs
          .map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
          .join("")}</p:txBody></p:sld>`,
      ),
    })),
  ]);
}
