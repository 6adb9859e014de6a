/** `npm run interop imports`: imports files of third-party programs. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { decodeText, UndecodableTextError } from "../../lib/platform/readers/decode-text.ts";
import { isZip, unzipFiles } from "../../lib/platform/readers/zip.ts";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import {
  createImportingClientWithCourse,
  type ImportedQuestionPool,
  type ImportingClient,
} from "../../proof/import-check/importing-client.ts";
import {
  findLostCaptionWords,
  findLostPageWords,
  findLostQuestionContent,
} from "../../proof/import-check/losses.ts";
import {
  convertQtiPackageAndBack,
  installQuestionFilePrograms,
  writeQuestionFiles,
} from "../../proof/import-check/programs.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoRegistrar } from "../dev/seed/accounts.ts";

const { flags } = commandLine({
  usage: `npm run interop imports -- [--folder FOLDER]

Imports a QTI 1.2 package of text2qti and a GIFT file of gift-wrapper into a new server with the demonstration. Exports the
questions as QTI 2.1, and imports what qti-convert makes of the package: QTI 3.0, and that as QTI 2.1 again. The programs are
from PyPI. A missing program is named and is no failure. Fails if an import loses anything without a word.

--folder FOLDER  also imports every file of questions (.xml, .zip, .gift), course (.imscc) and captions (.vtt, .srt) in it`,
  flags: { folder: { type: "string" } },
});

type Counts = Record<"created" | "partly" | "refused" | "ignored", number>;

const none = (): Counts => ({ created: 0, partly: 0, refused: 0, ignored: 0 });

const told = ({ created, partly, refused, ignored }: Counts): string =>
  `${created} created, ${partly} partly, ${refused} refused, ${ignored} without questions`;

function countsOf({ rows }: ImportedQuestionPool): Counts {
  const counts = none();
  for (const { outcome, left_out_codes } of rows) {
    // Settings of a test or category are reported with a question, which is complete.
    const lost = left_out_codes.filter((code) => !code.endsWith("_setting"));
    if (outcome === "ignored") counts.ignored += 1;
    else if (outcome === "failed") counts.refused += 1;
    else counts[lost.length > 0 ? "partly" : "created"] += 1;
  }
  return counts;
}

/** Of each XML file, also in a package. */
async function lossesIn(file: string, imported: ImportedQuestionPool): Promise<string[]> {
  const bytes = await readFile(file);
  const { rows, questions } = imported;
  if (!isZip(bytes)) return lossesInText(path.basename(file), bytes, rows, questions);
  // A package that was rejected as a whole has one row, of another name.
  if (rows.length === 1 && rows[0]?.outcome === "failed") return [];
  const wanted = (name: string) => /\.(xml|qti|dat)$/i.test(name) && !name.includes("__MACOSX/");
  const texts = unzipFiles(bytes, { wanted, maxFiles: 1000, maxBytes: 1e9 });
  return texts.flatMap(({ name, bytes: inner }) =>
    lossesInText(
      name,
      inner,
      rows.filter((row) => row.name === name),
      questions,
    ),
  );
}

function lossesInText(
  name: string,
  bytes: Uint8Array,
  rows: ImportedQuestionPool["rows"],
  questions: ImportedQuestionPool["questions"],
): string[] {
  try {
    const { text } = decodeText(bytes);
    return /^\s*[[{]/.test(text) ? [] : findLostQuestionContent({ name, text, rows }, questions);
  } catch (error) {
    if (error instanceof UndecodableTextError) return [];
    throw error;
  }
}

async function checkPrograms(folder: string, client: ImportingClient): Promise<void> {
  const missing = await findMissingTool(["python3"]);
  if (missing) return console.log(`No program was checked: ${missing} is not installed.`);
  const programs = await installQuestionFilePrograms(folder).catch((error: unknown) => {
    if (!(error instanceof ToolFailure)) throw error;
    console.log(`No program was checked: they cannot be installed from PyPI here.\n${error.message}`);
    return undefined;
  });
  if (!programs) return;
  for (const written of await writeQuestionFiles(programs, folder)) {
    const imported = await client.importQuestions(written.path);
    const counts = countsOf(imported);
    const name = path.basename(written.path);
    if (counts.created !== written.supported || counts.created + counts.refused !== written.questions)
      throw new ToolFailure(`${name}: ${told(counts)}\n${JSON.stringify(imported.rows, null, 1)}`);
    refuseLosses(await lossesIn(written.path, imported));
    console.log(`${name.padEnd(16)} ok: ${told(counts)}`);
    const ours = await client.exportPool(imported.pool);
    for (const converted of await convertQtiPackageAndBack(programs, folder, ours)) {
      const again = await client.importQuestions(converted);
      if (!isDeepStrictEqual(withoutFiles(again.questions), withoutFiles(imported.questions)))
        throw new ToolFailure(
          `${path.basename(converted)} of ${name} has other questions\n${JSON.stringify(again, null, 1)}`,
        );
      console.log(`${path.basename(converted).padEnd(16)} ok: the same questions`);
    }
  }
}

/** Each pool has its own files. */
const withoutFiles = (questions: unknown): unknown =>
  JSON.parse(JSON.stringify(questions).replaceAll(/\(file:\d+\)/g, "(file)"));

function refuseLosses(losses: readonly string[]): void {
  if (losses.length > 0) throw new ToolFailure(`lost without a word:\n${losses.join("\n")}`);
}

/** Pages of a cartridge, of which each becomes an item. */
function pagesIn(archive: Buffer): { name: string; text: string }[] {
  const wanted = (name: string) => /^(?!course_settings\/).*\.x?html?$/i.test(name);
  return unzipFiles(archive, { wanted, maxFiles: 5000, maxBytes: 1e9 }).map(({ name, bytes }) => ({
    name,
    text: decodeText(bytes).text,
  }));
}

/** Imports every file of a folder, and counts the outcomes by folder. */
async function checkFolder(root: string, client: ImportingClient): Promise<void> {
  const names = await readdir(root, { recursive: true });
  const losses: string[] = [];
  const all = new Map<string, Counts>();
  for (const name of names.toSorted()) {
    const extension = path.extname(name).slice(1).toLowerCase();
    const file = path.join(root, name);
    const kind = `${name.split(path.sep)[0]} .${extension}`;
    const counts = all.get(kind) ?? none();
    const add = (outcome: keyof Counts, more = 1) => {
      counts[outcome] += more;
      all.set(kind, counts);
    };
    if (["xml", "zip", "gift"].includes(extension)) {
      const imported = await client.importQuestions(file);
      for (const [outcome, count] of Object.entries(countsOf(imported))) add(outcome as keyof Counts, count);
      losses.push(...(await lossesIn(file, imported)).map((loss) => `${name}: ${loss}`));
    } else if (extension === "imscc") {
      const { failure, parts, items } = await client.importCartridge(file);
      if (failure) add("refused");
      else {
        const lines = parts.flatMap(({ left_out }) => left_out);
        losses.push(...findLostPageWords(pagesIn(await readFile(file)), items, lines));
      }
      for (const { outcome, left_out, reason } of parts) {
        add(outcome.toLowerCase() as keyof Counts);
        const isSilent = outcome === "PARTLY" ? left_out.length === 0 : outcome !== "CREATED" && !reason;
        if (isSilent) losses.push(`${name}: a part is ${outcome} without a word`);
      }
    } else if (extension === "vtt" || extension === "srt") {
      const read = await client.readCaptions(file);
      add(typeof read === "string" ? "refused" : read.left_out.length > 0 ? "partly" : "created");
      if (typeof read !== "string") {
        const { text } = decodeText(await readFile(file));
        losses.push(...findLostCaptionWords({ name, text: text.replace(/^WEBVTT/, "") }, read));
      }
    }
  }
  for (const [kind, counts] of all) console.log(`${kind}: ${told(counts)}`);
  refuseLosses(losses);
  console.log("nothing was lost without a word");
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-import-check-"));
let platform: Platform | undefined;
try {
  platform = await startOwnPlatform(folder);
  const client = await createImportingClientWithCourse(platform.base, demoRegistrar);
  await checkPrograms(folder, client);
  if (flags.folder) await checkFolder(path.resolve(flags.folder), client);
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.log(error.message);
  process.exitCode = 1;
} finally {
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
}
