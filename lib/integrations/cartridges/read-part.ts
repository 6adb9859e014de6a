import { wordsOf } from "../../error-codes.ts";
import { HttpError } from "../../errors.ts";
import {
  type DecodedText,
  decodeText,
  lineOfLostCharacter,
  UndecodableText,
} from "../../platform/readers/decode-text.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import { lostCharacter } from "../../platform/text/lost-character.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { type ReadPage, readHtml, textOfHtml, webAddress } from "./html-to-blocks.ts";
import type { CartridgePlan } from "./plan.ts";
import { type ManifestGiven, readManifest } from "./read-manifest.ts";
import { type ReadQuiz, readQuiz } from "./read-quiz.ts";
import { at, below, type Element, parseXml, textOf } from "./xml.ts";

/** The worker thread's input: a manifest, or a part's bytes and kind. */
export type PartGiven =
  | { manifest: ManifestGiven }
  | { page: Uint8Array; path: string; names: string[] }
  | { topic: Uint8Array; path: string; names: string[] }
  | { link: Uint8Array }
  | { quiz: Uint8Array; path: string; names: string[] }
  | { assignment: Uint8Array; settings: Uint8Array | undefined; path: string; names: string[] };

export type ReadLink = { title: string; url: string };

export type ReadAssignment = {
  title: string;
  instructions: string;
  points: number | null;
  attachments: string[];
  leftOut: string[];
};

/** The worker thread's output; a refusal is the text of a code. */
export type PartRead = (
  | { plan: CartridgePlan }
  | { page: ReadPage }
  | { link: ReadLink }
  | { quiz: ReadQuiz }
  | { assignment: ReadAssignment }
  | { refusal: string }
) & {
  /** The encoding of its main file. */
  read_as?: string | undefined;
};

/** 400 for an invalid manifest, `refusal` for other unreadable parts. */
export function readPart(given: PartGiven): PartRead {
  if ("manifest" in given) return { plan: readManifest(given.manifest) };
  const sources: DecodedText[] = [];
  const decoded = (bytes: Uint8Array): string => {
    const source = decodeText(bytes);
    sources.push(source);
    return source.text;
  };
  const part = readText(given, decoded);
  const read_as = sources[0]?.read_as;
  // Questions with a lost character are reported one by one.
  if ("quiz" in part || !JSON.stringify(part).includes(lostCharacter)) return { ...part, read_as };
  const line = Math.min(...sources.map(({ text }) => lineOfLostCharacter(text)));
  return { refusal: wordsOf("text_character_lost", { line }), read_as };
}

type Decoded = (bytes: Uint8Array) => string;

function readText(given: Exclude<PartGiven, { manifest: unknown }>, decoded: Decoded): PartRead {
  try {
    if ("page" in given) return { page: readHtml(decoded(given.page), atOf(given)) };
    if ("topic" in given) return { page: topicOf(parseXml(decoded(given.topic)), atOf(given)) };
    if ("link" in given) return linkOf(parseXml(decoded(given.link)));
    if ("quiz" in given) return { quiz: readQuiz(parseXml(decoded(given.quiz)), atOf(given)) };
    return { assignment: assignmentOf(given, decoded) };
  } catch (error) {
    if (error instanceof UndecodableText) return { refusal: error.message };
    if (error instanceof XmlError)
      return { refusal: wordsOf("cartridge_xml_unreadable", { fault: truncate(error.message, 300) }) };
    if (error instanceof HttpError) return { refusal: error.message };
    throw error;
  }
}

const atOf = ({ path, names }: { path: string; names: string[] }) => ({ path, names: new Set(names) });

function topicOf(topic: Element, place: ReturnType<typeof atOf>): ReadPage {
  const text = at(topic, "text");
  const html = textOf(text);
  const page = text?.attributes["texttype"] === "text/plain" ? plain(html) : readHtml(html, place);
  const attached = attachmentsOf(topic);
  return {
    ...page,
    title: textOf(at(topic, "title")),
    leftOut: [...page.leftOut, ...attached.map((href) => `attachment: ${href}`)],
  };
}

const plain = (text: string): ReadPage => ({
  title: "",
  blocks: text ? [{ type: "paragraph", text }] : [],
  leftOut: [],
});

const attachmentsOf = (element: Element): string[] =>
  below(element, "attachments")
    .flatMap((one) => below(one, "attachment"))
    .flatMap((one) => one.attributes["href"] ?? []);

function linkOf(link: Element): PartRead {
  const source = at(link, "url")?.attributes["href"] ?? "";
  const url = webAddress(source);
  if (!url || url.startsWith("mailto:")) return { refusal: wordsOf("cartridge_link_not_of_web") };
  return { link: { title: textOf(at(link, "title")), url: source.trim() } };
}

type AssignmentGiven = Extract<PartGiven, { assignment: Uint8Array }>;

/** Common Cartridge's extension, or Canvas's page with its settings. */
function assignmentOf(given: AssignmentGiven, decoded: Decoded): ReadAssignment {
  const leftOut = new Set<string>();
  const text = decoded(given.assignment);
  if (given.settings) {
    const page = readHtml(text, atOf(given));
    const settings = parseXml(decoded(given.settings));
    const instructions = textOfHtml(text, (what) => leftOut.add(what), atOf(given));
    const points = pointsIn(textOf(at(settings, "points_possible")));
    return {
      title: textOf(at(settings, "title")) || page.title,
      instructions,
      points,
      attachments: [],
      leftOut: [...leftOut],
    };
  }
  const work = parseXml(text);
  const said = at(work, "text");
  const source = textOf(said);
  const instructions =
    said?.attributes["texttype"] === "text/plain"
      ? source
      : textOfHtml(source, (what) => leftOut.add(what), atOf(given));
  const gradable = at(work, "gradable");
  const points = pointsIn(gradable?.attributes["points_possible"] ?? "");
  return {
    title: textOf(at(work, "title")),
    instructions,
    points,
    attachments: attachmentsOf(work),
    leftOut: [...leftOut],
  };
}

const pointsIn = (text: string): number | null => {
  const points = Number(text.trim() || Number.NaN);
  return Number.isFinite(points) && points > 0 ? Math.min(9999.99, Math.round(points * 100) / 100) : null;
};
