import { dataOf, PlatformError, type Schemas } from "learning-platform-client";
import { archiveIn, base64Of, bytesOf, jsonTextOf } from "../components/chosen-files.ts";
import { issueMessage } from "../components/field-issues.ts";
import { api } from "../service.ts";
import { currentLanguage, type Text, t } from "../texts.ts";

export type Format = "json" | "qti";

/** The outcome of one question. A rejected one has a code or the parts that were left out. */
export type ImportRow = {
  name: string;
  outcome: Schemas["QtiImportResult"]["results"][number]["outcome"];
  note: string;
  code: string | null;
  /** The encoding of the file, unless it is UTF-8. */
  readAs?: string | undefined;
};

export type Imported = { dryRun: boolean; rows: ImportRow[] };

/** Imports files, or an uploaded file by id, into a pool. A dry run writes nothing. Throws faults of a whole file. */
export const importFiles = (
  pool: number,
  format: Format,
  held: File[] | number,
  dryRun: boolean,
): Promise<Imported> => (format === "json" ? importJson(pool, held, dryRun) : importQti(pool, held, dryRun));

async function importJson(pool: number, files: File[] | number, dry_run: boolean): Promise<Imported> {
  if (typeof files === "number") return takeQuestions(pool, { file_id: files, dry_run });
  const found = await Promise.all(files.map(questionsIn));
  // The service validates the file's content.
  const questions = found.flatMap((one) => one ?? []) as Schemas["QuestionCreate"][];
  const unread = files.filter((_, at) => found[at] === undefined);
  if (unread.length > 0)
    return {
      dryRun: dry_run,
      rows: unread.map(({ name }) => failed(name, t("questions.import.no.json"))),
    };
  return takeQuestions(pool, { questions, dry_run });
}

async function takeQuestions(pool: number, body: Schemas["QuestionImport"]): Promise<Imported> {
  const params = { path: { question_pool_id: pool } };
  const dryRun = body.dry_run;
  try {
    const { results } = await dataOf(api.importQuestions({ params, body }));
    const rows = results.map(({ outcome }, at) => ({ name: numbered(at), outcome, note: "", code: null }));
    return { dryRun, rows };
  } catch (error) {
    const rows = error instanceof PlatformError ? faultyRows(error.detail) : [];
    if (rows.length === 0) throw error;
    return { dryRun, rows };
  }
}

/** Questions of an export or a bare list, or undefined if the file is neither. */
async function questionsIn(file: File): Promise<unknown[] | undefined> {
  try {
    const held: unknown = JSON.parse(await jsonTextOf(file));
    const listed = typeof held === "object" && held && "questions" in held ? held.questions : held;
    return Array.isArray(listed) ? listed : undefined;
  } catch {
    return undefined;
  }
}

const failed = (name: string, note: string): ImportRow => ({ name, outcome: "failed", note, code: null });

const numbered = (at: number): string => t("questions.import.row", { n: at + 1 });

/** A row per fault that the refusal reports in a question, with the label of its text. */
export function faultyRows(detail: PlatformError["detail"]): ImportRow[] {
  if (typeof detail === "string") return [];
  return detail.flatMap(({ loc: [, list, at, ...field], msg, label }: Issue) =>
    (list === "questions" || list === "file_id") && typeof at === "number"
      ? [failed(numbered(at), [label ?? field.join("."), issueMessage(msg)].filter(Boolean).join(": "))]
      : [],
  );
}

type Issue = Exclude<PlatformError["detail"], string>[number] & { label?: string };

async function importQti(pool: number, files: File[] | number, dry_run: boolean): Promise<Imported> {
  const held = typeof files === "number" ? { file_id: files } : await qtiIn(files);
  const params = { path: { question_pool_id: pool } };
  const { results } = await dataOf(api.importQuestionsFromQti({ params, body: { ...held, dry_run } }));
  const rows = results.map(({ name, read_as, outcome, fault, code, left_out }) => ({
    ...{ name, outcome, code },
    readAs: read_as === "utf-8" ? undefined : (read_as ?? undefined),
    note: fault ?? (left_out.length > 0 ? t("questions.import.left.out", { what: listOf(left_out) }) : ""),
  }));
  return { dryRun: dry_run, rows };
}

/** Readable names of QTI elements. Others keep the element's name. */
const elements: Record<string, Text> = {
  ...{ img: "left.out.pictures", picture: "left.out.pictures", svg: "left.out.pictures" },
  ...{ audio: "left.out.sound", video: "left.out.films", object: "left.out.objects" },
  ...{ math: "left.out.formulas", table: "left.out.tables", stylesheet: "left.out.looks" },
  ...{ modalFeedback: "left.out.feedback", feedbackBlock: "left.out.feedback" },
  ...{ feedbackInline: "left.out.feedback", rubricBlock: "left.out.instructions" },
};

function listOf(names: readonly string[]): string {
  const words = new Set(names.map((name) => (elements[name] ? t(elements[name]) : name)));
  return new Intl.ListFormat(currentLanguage()).format(words);
}

async function qtiIn(files: File[]): Promise<Pick<Schemas["QtiImport"], "files" | "package">> {
  const archive = archiveIn(files);
  if (archive) return { package: await base64Of(archive) };
  return {
    files: await Promise.all(files.map(async (file) => ({ name: file.name, xml: await bytesOf(file) }))),
  };
}
