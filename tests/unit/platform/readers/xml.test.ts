import { describe, expect, it } from "vitest";
import { readXml, XmlError } from "../../../../lib/platform/readers/xml.ts";

const asTheyAre = { element: (name: string) => name, attribute: (name: string) => name };
const read = (source: string) => readXml(source, asTheyAre);

describe("readXml", () => {
  it("reads elements, attributes, text and CDATA, and the entities that XML has", () => {
    const source =
      '\uFEFF<?xml version="1.0"?>\r\n<!-- a --><a b="1 &lt; 2"> x<c/><![CDATA[<&>]]>&#65;&unknown;</a>\n';
    expect(read(source)).toEqual({
      name: "a",
      attributes: { b: "1 < 2" },
      children: [" x", { name: "c", attributes: {}, children: [] }, "<&>", "A&unknown;"],
    });
  });

  it("stops at the first element or attribute that is too many, and at the depth of nothing that people write", () => {
    const many = (count: number, one: string) => `<a>${one.repeat(count)}</a>`;
    expect(read(many(19_999, "<b/>")).children).toHaveLength(19_999);
    expect(() => read(many(20_000, "<b/>"))).toThrow(new XmlError("It should have at most 20000 elements"));
    const attributes = Array.from({ length: 2001 }, (_, at) => `a${at}="1"`).join(" ");
    expect(() => read(many(20, `<b ${attributes}/>`))).toThrow("It should have at most 40000 attributes");
    expect(() => read("<a>".repeat(62) + "</a>".repeat(62))).toThrow(XmlError);
  });

  it.each([
    "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "<a>",
    "a",
    "<a/><b/>",
    "<a b=1/>",
    "<a b='1' b='2'/>",
    "<a>\0</a>",
  ])("rejects %s", (source) => {
    expect(() => read(source)).toThrow(XmlError);
  });
});
