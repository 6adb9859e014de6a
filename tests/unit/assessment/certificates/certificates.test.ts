import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { extractText } from "unpdf";
import { describe, expect, it } from "vitest";
import {
  certificatePageCsp,
  certificateVerificationPageHtml,
} from "../../../../lib/assessment/certificates/certificate-page.ts";
import { certificatePdf, splitTextByFont } from "../../../../lib/assessment/certificates/certificate-pdf.ts";
import {
  encodeStatusListBits,
  statusListBitCount,
  statusListPosition,
} from "../../../../lib/assessment/certificates/status-list.ts";

const printed = {
  state: "VALID" as const,
  printed_name: "Ada Lovelace",
  course_title: "Signals and systems",
  university_name: "Northgate University",
  completed_at: "2026-03-09T10:00:00.000Z",
  issued_at: "2026-03-10T12:00:00.000Z",
  expires_at: null,
  revoked_at: null,
};

const code = "3f0c9b6e1d2a4c58b7e6f5a493827160";
const address = `https://learn.example.edu/api/v1/assessments/certificates/verify/${code}/page`;
const timeZone = "UTC";
const links = {
  ...{ pdf: "https://learn.example.edu/pdf", credential: "https://learn.example.edu/credential", timeZone },
};

describe("a certificate's page", () => {
  it("shows the printed text, and its dates", () => {
    const page = certificateVerificationPageHtml(printed, code, links);
    for (const said of ["Ada Lovelace", "Signals and systems", "Northgate University", "10 March 2026"])
      expect(page).toContain(said);
    expect(page).toContain("This certificate is valid.");
    expect(page).not.toContain("Valid until");
  });

  it("shows days of the university's time zone", () => {
    const page = certificateVerificationPageHtml(printed, code, { ...links, timeZone: "Pacific/Kiritimati" });
    expect(page).toContain("<dt>Completed</dt><dd>10 March 2026</dd>");
    expect(page).toContain("<dt>Issued</dt><dd>11 March 2026</dd>");
  });

  it("says loudly that one does not count, and offers no badge of it", () => {
    const page = certificateVerificationPageHtml(
      { ...printed, state: "REVOKED", revoked_at: printed.issued_at },
      code,
      links,
    );
    expect(page).toContain('class="state broken"');
    expect(page).toContain("was revoked and does not count");
    expect(page).not.toContain(links.credential);
  });

  it("escapes every name, title and code", () => {
    const attack = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`;
    const page = certificateVerificationPageHtml(
      { ...printed, printed_name: attack, course_title: attack, university_name: attack },
      attack,
      { pdf: attack, credential: attack, timeZone },
    );
    expect(page).not.toMatch(/<script|<img|onerror='/);
    expect(page.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(4);
  });

  it("runs no scripts and cannot be framed; its one style is allowed by its hash", () => {
    expect(certificatePageCsp).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
    expect(certificatePageCsp).toContain("frame-ancestors 'none'");
    expect(certificatePageCsp).not.toContain("unsafe");
  });
});

describe("a certificate's PDF", () => {
  const packages = new URL("../../../../node_modules/", import.meta.url);
  const font = (path: string) => readFile(new URL(path, packages));
  const textOf = async (pdf: Buffer) => {
    const { text, totalPages } = await extractText(new Uint8Array(pdf), { mergePages: true });
    expect(totalPages).toBe(1);
    return text.replaceAll(/\s+/g, " ");
  };
  const make = async (change: Partial<Parameters<typeof certificatePdf>[0]> = {}, zone = timeZone) => {
    const usual = await font("dejavu-fonts-ttf/ttf/DejaVuSans.ttf");
    const other = await font("@fontsource/unifontex/files/unifontex-latin-400-normal.woff");
    return textOf(
      await certificatePdf(
        { ...printed, ...change },
        { code, address, fonts: { usual, other }, timeZone: zone },
      ),
    );
  };

  it("has one page with the printed text, its dates, its code and where to verify it", async () => {
    const text = await make();
    for (const said of [
      "Ada Lovelace",
      "Signals and systems",
      "Northgate University",
      "Issued: 10 March 2026",
    ])
      expect(text).toContain(said);
    expect(text).toContain("3f0c 9b6e");
    expect(text).toContain(address);
    expect(await make({}, "Pacific/Kiritimati")).toContain("Issued: 11 March 2026");
    expect(await make({ state: "REVOKED", revoked_at: printed.issued_at })).toContain("was revoked");
  });

  it.each([
    "Σοφία Κοβαλέβσκαγια",
    "Жанна д’Арк",
    "Ólafur Þórðarson",
    "Nguyễn Thị Định",
    "გიორგი",
    "王小明",
    "김연아",
  ])("prints the name %s", async (printed_name) => {
    expect(await make({ printed_name })).toContain(printed_name);
  });

  it("makes the longest of names fit on its one page", async () => {
    const printed_name = "Wolfeschlegelsteinhausenbergerdorff ".repeat(7).trim();
    expect(await make({ printed_name })).toContain(printed_name);
  });

  it("takes a character from the other font if the usual one has none, with its neighbors", () => {
    const hasSign = (character: string) => character < "ÿ";
    expect(splitTextByFont("Li 小明 Li", hasSign)).toEqual([
      { text: "Li ", font: "usual" },
      { text: "小明", font: "other" },
      { text: " Li", font: "usual" },
    ]);
  });
});

describe("a status list", () => {
  it("has a bit for each place, the first one the highest of its byte", async () => {
    const list = await encodeStatusListBits([0, 9, statusListBitCount - 1]);
    expect(list[0]).toBe("u");
    const bytes = gunzipSync(Buffer.from(list.slice(1), "base64url"));
    expect(bytes).toHaveLength(statusListBitCount / 8);
    expect([bytes[0], bytes[1], bytes.at(-1)]).toEqual([0x80, 0x40, 0x01]);
    expect(bytes.filter((byte) => byte !== 0)).toHaveLength(3);
  });

  it("continues in the next one", () => {
    expect([statusListPosition(1), statusListPosition(statusListBitCount)]).toEqual([
      { list: 1, index: 1 },
      { list: 2, index: 0 },
    ]);
  });
});
