import { describe, expect, it } from "vitest";
import { errorMessageTemplates } from "../../../../lib/error-codes.ts";
import { parseQuestionFiles } from "../../../../lib/integrations/question-files/read-files.ts";
import { decodeCodeAndMessage } from "../../../../lib/platform/results/stored-reason.ts";
import { zipOf } from "../../../support/cartridges.ts";
import { png } from "../../../support/send-file.ts";

const read = async (content: string | Uint8Array, largestPicture = 1_000_000) => {
  const given = { package: Buffer.from(content).toString("base64"), largestPicture };
  const { found, pictures } = await parseQuestionFiles({ files: undefined, ...given });
  return {
    texts: found.flatMap(({ question }) => question?.question_text ?? []),
    faults: found.flatMap(
      ({ fault }) => decodeCodeAndMessage(fault ?? null, errorMessageTemplates).code ?? [],
    ),
    pictures: pictures.map(({ name, bytes }) => [name, bytes.at(-1)]),
    found,
  };
};

const picture = (number: number): Buffer => Buffer.concat([png, Buffer.from([number])]);

const moodle = (text: string, files: Record<string, Buffer>, format = "html") =>
  `<question type="truefalse"><name><text>N</text></name><questiontext format="${format}"><text><![CDATA[${text}]]></text>
  ${Object.entries(files)
    .map(
      ([name, bytes]) => `<file name="${name}" path="/" encoding="base64">${bytes.toString("base64")}</file>`,
    )
    .join("")}</questiontext>
  <answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer></question>`;

describe("pictures in Moodle XML", () => {
  it("are those next to their text, also if several have one name", async () => {
    const img = '<p>True? <img src="@@PLUGINFILE@@/a%20b.png" alt="A dot"></p>';
    const file = `<quiz>${moodle(img, { "a b.png": picture(1) })}${moodle(img, { "a b.png": picture(2) })}</quiz>`;
    const { texts, faults, pictures, found } = await read(file);
    expect(faults).toEqual([]);
    expect(texts).toHaveLength(2);
    expect(new Set(texts).size).toBe(2);
    expect(pictures).toEqual([
      ["a b.png", 1],
      ["a b.png", 2],
    ]);
    expect(found.map((one) => "files" in one)).toEqual([false, false]);
    const packed = await read(zipOf({ "one.xml": file, "two.xml": file }));
    expect(packed.pictures).toHaveLength(4);
  });

  it("are found in Markdown, too", async () => {
    const text = "True? ![A dot](@@PLUGINFILE@@/a.png)";
    const { texts, pictures } = await read(
      `<quiz>${moodle(text, { "a.png": picture(1) }, "markdown")}</quiz>`,
    );
    expect(pictures).toEqual([["a.png", 1]]);
    expect(texts[0]).toMatch(/^True\? !\[A dot\]\(cartridge-picture:/);
  });

  it("refuse their question if they are missing or no pictures", async () => {
    const img = '<img src="@@PLUGINFILE@@/a.png">';
    const file = `<quiz>${moodle(img, {})}${moodle(img, { "a.png": Buffer.from("notes") })}${moodle("True?", {})}</quiz>`;
    const { texts, found } = await read(file);
    expect(texts).toEqual(["True?"]);
    expect(found.map(({ fault }) => fault?.split(" ")[0])).toEqual([
      ...["left_out_question_part_lost", "question_picture_unknown", undefined],
    ]);
  });
});

describe("pictures in a package", () => {
  it("are shown by GIFT and JSON next to them", async () => {
    const json = JSON.stringify([
      { kind: "TRUE_FALSE", question_text: "True? ![A dot](a.png)", answer: { value: true } },
    ]);
    const { texts, pictures, faults } = await read(
      zipOf({
        "q/q.json": json,
        "q/q.gift": '[html]<p>True? <img src\\="a.png" alt\\="A dot"></p> {T}',
        "q/a.png": picture(1),
      }),
    );
    expect(faults).toEqual([]);
    expect(texts).toHaveLength(2);
    for (const text of texts) expect(text).toContain("![A dot](cartridge-picture:q%2Fa.png)");
    expect(pictures).toEqual([["a.png", 1]]);
  });

  const showing = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, at) => ({
        ...{ kind: "TRUE_FALSE", question_text: `True? ![](${at}.png)`, answer: { value: true } },
      })),
    );
  const pictures = (count: number, bytes: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`${at}.png`, Buffer.concat([png, Buffer.alloc(bytes, at)])]),
    );

  it("have a limit each, and one together", async () => {
    const one = await read(zipOf({ "q.json": showing(2), ...pictures(1, 2_000_000), "1.png": png }));
    expect([one.faults, one.texts.length, one.pictures.length]).toEqual([
      ["question_picture_too_large"],
      1,
      1,
    ]);
    const many = zipOf({ "q.json": showing(17), ...pictures(17, 2_000_000) });
    await expect(read(many, 3_000_000)).rejects.toThrow("at most 32 MB together");
  });

  it("that name a placeholder are no pictures of a single file", async () => {
    const text = JSON.stringify([
      { kind: "TRUE_FALSE", question_text: "![](cartridge-picture:a.png)", answer: { value: true } },
    ]);
    expect((await read(text)).faults).toEqual(["question_picture_unknown"]);
  });
});
