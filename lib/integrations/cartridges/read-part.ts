import { HttpError } from "../../errors.ts";
import {
  type DecodedText,
  decodeText,
  lineOfLostCharacter,
  UndecodableTextError,
} from "../../platform/readers/decode-text.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import {
  type EncodedOmission,
  encodeOmission,
  type ReportOmission,
} from "../../platform/results/omission-codes.ts";
import {
  encodeStoredReason,
  httpErrorToStoredReason,
  type StoredReason,
} from "../../platform/results/stored-reason.ts";
import { lostCharacter } from "../../platform/text/lost-character.ts";
import { plainTextToMarkdown } from "../../platform/text/plain-text-markdown.ts";
import { truncate } from "../../platform/text/truncate.ts";
import {
  canvasAssignmentRules,
  canvasDiscussionRules,
  canvasQuizRules,
  cartridgeAssignmentSettingRules,
  parseCanvasPoints,
} from "./canvas-settings.ts";
import { allowedWebUrl, convertHtmlToBlocks, htmlToMarkdown, type ParsedPage } from "./html-to-blocks.ts";
import type { CartridgePlan } from "./plan.ts";
import { type ManifestInput, readManifest } from "./read-manifest.ts";
import { type ParsedRecording, parseOpenVideo } from "./read-open-video.ts";
import { parseQuestionPackage } from "./read-question-package.ts";
import { type ParsedQuiz, parseQtiQuiz } from "./read-quiz.ts";
import { parseRubricXml } from "./read-rubric.ts";
import { type ParsedToolLink, parseToolLink } from "./read-tool-link.ts";
import { applySettingRules, type ImportedSettings, type SettingRules } from "./settings.ts";
import { childElements, deepElementText, type Element, elementAtPath, parseXml } from "./xml.ts";

/** The worker thread's input: a manifest, or a part's bytes and kind. */
export type PartParserInput =
  | { manifest: ManifestInput }
  | { page: Uint8Array; path: string; names: string[] }
  | { topic: Uint8Array; settings: Uint8Array | undefined; path: string; names: string[] }
  | { link: Uint8Array }
  | { recording: Uint8Array }
  | { tool: Uint8Array }
  | { questionPackage: Uint8Array }
  | { quiz: Uint8Array; settings?: Uint8Array | undefined; path: string; names: string[] }
  | {
      assignment: Uint8Array;
      settings: Uint8Array | undefined;
      rubrics: Uint8Array | undefined;
      path: string;
      names: string[];
    };

export type ParsedLink = { title: string; url: string };

export type ParsedAssignment = {
  title: string;
  instructions: string;
  settings: ImportedSettings;
  rubric: object | undefined;
  attachments: string[];
  leftOut: EncodedOmission[];
};

/** The worker thread's output. */
export type ParsedPart = (
  | { plan: CartridgePlan }
  | { page: ParsedPage }
  | { link: ParsedLink }
  | { recording: ParsedRecording }
  | { tool: ParsedToolLink }
  | { quiz: ParsedQuiz }
  | { assignment: ParsedAssignment }
  | { refusal: StoredReason }
) & {
  read_as?: string | undefined;
};

/** 400 for an invalid manifest, `refusal` for other unreadable parts. */
export function readPart(given: PartParserInput): ParsedPart {
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
  return { refusal: encodeStoredReason("text_character_lost", { line }), read_as };
}

type Decoded = (bytes: Uint8Array) => string;

function readText(given: Exclude<PartParserInput, { manifest: unknown }>, decoded: Decoded): ParsedPart {
  try {
    if ("page" in given) return { page: convertHtmlToBlocks(decoded(given.page), atOf(given)) };
    if ("topic" in given) return { page: topicOf(given, decoded) };
    if ("link" in given) return linkOf(parseXml(decoded(given.link)));
    if ("recording" in given) return { recording: parseOpenVideo(parseXml(decoded(given.recording))) };
    if ("tool" in given) return parseToolLink(parseXml(decoded(given.tool)));
    if ("questionPackage" in given) return { quiz: parseQuestionPackage(given.questionPackage) };
    if ("quiz" in given) return { quiz: quizOf(given, decoded) };
    return { assignment: assignmentOf(given, decoded) };
  } catch (error) {
    if (error instanceof UndecodableTextError) return { refusal: error.reason };
    if (error instanceof XmlError)
      return {
        refusal: encodeStoredReason("cartridge_xml_unreadable", { fault: truncate(error.message, 300) }),
      };
    if (error instanceof HttpError) return { refusal: httpErrorToStoredReason(error) };
    throw error;
  }
}

const atOf = ({ path, names }: { path: string; names: string[] }) => ({ path, names: new Set(names) });

function topicOf(given: Extract<PartParserInput, { topic: Uint8Array }>, decoded: Decoded): ParsedPage {
  const page = textOfTopic(parseXml(decoded(given.topic)), atOf(given));
  const { taken, leftOut } = settingsOf(given.settings, canvasDiscussionRules, decoded);
  return { ...page, ...taken, leftOut: [...page.leftOut, ...leftOut] };
}

const settingsOf = (bytes: Uint8Array | undefined, rules: SettingRules, decoded: Decoded) =>
  bytes ? applySettingRules(parseXml(decoded(bytes)), rules) : { taken: {}, leftOut: [] };

/** Settings of the program go before those of QTI. */
function quizOf(given: Extract<PartParserInput, { quiz: Uint8Array }>, decoded: Decoded): ParsedQuiz {
  const quiz = parseQtiQuiz(parseXml(decoded(given.quiz)), atOf(given));
  const { taken, leftOut } = settingsOf(given.settings, canvasQuizRules, decoded);
  const settings = { ...quiz.settings, ...taken };
  if (settings.description !== undefined)
    settings.description = htmlToMarkdown(settings.description, (line) => leftOut.push(line));
  return { ...quiz, settings, leftOut: [...quiz.leftOut, ...leftOut] };
}

function textOfTopic(topic: Element, place: ReturnType<typeof atOf>): ParsedPage {
  const text = elementAtPath(topic, "text");
  const html = deepElementText(text);
  const page = isPlain(text) ? plain(html) : convertHtmlToBlocks(html, place);
  const attached = attachmentsOf(topic);
  return {
    ...page,
    title: deepElementText(elementAtPath(topic, "title")),
    leftOut: [
      ...page.leftOut,
      ...attached.map((path) => encodeOmission("left_out_attachment", { path: path.slice(0, 200) })),
    ],
  };
}

const plain = (text: string): ParsedPage => ({
  title: "",
  blocks: text ? [{ type: "paragraph", text: plainTextToMarkdown(text) }] : [],
  leftOut: [],
});

const isPlain = (text: Element | undefined): boolean =>
  text?.attributes["texttype"]?.toLowerCase() === "text/plain";

const attachmentsOf = (element: Element): string[] =>
  childElements(element, "attachments")
    .flatMap((one) => childElements(one, "attachment"))
    .flatMap((one) => one.attributes["href"] ?? []);

function linkOf(link: Element): ParsedPart {
  const source = elementAtPath(link, "url")?.attributes["href"] ?? "";
  const url = allowedWebUrl(source);
  if (!url || url.startsWith("mailto:")) return { refusal: encodeStoredReason("cartridge_link_not_of_web") };
  return { link: { title: deepElementText(elementAtPath(link, "title")), url: source.trim() } };
}

type AssignmentGiven = Extract<PartParserInput, { assignment: Uint8Array }>;

/** Common Cartridge's extension, or Canvas's page with its settings. */
function assignmentOf(given: AssignmentGiven, decoded: Decoded): ParsedAssignment {
  const lines: EncodedOmission[] = [];
  const leaveOut = (line: EncodedOmission) => void lines.push(line);
  const text = decoded(given.assignment);
  if (given.settings) {
    const page = convertHtmlToBlocks(text, atOf(given));
    const instructions = htmlToMarkdown(text, leaveOut, atOf(given));
    const { taken, leftOut } = settingsOf(given.settings, canvasAssignmentRules, decoded);
    const rubric =
      taken.rubric === undefined
        ? undefined
        : rubricOf(taken.rubric, given.rubrics && decoded(given.rubrics), leaveOut);
    return {
      title: taken.title || page.title,
      ...{ instructions, settings: taken, rubric },
      attachments: [],
      leftOut: [...lines, ...leftOut],
    };
  }
  const work = parseXml(text);
  const said = elementAtPath(work, "text");
  const source = deepElementText(said);
  const instructions = isPlain(said)
    ? plainTextToMarkdown(source)
    : htmlToMarkdown(source, leaveOut, atOf(given));
  const points = parseCanvasPoints(elementAtPath(work, "gradable")?.attributes["points_possible"] ?? "");
  const { taken, leftOut } = applySettingRules(work, cartridgeAssignmentSettingRules);
  return {
    title: taken.title ?? "",
    ...{ instructions, settings: points === undefined ? {} : { points }, rubric: undefined },
    attachments: attachmentsOf(work),
    leftOut: [...lines, ...leftOut],
  };
}

function rubricOf(identifier: string, rubrics: string | undefined, leaveOut: ReportOmission) {
  const found = rubrics && parseRubricXml(parseXml(rubrics), identifier, leaveOut);
  if (found && "rubric" in found) return found.rubric;
  const fault = found ? found.fault : "the cartridge does not contain it";
  leaveOut(encodeOmission("left_out_rubric", { fault: truncate(fault, 200) }));
  return undefined;
}
