import { describe, expect, it } from "vitest";
import { archiveOf, packedText } from "../../support/archives.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** Milliseconds of CPU time of the main thread during a task. */
async function workOf(task: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await task();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** For work that once took seconds, in CPU time of the main thread, which a busy machine does not affect. */
const aMoment = 400;

async function office() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const path = `/universities/${university.id}/imports`;
  const people = (csv: string) =>
    admin.post(path, { format: "CSV", dry_run: true, files: { "people.csv": csv } });
  const zip = (archive: Buffer) =>
    admin.post(path, { format: "CSV", dry_run: true, zip: archive.toString("base64") });
  return { people, zip };
}

async function openPool() {
  const university = await make.university();
  const teacher = world.as(await make.holder("instructor", university.id));
  const { body } = await teacher.post("/assessments/question-pools", {
    ...{ university_id: university.id, title: "Empty" },
  });
  return (sent: object) => teacher.post(`/assessments/question-pools/${body.id}/import/qti`, sent);
}

const item = (text: string) =>
  `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
  <correctResponse><value>Paris</value></correctResponse></responseDeclaration>
  <itemBody><p>${text}</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;

/** A formula whose text is blanks. */
const blanks = (count: number) => item(`<math><mtext>a${" ".repeat(count)}b</mtext></math>`);

describe("an import of people", () => {
  const faultOf = ({ body }: { body: { detail: { msg: string }[] } }) => body.detail[0]?.msg;

  it("says of a header of eleven thousand columns how many there may be", async () => {
    const { people } = await office();
    const wide = Array.from({ length: 11_000 }, (_, at) => `c${at}`).join(",");
    const lines = "x\n".repeat(8000);
    const refused = async () => {
      const replies = await Promise.all([wide, `${wide},${wide}`].map((one) => people(`${one}\n${lines}`)));
      expect(replies.map(({ status }) => status)).toEqual([422, 422]);
      expect(replies.map(faultOf)).toEqual([
        "File should have at most 200 columns",
        expect.stringContaining("tolerated bytes of 65536"),
      ]);
    };
    expect(await workOf(refused)).toBeLessThan(aMoment);
  });

  it("reads lines of nothing below as many columns as there may be, and says how many lines there may be", async () => {
    const { people } = await office();
    const names = Array.from({ length: 198 }, (_, at) => `c${at}`).join(",");
    const header = `email,full_name,${names}`;
    const read = async () => {
      const lines = "x\n".repeat(5000);
      expect((await people(`${header}\n${lines}`)).body).toMatchObject({ total: 5000, refused: 5000 });
      expect(faultOf(await people(`${header}\n${lines.repeat(4)}x`))).toBe(
        "File should have at most 20001 rows",
      );
    };
    expect(await workOf(read)).toBeLessThan(aMoment);
  });

  it("believes nothing that an archive states of itself", async () => {
    const { zip } = await office();
    const bomb = packedText("x".repeat(100_000_000));
    const small = { name: "people.csv", packed: packedText("email,full_name\n") };
    const one = { name: "0.csv", packed: bomb, size: 1 };
    const many = Array.from({ length: 40 }, (_, at) => ({ ...one, name: `${at + 1}.csv`, at: 0 }));
    const entries = Array.from({ length: 60_000 }, () => ({ name: "", packed: Buffer.alloc(0), at: 0 }));
    const tooLarge = archiveOf([one]);
    const sharingOne = archiveOf([one, ...many]);
    const tooMany = archiveOf([small], 65_535);
    const hidden = archiveOf([small, ...entries.slice(0, 12_000)]);
    const missing = archiveOf([small], 4999);
    const refused = async () => {
      expect(faultOf(await zip(tooLarge))).toBe("ZIP archive should have at most 16384 KiB when unpacked");
      expect(faultOf(await zip(sharingOne))).toContain("16384 KiB");
      expect(faultOf(await zip(tooMany))).toBe("ZIP archive should have at most 5000 entries");
      expect(faultOf(await zip(hidden))).toContain("5000 entries");
      expect(faultOf(await zip(missing))).toBe("Not readable as a ZIP archive");
    };
    expect(await workOf(refused)).toBeLessThan(aMoment);
  });
});

describe("files that take their time", () => {
  /** One and a half megabytes of lines without valid people, compressed to kilobytes. */
  const long = archiveOf([
    { name: "people.csv", packed: packedText(`email,full_name\n${"no address,Nobody\n".repeat(90_000)}`) },
  ]);

  it("delay only their senders", async () => {
    const offices = await Promise.all([office(), office(), office()]);
    const other = world.as(await make.person());
    const ends: string[] = [];
    const files = offices.map(({ zip }) => zip(long).then(({ status }) => ends.push(`a file: ${status}`)));
    for (let turn = 0; turn < 3; turn++) ends.push(`another: ${(await other.get("/users/me")).status}`);
    await Promise.all(files);
    expect(ends).toEqual([...Array(3).fill("another: 200"), ...Array(3).fill("a file: 422")]);
  });

  // Further ones wait at most ten seconds: tests/unit/platform/readers/reading-threads.test.ts.
  it("are read one after the other per person, and three of them have a guaranteed turn", async () => {
    const { zip } = await office();
    const replies = await Promise.all(Array.from({ length: 5 }, () => zip(long)));
    const isLate = ({ status }: { status: number }) => status === 429;
    const read = replies.filter((reply) => !isLate(reply));
    expect(read.length).toBeGreaterThanOrEqual(3);
    expect(new Set(read.map(({ status }) => status))).toEqual(new Set([422]));
    for (const late of replies.filter(isLate)) {
      expect(late).toMatchObject({
        body: { detail: "Other files of yours are still being read. Try again later" },
      });
      expect(late.headers.get("retry-after")).toBe("5");
    }
  });
});

describe("an import of questions", () => {
  it("reads eighty thousand blanks, or a package of some thousand bytes, as fast as anything", async () => {
    const upload = await openPool();
    const sent = [
      { files: [{ name: "blanks.xml", xml: blanks(80_000) }] },
      { files: [{ name: "breaks.xml", xml: item(`a${" \n".repeat(40_000)}b`) }] },
      { files: [{ name: "blank.xml", xml: item("<b >a</b >".replaceAll(" ", " ".repeat(40_000))) }] },
    ];
    const text = packedText(blanks(250_000));
    const entries = Array.from({ length: 8 }, (_, at) => ({ name: `${at}.xml`, packed: text }));
    const archive = archiveOf(entries);
    expect(archive.length).toBeLessThan(8000);
    const read = async () => {
      for (const files of sent)
        expect(await upload(files)).toMatchObject({ status: 200, body: { failed: 0 } });
      const packed = await upload({ package: archive.toString("base64") });
      expect(packed).toMatchObject({ status: 200, body: { created: 0, skipped: 8 } });
    };
    expect(await workOf(read)).toBeLessThan(aMoment);
  });

  it("limits its report of unsupported content", async () => {
    const upload = await openPool();
    const packed = packedText(item(`<${"a".repeat(250_000)}/>`));
    const entries = Array.from({ length: 30 }, (_, at) => ({ name: `${at}.xml`, packed }));
    const reply = await upload({ package: archiveOf(entries).toString("base64") });
    expect(reply).toMatchObject({ status: 200, body: { failed: 30 } });
    expect(reply.text.length).toBeLessThan(30_000);
  });

  it("says of a file with too many elements how many there may be", async () => {
    const upload = await openPool();
    const { body } = await upload({ files: [{ name: "many.xml", xml: item("<b/>".repeat(20_000)) }] });
    expect(body.results).toMatchObject([
      {
        outcome: "failed",
        fault: "The XML of this file cannot be read: It should have at most 20000 elements",
        code: "qti_xml_unreadable",
      },
    ]);
  });
});

describe("an import of grades", () => {
  it("of a file with a cell everywhere does not delay other callers", async () => {
    const { here, assistant, lab } = await openLab(world);
    const items = [lab.id, ...Array.from({ length: 199 }, (_, at) => 1_000_000 + at)];
    const lines = Array.from({ length: 500 }, (_, at) => [500_000 + at, ...items.map(() => 1)].join(","));
    const csv = [`user_id,${items.join(",")}`, ...lines].join("\n");
    expect(csv.length).toBeLessThan(250_000);
    const imported = async () => {
      const reply = await world.as(assistant).post(`${here}/gradebook/import`, { csv, reason: "x" });
      expect(reply).toMatchObject({ status: 200, body: { changed: 0, refused: 100_000 } });
      expect(reply.body.results).toHaveLength(5000);
    };
    expect(await workOf(imported)).toBeLessThan(aMoment);
  });
});

describe("a content item", () => {
  it("with thirty long invalid addresses is rejected quickly", async () => {
    const { university, item } = await make.topic();
    const author = world.as(await make.holder("instructor", university.id));
    const url = `http://${"a".repeat(8000)} `;
    const items = Array.from({ length: 30 }, () => ({ label: "x", url }));
    const refused = async () => {
      const { status, body } = await author.put(`/content/${item.id}`, {
        data_json: { blocks: [{ type: "link_list", items }] },
      });
      expect([status, body.detail[0].msg]).toEqual([422, expect.stringContaining("http or https address")]);
    };
    expect(await workOf(refused)).toBeLessThan(aMoment);
  });
});
