import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { XMLValidator } from "fast-xml-parser";
import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { unzipQtiPackage, zipQtiPackage } from "../../../lib/assessment/qti/package.ts";
import { pictureMarkdown } from "../../../lib/assessment/qti/plain-text.ts";
import { parseQtiItem } from "../../../lib/assessment/qti/read-item.ts";
import { buildQtiItemXml, type QtiItemToWrite } from "../../../lib/assessment/qti/write-item.ts";
import { QtiError } from "../../../lib/assessment/qti/xml.ts";
import { toStoredQuestion } from "../../../lib/assessment/questions.ts";

const fixture = (name: string) => readFile(new URL(`qti/${name}.xml`, import.meta.url), "utf8");

const item = (inside: string, response = 'cardinality="single" baseType="string"') =>
  `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" ${response}><correctResponse>` +
  `<value>1</value></correctResponse></responseDeclaration><itemBody><p>Text</p>${inside}</itemBody></assessmentItem>`;

const entry = '<textEntryInteraction responseIdentifier="R"/>';

function faultOf(source: string): string {
  try {
    parseQtiItem(source);
    return "none";
  } catch (error) {
    if (error instanceof QtiError) return error.message;
    throw error;
  }
}

describe("items of other programs", () => {
  it("a single choice of QTI 2.1, with a prompt and its own score, unless its picture would be lost", async () => {
    const source = await fixture("choice-2.1");
    expect(faultOf(source)).toMatch("Its img would be lost");
    expect(parseQtiItem(source.replace(/<img[^>]*>/, "A harbour, dry and full"))).toEqual({
      question: {
        kind: "SINGLE_CHOICE",
        question_text:
          "Look at the harbour at six and at twelve.\n\nA harbour, dry and full\n\nWhat moves the water & the boats?",
        options: [
          { id: "ChoiceA", text: "The wind" },
          { id: "ChoiceB", text: "The Moon" },
          { id: "ChoiceC", text: "Currents \\< 1 m/s" },
        ],
        answer: { option_id: "ChoiceB" },
        explanation: null,
        points: 2.5,
        is_active: true,
      },
      leftOut: ["feedbackInline"],
    });
  });

  it("a multiple choice of QTI 3 with its feedback", async () => {
    expect(parseQtiItem(await fixture("choices-3.0"))?.question).toMatchObject({
      kind: "MULTIPLE_CHOICE",
      question_text: "Which are primes?",
      answer: { option_ids: ["two", "seven"] },
      explanation: "9 is 3 times 3.",
      points: 2,
    });
  });

  it("a number within a sentence, with a tolerance, with any namespace prefix", async () => {
    expect(parseQtiItem(await fixture("number-2.1"))?.question).toMatchObject({
      kind: "NUMERIC",
      question_text: "Bodies fall with ____ m/s².",
      answer: { value: 9.81, tolerance: 0.05 },
    });
  });

  it("a short text of QTI 2.0, with every answer that gives points", async () => {
    expect(parseQtiItem(await fixture("text-2.0"))?.question).toMatchObject({
      kind: "SHORT_ANSWER",
      question_text: "What is the capital of France?",
      answer: { texts: ["Paris", "Lutetia"] },
    });
  });

  it("true or false, asked by the title; feedback on each answer is reported as omitted", async () => {
    expect(parseQtiItem(await fixture("truth-2.2"))).toMatchObject({
      question: { kind: "TRUE_FALSE", question_text: "The Sun is a star", answer: { value: true } },
      leftOut: ["modalFeedback"],
    });
  });

  it("a file without an item is skipped", () => {
    for (const root of ["manifest", "qti-assessment-test"])
      expect(parseQtiItem(`<${root}><resources/></${root}>`)).toBeUndefined();
  });
});

describe("markup within a text", () => {
  it.each([
    ["is <del>not</del> x", "is ~~not~~ x", []],
    ["a<s> 2*3 </s>b", "a ~~2\\*3~~ b", []],
    ["<del><p>a</p><p>b</p></del>", "a\n\nb", ["del"]],
    ["<ol type='A'><li>a</li><li>b</li></ol>", "a\n\nb", ["ol"]],
    ["<ul><li>a</li></ul>", "a", []],
    ["see <a href='https://example.org/'>x</a>", "see x", ["a"]],
    ["see <a href='#y'>x</a>", "see x", []],
  ])("is kept or reported: %s", (html, text, leftOut) => {
    const read = parseQtiItem(item(`<div>${html}</div>${entry}`));
    expect([read?.question.question_text, read?.leftOut]).toEqual([`Text\n\n${text}`, leftOut]);
  });
});

describe("an unsupported element is named", () => {
  it.each([
    [
      "an interaction",
      item('<orderInteraction responseIdentifier="R"/>'),
      "orderInteraction is not supported",
    ],
    [
      "an essay",
      item('<extendedTextInteraction responseIdentifier="R"/>'),
      "extendedTextInteraction is not supported",
    ],
    ["several interactions", item(entry + entry), "The item has 2 interactions, and only one is supported"],
    ["none", item(""), "The item has no interaction"],
    [
      "a response of its own",
      item('<textEntryInteraction responseIdentifier="X"/>'),
      "The interaction has no response declaration",
    ],
    ["a pair", item(entry, 'cardinality="single" baseType="pair"'), "An entry of pair is not supported"],
    [
      "a single option",
      item(
        '<choiceInteraction responseIdentifier="R"><simpleChoice identifier="1">A</simpleChoice></choiceInteraction>',
        'cardinality="single" baseType="identifier"',
      ),
      "The item is not a valid question: options: Input should have at least 2 options",
    ],
    [
      "a relative tolerance",
      item(entry, 'cardinality="single" baseType="float"').replace(
        "</assessmentItem>",
        '<responseProcessing><equal toleranceMode="relative" tolerance="1"/></responseProcessing></assessmentItem>',
      ),
      "A relative tolerance is not supported",
    ],
    [
      "a lopsided one",
      item(entry, 'cardinality="single" baseType="float"').replace(
        "</assessmentItem>",
        '<responseProcessing><equal toleranceMode="absolute" tolerance="1 2"/></responseProcessing></assessmentItem>',
      ),
      "An asymmetric tolerance is not supported",
    ],
    ["another program's XML", "<quiz/>", "<quiz> has no questions: QTI or Moodle XML is expected"],
    ["no XML", "What is 2 + 2?", /^The XML of this file cannot be read: It is not well-formed XML/],
    [
      "broken XML",
      "<assessmentItem><p></assessmentItem>",
      /^The XML of this file cannot be read: It is not well-formed XML, line 1/,
    ],
    [
      "deep XML",
      `${"<div>".repeat(5000)}${"</div>".repeat(5000)}`,
      "The XML of this file cannot be read: It is nested more than 60 deep in line 1",
    ],
    [
      "a NUL character",
      item(`<p>\0</p>${entry}`),
      "The XML of this file cannot be read: A NUL character is not allowed",
    ],
  ])("%s", (_, source, said) => {
    expect(faultOf(source)).toEqual(typeof said === "string" ? said : expect.stringMatching(said));
  });

  it("a document type, so no entity is expanded or fetched", () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>${item("&b;&f;")}`;
    expect(faultOf(bomb)).toBe("The XML of this file cannot be read: A document type is not allowed");
    // An undeclared entity is left as is.
    expect(parseQtiItem(item(`<p>&b; &amp;amp; &#65;</p>${entry}`))?.question.question_text).toBe(
      "Text\n\n\\&b; \\&amp; A",
    );
  });

  it.each(["iframe", "embed", "printedVariable", "include", "novelPart"])(
    "an empty <%s>, whose meaning the text would lose",
    (name) => {
      expect(faultOf(item(`<p>a <${name} href="b"/></p>${entry}`))).toMatch(`Its ${name} would be lost`);
      expect(parseQtiItem(item(`<p>a <${name}>b</${name}></p>${entry}`))?.question.question_text).toContain(
        "a b",
      );
    },
  );

  it.each(["hr", "span", "wbr", "a", "p", "td"])("no empty <%s>, which only formats", (name) => {
    expect(parseQtiItem(item(`<p>a <${name}/></p>${entry}`))?.question.question_text).toContain("a");
  });

  it("a reference to an embedded object, which is omitted", () => {
    expect(parseQtiItem(item(`<p>a&#xD800;&#57343;&#0;&#x1F600;</p>${entry}`))?.question.question_text).toBe(
      "Text\n\na😀",
    );
  });
});

const line = fc
  .stringMatching(/^[A-Za-zéß中<>&"'\]=;:0-9 _.#-]{1,30}$/)
  .map((text) => text.trim())
  .filter((text) => text !== "");
const prose = fc
  .array(fc.tuple(line, fc.constantFrom("", "\n", "\n\n", "\n\n\n", "  ", "\t")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.flat().join("").trim());

const option = (index: number) => fc.record({ id: fc.constant(`o${index}`), text: prose });
const options = fc
  .integer({ min: 2, max: 6 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => option(at))));
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 })
  .map((value) => value + 0);

const keyed = fc.oneof(
  options
    .filter(
      (list) =>
        list
          .map(({ text }) => text.toLowerCase())
          .toSorted()
          .join() !== "false,true",
    )
    .map((list) => ({ kind: "SINGLE_CHOICE" as const, options: list, answer: { option_id: "o1" } })),
  fc.tuple(options, fc.constantFrom("all_or_nothing", "partial")).map(([list, scoring]) => ({
    ...{ kind: "MULTIPLE_CHOICE" as const, options: list, scoring },
    answer: { option_ids: list.slice(0, -1).map(({ id }) => id) },
  })),
  fc.boolean().map((value) => ({ kind: "TRUE_FALSE" as const, options: null, answer: { value } })),
  fc
    .record({
      value: number,
      tolerance: fc.double({ noNaN: true, min: 0, max: 1e6 }).map((value) => value + 0),
    })
    .map((answer) => ({ kind: "NUMERIC" as const, options: null, answer })),
  fc
    .uniqueArray(line, { minLength: 1, maxLength: 5 })
    .map((texts) => ({ kind: "SHORT_ANSWER" as const, options: null, answer: { texts } })),
);

const question = fc
  .record({
    keyed,
    question_text: prose,
    explanation: fc.option(prose),
    points: fc.integer({ min: 1, max: 9999 }),
    is_active: fc.boolean(),
  })
  .map(
    ({ keyed: of, points, ...rest }): QtiItemToWrite => ({
      ...of,
      ...rest,
      points: points / 100,
      identifier: "question-1",
      title: "Pool 1",
    }),
  );

describe("a question", () => {
  it.each(["2.1", "3.0"] as const)("survives a round trip through QTI %s, for every kind", (version) => {
    fc.assert(
      fc.property(question, (one) => {
        const xml = buildQtiItemXml(one, version);
        expect(XMLValidator.validate(xml)).toBe(true);
        const read = parseQtiItem(xml);
        expect(read?.leftOut).toEqual([]);
        const { is_active, ...asked } = read?.question ?? (one as never);
        expect({ ...toStoredQuestion(asked), is_active }).toEqual({
          ...toStoredQuestion(one),
          is_active: one.is_active,
        });
      }),
      { numRuns: 300 },
    );
  });

  it.each(["2.1", "3.0"] as const)(
    "keeps its pictures, whatever their captions are, in QTI %s",
    (version) => {
      const captioned = fc
        .tuple(prose, fc.string({ maxLength: 20 }), fc.integer({ min: 1, max: 99 }))
        .map(
          ([text, alt, id]) =>
            `${text}\n\n![${alt.replaceAll(/[\\[\]\p{Cc}]/gu, "\\$&").replaceAll(/\\?[\r\n]/g, "")}](file:${id})`,
        );
      fc.assert(
        fc.property(captioned, (question_text) => {
          const one: QtiItemToWrite = {
            ...{ kind: "TRUE_FALSE", question_text, answer: { value: true }, points: 1 },
            ...{
              identifier: "question-1",
              title: "Pool 1",
              is_active: true,
              pathOf: (id) => `media/${id}.png`,
            },
          };
          const xml = buildQtiItemXml(one, version);
          expect(xml).not.toContain("](file:");
          const read = parseQtiItem(xml, (address, caption) => pictureMarkdown(caption, address));
          expect(read?.leftOut).toEqual([]);
          const shown = read?.question.question_text.replaceAll(/\]\(media\/(\d+)\.png\)/g, "](file:$1)");
          expect(shown).toBe(toStoredQuestion(one).question_text);
        }),
        { numRuns: 200 },
      );
    },
  );

  it("is spelled as its version spells it", () => {
    const one: QtiItemToWrite = {
      ...{ kind: "TRUE_FALSE", question_text: "So?", answer: { value: true }, points: 1 },
      ...{ identifier: "question-1", title: "Pool 1", is_active: true },
    };
    expect(buildQtiItemXml(one, "2.1")).toContain('<choiceInteraction responseIdentifier="RESPONSE"');
    expect(buildQtiItemXml(one, "3.0")).toContain('<qti-choice-interaction response-identifier="RESPONSE"');
    expect(buildQtiItemXml(one, "3.0")).toContain("<p>So?</p>");
  });
});

describe("a package", () => {
  const files = [{ name: "question-1.xml", xml: "<a/>" }];

  it("is a ZIP file with a manifest that lists its items, the same one for the same questions", () => {
    const zip = zipQtiPackage(files, "2.1");
    expect(zipQtiPackage(files, "2.1")).toEqual(zip);
    const names = Object.keys(unzipSync(zip));
    expect(names).toEqual(["imsmanifest.xml", "question-1.xml"]);
    const [manifest, first] = unzipQtiPackage(Buffer.from(zip));
    const textOf = (file: typeof manifest) => Buffer.from(file?.bytes ?? []).toString();
    expect(textOf(manifest)).toContain(
      '<resource identifier="question-1" type="imsqti_item_xmlv2p1" href="question-1.xml">',
    );
    expect({ name: first?.name, xml: textOf(first) }).toEqual(files[0]);
  });

  it("is rejected if it is invalid, has too many items, or would be too large", () => {
    expect(() => unzipQtiPackage(Buffer.from(strToU8("no zip")))).toThrow("The package is not a ZIP file");
    const many = Object.fromEntries(Array.from({ length: 202 }, (_, at) => [`${at}.xml`, strToU8("<a/>")]));
    expect(() => unzipQtiPackage(Buffer.from(zipSync(many)))).toThrow("A package can have at most 200 items");
    const bomb = { "item.xml": new Uint8Array(10_000_000) };
    expect(() => unzipQtiPackage(Buffer.from(zipSync(bomb)))).toThrow("A package can have at most 200 items");
    const shown = [{ name: "media/1-a.png", bytes: new Uint8Array([1]) }];
    const withPicture = zipQtiPackage(
      [{ name: "a.xml", xml: "<a/>", pictures: ["media/1-a.png"] }],
      "2.1",
      shown,
    );
    const unzipped = unzipSync(withPicture);
    expect(unzipped["media/1-a.png"]).toEqual(shown[0]?.bytes);
    expect(Buffer.from(unzipped["imsmanifest.xml"] ?? []).toString()).toContain('<file href="media/1-a.png"');
    expect(unzipQtiPackage(Buffer.from(zipSync({ "picture.png": new Uint8Array(10_000_000) })))).toEqual([]);
  });
});

describe("an item whose score or key is computed", () => {
  const choice =
    '<choiceInteraction responseIdentifier="R"><simpleChoice identifier="1">One</simpleChoice><simpleChoice identifier="2">Two</simpleChoice></choiceInteraction>';
  const single = 'cardinality="single" baseType="identifier"';
  const withPart = (part: string, inside = choice, response = single) =>
    item(inside, response).replace("</assessmentItem>", `${part}</assessmentItem>`);
  const processed = (inner: string) => withPart(`<responseProcessing>${inner}</responseProcessing>`);
  const ifMatch = (condition: string) =>
    processed(
      `<responseCondition><responseIf>${condition}<setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition>`,
    );
  const [given, right] = ['<variable identifier="R"/>', '<correct identifier="R"/>'];

  it.each([
    ["templateDeclaration", withPart('<templateDeclaration identifier="A"/>')],
    ["templateProcessing", withPart("<templateProcessing/>")],
  ])("by %s is refused", (name, source) => {
    expect(faultOf(source)).toContain(`Items with templates (${name})`);
  });

  it.each([
    "and",
    "or",
    "customOperator2",
    "lookupOutcomeValue",
    "product",
    "stringMatch",
    "random",
    "member",
  ])("by %s is refused", (name) => {
    expect(faultOf(ifMatch(`<${name}>${given}${right}</${name}>`))).toBe(
      `A score that is computed with ${name} is not supported`,
    );
  });

  it.each([
    'template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/map_response_point"',
    'template="https://example.org/own.xml"',
  ])("by the template %s is refused", (template) => {
    expect(faultOf(withPart(`<responseProcessing ${template}/>`))).toContain("A score that is computed with");
  });

  it("by a comparison with a fixed value is refused, because the stated key is not the right one", () => {
    expect(faultOf(ifMatch(`<match>${given}<baseValue baseType="identifier">2</baseValue></match>`))).toBe(
      "A score that is computed with match is not supported",
    );
  });

  const scored = (score: string) =>
    `<setOutcomeValue identifier="SCORE"><baseValue baseType="float">${score}</baseValue></setOutcomeValue>`;
  const match = `<match>${given}${right}</match>`;
  const isNull = `<isNull>${given}</isNull>`;
  const rule = (inner: string) => processed(`<responseCondition>${inner}</responseCondition>`);

  it.each([
    ["not the key", rule(`<responseIf><not>${match}</not>${scored("1")}</responseIf>`)],
    ["no answer", rule(`<responseIf>${isNull}${scored("1")}</responseIf>`)],
    [
      "an answer that is not the key",
      rule(`<responseIf>${match}${scored("0")}</responseIf><responseElse>${scored("1")}</responseElse>`),
    ],
    [
      "what is left after the key",
      rule(
        `<responseIf>${isNull}</responseIf><responseElseIf>${match}${scored("2")}</responseElseIf><responseElse>${scored("1")}</responseElse>`,
      ),
    ],
    ["everything", processed(scored("1"))],
    ["the same answer", rule(`<responseIf><match>${given}${given}</match>${scored("1")}</responseIf>`)],
    [
      "the sum without the key",
      rule(
        `<responseIf><not>${match}</not>${scored("1").replace("<baseValue", '<sum><variable identifier="SCORE"/><baseValue').replace("</baseValue>", "</baseValue></sum>")}</responseIf>`,
      ),
    ],
  ])("that rewards %s is refused", (_, source) => {
    expect(faultOf(source)).toContain("A score that is computed with");
  });

  it.each([
    [
      "the key alone",
      rule(`<responseIf>${match}${scored("5")}</responseIf><responseElse>${scored("0")}</responseElse>`),
      5,
    ],
    [
      "any but a wrong answer",
      rule(
        `<responseIf><not>${match}</not>${scored("0")}</responseIf><responseElse>${scored("2")}</responseElse>`,
      ),
      2,
    ],
    [
      "the key of an answer",
      rule(
        `<responseIf>${isNull}${scored("0")}</responseIf><responseElseIf>${match}${scored("3")}</responseElseIf>`,
      ),
      3,
    ],
    [
      "the key within another rule",
      rule(
        `<responseIf><not>${isNull}</not><responseCondition><responseIf>${match}${scored("4")}</responseIf></responseCondition></responseIf>`,
      ),
      4,
    ],
    [
      "nothing, but shows feedback",
      rule(
        `<responseIf><not>${match}</not><setOutcomeValue identifier="FEEDBACK"><baseValue baseType="identifier">no</baseValue></setOutcomeValue></responseIf>`,
      ),
      1,
    ],
  ])("that rewards %s keeps its points", (_, source, points) => {
    expect(parseQtiItem(source)?.question).toMatchObject({ answer: { option_id: "1" }, points });
  });

  it("by match and map is read", () => {
    const sources = [
      item(choice, single),
      withPart("<responseProcessing/>"),
      withPart(
        '<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>',
      ),
      withPart(
        '<responseProcessing template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/map_response.xml"/>',
      ),
      ifMatch(`<match>${given}${right}</match>`),
      ifMatch(`<not><isNull>${given}</isNull></not>`),
    ];
    for (const source of sources) expect(faultOf(source)).toBe("none");
  });

  const mapped = (cardinality: string, entries: Record<string, number>, more = "") =>
    parseQtiItem(
      `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="${cardinality}" baseType="identifier">
      <mapping ${more}>${Object.entries(entries)
        .map(([key, value]) => `<mapEntry mapKey="${key}" mappedValue="${value}"/>`)
        .join("")}</mapping></responseDeclaration><itemBody><p>Text</p>${choice}</itemBody>
      <responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/map_response"/></assessmentItem>`,
    );

  it.each([
    ["single", { 1: 3 }, "", { option_id: "1" }, 3, []],
    ["single", { 1: 3, 2: 1.5 }, "", { option_id: "1" }, 3, ["mapping"]],
    ["single", { 1: 0, 2: 2 }, "", { option_id: "2" }, 2, []],
    ["multiple", { 1: 1, 2: 2.5 }, "", { option_ids: ["2", "1"] }, 3.5, ["mapping"]],
    ["multiple", { 1: 1, 2: 2.5 }, 'upperBound="3"', { option_ids: ["2", "1"] }, 3, ["mapping"]],
    ["multiple", { 1: 4, 2: -1 }, "", { option_ids: ["1"] }, 4, ["mapping"]],
  ])(
    "a mapping %s %j %s keeps its points, and reports the partial ones",
    (cardinality, entries, more, answer, points, leftOut) => {
      expect(mapped(cardinality, entries, more)).toMatchObject({ question: { answer, points }, leftOut });
    },
  );

  const partial = 'lowerBound="0" defaultValue="-1"';

  it.each([
    ["the same for each option", { 1: 1, 2: 1 }, partial, "partial", []],
    ["without penalties", { 1: 1, 2: 1 }, 'lowerBound="0"', undefined, ["mapping"]],
    ["with other shares", { 1: 1, 2: 2 }, partial, undefined, ["mapping"]],
  ])("a mapping %s is partial credit if a question can give it", (_, entries, more, scoring, leftOut) => {
    const read = mapped("multiple", entries, more);
    expect(read?.question.scoring).toBe(scoring);
    expect(read?.leftOut).toEqual(leftOut);
  });

  it("a mapping is no partial credit if the score does not use it", () => {
    const declaration = `<responseDeclaration identifier="R" cardinality="multiple" baseType="identifier">
      <correctResponse><value>1</value></correctResponse><mapping ${partial}><mapEntry mapKey="1" mappedValue="1"/></mapping></responseDeclaration>`;
    const source = `<assessmentItem identifier="i" title="T">${declaration}<itemBody><p>Text</p>${choice}</itemBody>
      <responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/></assessmentItem>`;
    expect(parseQtiItem(source)?.question.scoring).toBeUndefined();
  });

  it("reports every part of the item that it does not read, also unknown ones", () => {
    const source = withPart("<novelPart/><stylesheet/>", choice, single);
    expect(parseQtiItem(source)?.leftOut).toEqual(["novelPart", "stylesheet"]);
    const elsewhere = withPart('<responseProcessing templateLocation="/templates/RP.xml"/>');
    expect(parseQtiItem(elsewhere)?.leftOut).toEqual(["responseProcessing"]);
    const nested = choice.replace("One", 'One<feedbackInline identifier="f">Not quite</feedbackInline>');
    const { question, leftOut } = parseQtiItem(item(nested, single)) ?? {};
    expect([question?.options?.[0]?.text, leftOut]).toEqual(["One", ["feedbackInline"]]);
  });
});
