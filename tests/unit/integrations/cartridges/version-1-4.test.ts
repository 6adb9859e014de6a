import { describe, expect, it } from "vitest";
import { readManifest } from "../../../../lib/integrations/cartridges/read-manifest.ts";
import { readPart } from "../../../../lib/integrations/cartridges/read-part.ts";
import { decodeOmission } from "../../../../lib/platform/results/omission-codes.ts";
import { decodeStoredReason } from "../../../../lib/platform/results/stored-reason.ts";
import { item, manifestOf, resource, zipOf } from "../../../support/cartridges.ts";
import {
  linkResource,
  manifest14,
  newKinds,
  openVideo,
  questionPackage3,
  quizType14,
  thinCartridge,
  toolLink14,
  variant,
  webLink14,
} from "../../../support/cartridges-1-4.ts";

const titles = { untitled: "Course", further: "Further" };
const planOf = (text: string, names: string[] = []) => readManifest({ text, names, titles });
const partsOf = (text: string, names: string[] = []) =>
  planOf(text, names).parts.map(({ kind, title, refusal, details }) => [
    kind,
    title,
    decodeStoredReason(refusal?.reason ?? null).code,
    (refusal?.left_out ?? details.left_out ?? []).map((line) => decodeOmission(line).line),
  ]);
const bytes = (text: string) => new TextEncoder().encode(text);
const linesOf = (lines: readonly string[]) => lines.map((line) => decodeOmission(line).line);

describe("a manifest of Common Cartridge 1.4", () => {
  it("has resources of its version, and links within it", () => {
    const files = { dt: "imsdt_xmlv1p4", wl: "imswl_xmlv1p4", q: quizType14 };
    const listed = Object.entries(files).map(([id, type]) => resource(id, type, [`${id}.xml`]));
    const items = Object.keys(files).map((id) => item(`i_${id}`, id, id));
    const plan = planOf(manifest14(items.join(""), listed.join("")), ["dt.xml", "wl.xml", "q.xml"]);
    expect([plan.version, plan.parts.map(({ kind }) => kind)]).toEqual([
      "1.4.0",
      ["module", "topic", "link", "quiz"],
    ]);
    const thin = planOf(thinCartridge()).parts;
    expect(thin.map(({ kind, refusal }) => [kind, refusal])).toEqual([
      ["module", undefined],
      ["link", undefined],
      ["lti_link", undefined],
    ]);
    const [, link, tool] = thin.map(({ details }) => bytes(details.xml ?? ""));
    expect(readPart({ link: link ?? bytes("") })).toMatchObject({
      link: { title: "Waves", url: "https://example.org/waves" },
    });
    expect(readPart({ tool: tool ?? bytes("") })).toMatchObject({ tool: { title: "Quiz & more" } });
  });

  it("with kinds that are not supported reports them", () => {
    const names = [
      "video/session.xml",
      "video/web.xml",
      "questions.zip",
      "book.epub",
      "video.zip",
      "apip.zip",
    ];
    const items = ["ov", "web", "qti", "book", "zip", "apip"].map((id) => item(`i_${id}`, id, id));
    expect(partsOf(manifest14(items.join(""), newKinds()), names).slice(1)).toEqual([
      ["link", "ov", null, []],
      ["link", "web", null, []],
      ["question_bank", "qti", null, []],
      ["file", "book", null, []],
      ["other", "zip", "cartridge_kind_unknown", []],
      ["other", "apip", "cartridge_kind_unknown", []],
    ]);
  });

  it("with versions of one content takes the best that is supported, and reports better ones", () => {
    const listed =
      resource("page", "webcontent", ["page.html"], variant("work")) +
      resource("work", "assignment_xmlv1p0", ["work.xml"], variant("apip")) +
      resource("apip", "imsapip_zipv1p0", ["apip.zip"]) +
      resource("old", "webcontent", ["old.html"], variant("gone")) +
      resource("gone", "assignment_xmlv1p0", ["gone.xml"]);
    const items = item("i1", "Work", "page") + item("i2", "Old", "old") + item("i3", "Again", "apip");
    expect(partsOf(manifest14(items, listed), ["page.html", "work.xml", "apip.zip", "old.html"])).toEqual([
      ["module", "Waves", null, []],
      ["assignment", "Work", null, ["a version of type imsapip_zipv1p0, which cannot be imported"]],
      ["page", "Old", null, ["a version of type assignment_xmlv1p0, which cannot be imported"]],
      ["assignment", "Again", null, ["a version of type imsapip_zipv1p0, which cannot be imported"]],
    ]);
  });

  it("with circular versions has each of them", () => {
    const listed =
      resource("a", "webcontent", ["a.html"], variant("b")) +
      resource("b", "webcontent", ["b.html"], variant("a"));
    const parts = partsOf(manifest14(item("i1", "A", "a") + item("i2", "B", "b"), listed), [
      "a.html",
      "b.html",
    ]);
    expect(parts.map(([kind, title]) => [kind, title])).toEqual([
      ["module", "Waves"],
      ["page", "A"],
      ["page", "B"],
    ]);
  });

  it("reports curriculum standards, accessibility, the audience and protection, of resources and of the whole", () => {
    const standards =
      "<csmd:curriculumStandardsMetadataSet><csmd:curriculumStandardsMetadata><csmd:setOfGUIDs><csmd:labelledGUID><csmd:GUID>g-1</csmd:GUID></csmd:labelledGUID></csmd:setOfGUIDs></csmd:curriculumStandardsMetadata></csmd:curriculumStandardsMetadataSet>";
    const audience =
      "<lom:lom><lom:educational><lom:intendedEndUserRole><lom:value>Instructor</lom:value></lom:intendedEndUserRole></lom:educational></lom:lom>";
    const metadata = `<metadata>${standards}<a:accessibilityMetadata/>${audience}</metadata>`;
    const listed = resource("page", "webcontent", ["page.html"], metadata).replace(
      "<resource ",
      '<resource autz:protected="true" ',
    );
    const parts = partsOf(manifest14(item("i1", "Page", "page"), listed, { more: standards }), ["page.html"]);
    expect(parts).toEqual([
      ["module", "Waves", null, []],
      [
        "page",
        "Page",
        null,
        [
          "setting curriculumStandardsMetadataSet: g-1",
          "accessibilityMetadata",
          "setting intendedEndUserRole: Instructor",
          "setting protected: true",
        ],
      ],
      ["other", "Waves", "cartridge_metadata_ignored", ["setting curriculumStandardsMetadataSet: g-1"]],
    ]);
  });

  it.each([
    ["has no link", linkResource("w", "imswl_xmlv1p4", ""), "cartridge_file_missing"],
    [
      "has a link of another kind",
      linkResource("w", "imswl_xmlv1p4", toolLink14()),
      "cartridge_file_missing",
    ],
    [
      "has a tool of another kind",
      linkResource("w", "imsbasiclti_xmlv1p4", webLink14("https://a.b/")),
      "cartridge_file_missing",
    ],
    ["names a file that leaves", resource("w", "imswl_xmlv1p4", ["../w.xml"]), "cartridge_file_missing"],
    ["has no type", linkResource("w", "", webLink14("https://a.b/")), "cartridge_kind_unknown"],
    [
      "has a type of a later version",
      linkResource("w", "imswl_xmlv2p0", webLink14("https://a.b/")),
      "cartridge_kind_unknown",
    ],
    ["is missing", "", "cartridge_resource_missing"],
  ])("whose resource %s rejects that part alone", (_, listed, code) => {
    const good = linkResource("g", "imswl_xmlv1p4", webLink14("https://example.org/"));
    const parts = partsOf(manifest14(item("i1", "Bad", "w") + item("i2", "Good", "g"), listed + good));
    expect(parts.map(([, title, fault]) => [title, fault])).toEqual([
      ["Waves", null],
      ["Bad", code],
      ["Good", null],
    ]);
  });

  it.each(["1.5.0", "1.40", "1.4.x", "2.4", "14", ""])("of version %j is rejected", (version) => {
    expect(() => planOf(manifestOf("", "", { version }))).toThrow("Use version 1.0 to 1.4");
  });

  it.each([
    ["an unclosed element", thinCartridge().replace("</resources>", "")],
    ["a document type", `<!DOCTYPE manifest [<!ENTITY a "b">]>${thinCartridge()}`],
    ["a link that is cut", thinCartridge().replace("</wl:webLink>", "")],
  ])("with %s is rejected", (_, text) => {
    expect(() => planOf(text)).toThrow("imsmanifest.xml cannot be read");
  });
});

describe("a part of Common Cartridge 1.4", () => {
  it("that is a tool has the points and ids of its line item, and reports settings of one platform and icons", () => {
    const part = readPart({ tool: bytes(toolLink14()) });
    if (!("tool" in part)) throw new Error("it is a tool");
    const { leftOut: lines, ...tool } = part.tool;
    expect(tool).toEqual({
      ...{ title: "Quiz & more", url: "https://tool.example.com/7", description: "", custom: { quiz: "7" } },
      grading: { max_points: 12.5, resource_id: "7", tag: "quiz" },
    });
    expect(linesOf(lines)).toEqual(["setting other.example.com privacy_level: public", "icon"]);
  });

  it("that is a recording has its first stream, and reports the rest", () => {
    const part = readPart({ recording: bytes(openVideo("lecture.mp4")) });
    if (!("recording" in part)) throw new Error("it is a recording");
    const { leftOut: lines, ...recording } = part.recording;
    expect(recording).toEqual({
      ...{ title: "Lecture 1", description: "About waves", address: "lecture.mp4", isOfWeb: false },
    });
    expect(linesOf(lines)).toEqual(["captions: lecture.vtt", "stream: slides.mp4", "markers"]);
    expect(readPart({ recording: bytes(openVideo("https://example.org/a.mp4")) })).toMatchObject({
      recording: { isOfWeb: true },
    });
    expect(readPart({ recording: bytes("<session><streams/></session>") })).toMatchObject({
      recording: { address: "", isOfWeb: false },
    });
  });

  it("that is a package of QTI 3 has its questions, and reports a lost picture, a test and damage", () => {
    const part = readPart({ questionPackage: questionPackage3() });
    if (!("quiz" in part)) throw new Error("it is a bank");
    expect(part.quiz).toMatchObject({ isBank: true, questions: [{ question_text: "Which wave?" }] });
    expect(linesOf(part.quiz.leftOut)).toEqual([
      "b.xml: Its img would be lost, and the question would ask something else",
      "assessmentTest",
    ]);
    expect(readPart({ questionPackage: bytes("no archive") })).toMatchObject({
      refusal: expect.stringContaining("package_not_zip"),
    });
    const broken = readPart({ questionPackage: zipOf({ "a.xml": "<qti-assessment-item>" }) });
    expect(broken).toMatchObject({ quiz: { questions: [], hasItems: true } });
  });
});
