import { describe, expect, it } from "vitest";
import { HttpError } from "../../../../lib/errors.ts";
import { readScormManifest } from "../../../../lib/integrations/cartridges/scorm-manifest.ts";
import { manifest12, manifest2004 } from "../../../support/scorm.ts";

const read = (manifest: string | Uint8Array, names = ["index.html", "quiz.html"]) =>
  readScormManifest({ manifest: typeof manifest === "string" ? Buffer.from(manifest) : manifest, names });

function refusalOf(manifest: string | Uint8Array, names?: string[]): [string, unknown] {
  try {
    read(manifest, names);
  } catch (error) {
    if (error instanceof HttpError) return [error.code, error.values];
    throw error;
  }
  throw new Error("the manifest was accepted");
}

describe("a manifest", () => {
  it("of 1.2 has its SCOs in order, with mastery score, launch data and parameters", () => {
    const found = read(
      manifest12([
        { href: "index.html", parameters: "?mode=full" },
        {
          href: "quiz.html",
          extra: "<adlcp:masteryscore>80</adlcp:masteryscore><adlcp:datafromlms>a=1</adlcp:datafromlms>",
        },
      ]),
    );
    expect(found).toMatchObject({ version: "1.2", title: "Course" });
    expect(found.scos).toEqual([
      expect.objectContaining({
        id: "item1",
        path: "index.html",
        parameters: "?mode=full",
        passing_score: null,
      }),
      expect.objectContaining({ id: "item2", path: "quiz.html", passing_score: 0.8, launch_data: "a=1" }),
    ]);
  });

  it("of 2004 has measures of success and completion", () => {
    const extra = `<adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.75"/>
      <imsss:sequencing><imsss:objectives><imsss:primaryObjective satisfiedByMeasure="true">
      <imsss:minNormalizedMeasure>0.6</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives></imsss:sequencing>`;
    for (const edition of ["2004 4th Edition", "2004 3rd Edition", "CAM 1.3"])
      expect(read(manifest2004([{ href: "index.html", extra }], edition)).scos).toEqual([
        expect.objectContaining({ passing_score: 0.6, completion_threshold: 0.75 }),
      ]);
  });

  it.each([
    ["within the item", (sequencing: string) => [sequencing, ""]],
    [
      "in the collection",
      (sequencing: string) => [
        '<imsss:sequencing IDRef="s1"/>',
        `<imsss:sequencingCollection>${sequencing}</imsss:sequencingCollection>`,
      ],
    ],
  ] as const)("of 2004 has the measure of sequencing %s", (_, place) => {
    const [extra = "", collection] = place(`<imsss:sequencing ID="s1"><imsss:objectives>
      <imsss:primaryObjective satisfiedByMeasure="true"><imsss:minNormalizedMeasure>0.8</imsss:minNormalizedMeasure>
      </imsss:primaryObjective></imsss:objectives></imsss:sequencing>`);
    const manifest = manifest2004([{ href: "index.html", extra }]);
    const { scos } = read(manifest.replace("</manifest>", `${collection}</manifest>`));
    expect(scos).toEqual([expect.objectContaining({ passing_score: 0.8 })]);
  });

  it.each([manifest12, manifest2004])("lists no hidden SCO, unless it is the only one", (write) => {
    const hidden = (manifest: string, item: string) =>
      manifest.replace(`identifier="${item}"`, `identifier="${item}" isvisible="false"`);
    const two = write([{ href: "index.html" }, { href: "quiz.html" }]);
    expect(read(hidden(two, "item2")).scos.map(({ id }) => id)).toEqual(["item1"]);
    expect(read(hidden(two, "item1")).scos.map(({ id }) => id)).toEqual(["item2"]);
    expect(read(hidden(write([{ href: "index.html" }]), "item1")).scos).toHaveLength(1);
  });

  it("finds files below xml:base, with escapes and in another case", () => {
    const manifest = manifest12([{ href: "My%20Page.HTML#top" }]).replace(
      "<resources>",
      '<resources xml:base="content/">',
    );
    expect(read(manifest, ["content/my page.html"]).scos[0]).toMatchObject({
      path: "content/my page.html",
      parameters: "#top",
    });
  });

  it("is read in its encoding", () => {
    const text = manifest12([{ href: "index.html", title: "Über Wellen" }]);
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const latin1 = Buffer.from(text.replace("UTF-8", "ISO-8859-1"), "latin1");
    for (const bytes of [Buffer.from(text), utf16, latin1])
      expect(read(bytes).scos[0]?.title).toBe("Über Wellen");
  });

  it("without a version is known by its namespace", () => {
    const manifest = manifest12([{ href: "index.html" }]).replace(/<metadata>.*<\/metadata>/s, "");
    expect(read(manifest).version).toBe("1.2");
  });

  it.each([
    ["an asset alone", manifest12([{ href: "index.html", kind: "asset" }]), ["scorm_without_sco", {}]],
    [
      "another version",
      manifest2004([{ href: "index.html" }], "1.0"),
      ["scorm_version_unknown", { version: "1.0" }],
    ],
    [
      "a path that leaves the package",
      manifest12([{ href: "../../index.html", title: "Intro" }]),
      ["scorm_launch_leaves", { title: "Intro", path: "../../index.html" }],
    ],
    [
      "another site",
      manifest12([{ href: "https://evil.example/a.html", title: "Intro" }]),
      ["scorm_launch_leaves", { title: "Intro", path: "https://evil.example/a.html" }],
    ],
    [
      "a file that is missing",
      manifest12([{ href: "start.html", title: "Intro" }]),
      ["scorm_launch_file_missing", { title: "Intro", path: "start.html" }],
    ],
    ["another root", "<course/>", ["scorm_manifest_unreadable", { fault: "its root is course" }]],
  ])("with %s is rejected", (_, manifest, [code, values]) => {
    expect(refusalOf(manifest)).toEqual([code, values]);
  });

  it.each([
    ["a document type", `<!DOCTYPE manifest [<!ENTITY a "b">]><manifest/>`],
    ["broken markup", "<manifest><organizations></manifest>"],
    ["no text", ""],
    ["an unknown encoding", '<?xml version="1.0" encoding="x-none"?><manifest/>'],
  ])("with %s is rejected as unreadable", (_, manifest) => {
    expect(refusalOf(manifest)[0]).toBe("scorm_manifest_unreadable");
  });

  it("has at most 500 items", () => {
    const items = Array.from({ length: 501 }, () => ({ href: "index.html" }));
    expect(refusalOf(manifest12(items))).toEqual(["scorm_too_many_items", { count: 500 }]);
  });
});
