import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The outcome of a question in a file. */
export type ImportedQuestionRow = {
  name: string;
  line: number | null;
  outcome: "created" | "skipped" | "failed" | "ignored";
  fault: string | null;
  code: string | null;
  left_out: string[];
  left_out_codes: string[];
};

export type ImportedQuestionPool = { pool: number; rows: ImportedQuestionRow[]; questions: unknown[] };

type CartridgeParts = {
  outcome: string;
  left_out: string[];
  reason: string | null;
  content_item_ids: number[];
}[];

export type ImportedCaptions = { segments: { text: string }[]; left_out: string[] };

/** Imports files into a new course of the first university, as its staff. */
export type ImportingClient = {
  /** Into a new pool. A rejected file has one failed row. */
  importQuestions(file: string): Promise<ImportedQuestionPool>;
  exportPool(pool: number): Promise<Uint8Array>;
  /** `items` are the created contents. */
  importCartridge(
    file: string,
  ): Promise<{ failure: string | null; parts: CartridgeParts; items: readonly unknown[] }>;
  /** Or why there are none. */
  readCaptions(file: string): Promise<ImportedCaptions | string>;
};

type Answer = { status: number; body: never };

export async function createImportingClientWithCourse(
  base: string,
  account: { email: string; password: string },
): Promise<ImportingClient> {
  const call = async (method: string, where: string, body?: object, token = ""): Promise<Answer> => {
    const response = await fetch(`${base}/api/v1${where}`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  const signedIn = await succeeded<{ access_token: string }>(call("POST", "/auth/login", account));
  const ask = (method: string, where: string, body?: object) =>
    call(method, where, body, signedIn.access_token);
  const course = await succeeded<{ id: number }>(
    ask("POST", "/courses/", { university_id: 1, title: "Imports", code: `IMP-${Date.now()}` }),
  );
  const upload = async (file: string): Promise<number> => {
    const bytes = await readFile(file);
    const about = { purpose: "IMPORT", course_id: course.id, name: path.basename(file).slice(-200) };
    const promised = await succeeded<{
      id: number;
      upload: { url: string; headers: Record<string, string> };
    }>(ask("POST", "/files/", { ...about, size: bytes.length, media_type: "application/octet-stream" }));
    const { url, headers } = promised.upload;
    const sent = await fetch(new URL(url, base), { method: "PUT", headers, body: new Uint8Array(bytes) });
    if (!sent.ok) throw new Error(`an upload answered ${sent.status}`);
    await succeeded(ask("POST", `/files/${promised.id}/complete`, {}));
    return promised.id;
  };
  return {
    async importQuestions(file) {
      const title = path.basename(file).slice(-200);
      const pool = await succeeded<{ id: number }>(
        ask("POST", "/assessments/question-pools", { university_id: 1, course_id: course.id, title }),
      );
      const where = `/assessments/question-pools/${pool.id}`;
      const { status, body } = await ask("POST", `${where}/import/qti`, { file_id: await upload(file) });
      if (status === 200) {
        const questions = await pagesOf(async (skip) => {
          const page = await succeeded<{ questions: unknown[] }>(
            ask("GET", `${where}/export?limit=${pageSize}&skip=${skip}`),
          );
          return page.questions;
        });
        return { pool: pool.id, rows: (body as { results: ImportedQuestionRow[] }).results, questions };
      }
      if (status >= 500) throw new Error(`an import answered ${status}`);
      const fault = JSON.stringify((body as { detail: unknown }).detail);
      const about = { name: title, line: null, code: null, left_out: [], left_out_codes: [] };
      return { pool: pool.id, rows: [{ ...about, outcome: "failed", fault }], questions: [] };
    },
    async exportPool(pool) {
      const exported = await succeeded<{ package: string }>(
        ask("GET", `/assessments/question-pools/${pool}/export/qti?limit=100`),
      );
      return Buffer.from(exported.package, "base64");
    },
    async importCartridge(file) {
      const started = await succeeded<{ id: number }>(
        ask("POST", "/cartridges/imports", { course_id: course.id, file_id: await upload(file) }),
      );
      for (;;) {
        const job = await succeeded<{ ended_at: string | null; failure: string | null }>(
          ask("GET", `/cartridges/imports/${started.id}`),
        );
        if (job.ended_at) {
          const where = `/cartridges/imports/${started.id}/parts?limit=${pageSize}`;
          const parts = await pagesOf((skip) =>
            succeeded<CartridgeParts>(ask("GET", `${where}&skip=${skip}`)),
          );
          const ids = parts.flatMap(({ content_item_ids }) => content_item_ids);
          const items: unknown[] = [];
          for (const id of ids) items.push(await succeeded<unknown>(ask("GET", `/content/${id}`)));
          return { failure: job.failure, parts, items };
        }
        await sleep(200);
      }
    },
    async readCaptions(file) {
      const given = { course_id: course.id, name: path.basename(file), file_id: await upload(file) };
      const { status, body } = await ask("POST", "/content/captions", given);
      return status === 200 ? (body as ImportedCaptions) : String((body as { detail: unknown }).detail);
    },
  };
}

const pageSize = 100;

async function pagesOf<Row>(read: (skip: number) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await read(rows.length);
    rows.push(...page);
    if (page.length < pageSize) return rows;
  }
}

async function succeeded<Body>(asked: Promise<Answer>): Promise<Body> {
  const { status, body } = await asked;
  if (status >= 300) throw new Error(`the service answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
