import { HttpError } from "../../errors.ts";
import { decodeText } from "../../platform/readers/decode-text.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import { reasonOf, type StoredReason, storedReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { assignmentRules, extensionRules, pointsIn, quizRules, topicRules } from "./canvas-settings.ts";
import { type ReadPage, readHtml, textOfHtml, webAddress } from "./html-to-blocks.ts";
import { type LeaveOut, type LeftOut, leftOut } from "./left-out.ts";
import type { CartridgePlan } from "./plan.ts";
import { type ManifestGiven, readManifest } from "./read-manifest.ts";
import { type ReadQuiz, readQuiz } from "./read-quiz.ts";
import { readRubric } from "./read-rubric.ts";
import { type Rules, readSettings, type TakenSettings } from "./settings.ts";
import { at, below, type Element, parseXml, textOf } from "./xml.ts";

/** The worker thread's input: a manifest, or a part's bytes and kind. */
export type PartGiven =
  | { manifest: ManifestGiven }
  | { page: Uint8Array; path: string; names: string[] }
  | { topic: Uint8Array; settings: Uint8Array | undefined; path: string; names: string[] }
  | { link: Uint8Array }
  | { quiz: Uint8Array; settings: Uint8Array | undefined }
  | {
      assignment: Uint8Array;
      settings: Uint8Array | undefined;
      rubrics: Uint8Array | undefined;
      path: string;
      names: string[];
    };

export type ReadLink = { title: string; url: string };

export type ReadAssignment = {
  title: string;
  instructions: string;
  settings: TakenSettings;
  rubric: object | undefined;
  attachments: string[];
  leftOut: LeftOut[];
};

/** The worker thread's output. */
export type PartRead =
  | { plan: CartridgePlan }
  | { page: ReadPage }
  | { link: ReadLink }
  | { quiz: ReadQuiz }
  | { assignment: ReadAssignment }
  | { refusal: StoredReason };

/** 400 for an invalid manifest, `refusal` for other unreadable parts. */
export function readPart(given: PartGiven): PartRead {
  if ("manifest" in given) return { plan: readManifest(given.manifest) };
  try {
    if ("page" in given) return { page: readHtml(decodeText(given.page), atOf(given)) };
    if ("topic" in given) return { page: topicOf(given) };
    if ("link" in given) return linkOf(parseXml(decodeText(given.link)));
    if ("quiz" in given) return { quiz: quizOf(given) };
    return { assignment: assignmentOf(given) };
  } catch (error) {
    if (error instanceof XmlError)
      return { refusal: storedReason("cartridge_xml_unreadable", { fault: truncate(error.message, 300) }) };
    if (error instanceof HttpError) return { refusal: reasonOf(error) };
    throw error;
  }
}

const atOf = ({ path, names }: { path: string; names: string[] }) => ({ path, names: new Set(names) });

function topicOf(given: Extract<PartGiven, { topic: Uint8Array }>): ReadPage {
  const page = textOfTopic(parseXml(decodeText(given.topic)), atOf(given));
  const { leftOut } = settingsOf(given.settings, topicRules);
  return { ...page, leftOut: [...page.leftOut, ...leftOut] };
}

const settingsOf = (bytes: Uint8Array | undefined, rules: Rules) =>
  bytes ? readSettings(parseXml(decodeText(bytes)), rules) : { taken: {}, leftOut: [] };

/** Settings of the program go before those of QTI. */
function quizOf(given: Extract<PartGiven, { quiz: Uint8Array }>): ReadQuiz {
  const quiz = readQuiz(parseXml(decodeText(given.quiz)));
  const { taken, leftOut } = settingsOf(given.settings, quizRules);
  const settings = { ...quiz.settings, ...taken };
  if (settings.description !== undefined)
    settings.description = textOfHtml(settings.description, (line) => leftOut.push(line));
  return { ...quiz, settings, leftOut: [...quiz.leftOut, ...leftOut] };
}

function textOfTopic(topic: Element, place: ReturnType<typeof atOf>): ReadPage {
  const text = at(topic, "text");
  const html = textOf(text);
  const page = text?.attributes["texttype"] === "text/plain" ? plain(html) : readHtml(html, place);
  const attached = attachmentsOf(topic);
  return {
    ...page,
    title: textOf(at(topic, "title")),
    leftOut: [
      ...page.leftOut,
      ...attached.map((path) => leftOut("left_out_attachment", { path: path.slice(0, 200) })),
    ],
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
  if (!url || url.startsWith("mailto:")) return { refusal: storedReason("cartridge_link_not_of_web") };
  return { link: { title: textOf(at(link, "title")), url: source.trim() } };
}

type AssignmentGiven = Extract<PartGiven, { assignment: Uint8Array }>;

/** Common Cartridge's extension, or Canvas's page with its settings. */
function assignmentOf(given: AssignmentGiven): ReadAssignment {
  const lines: LeftOut[] = [];
  const leaveOut = (line: LeftOut) => void lines.push(line);
  const text = decodeText(given.assignment);
  if (given.settings) {
    const page = readHtml(text, atOf(given));
    const instructions = textOfHtml(text, leaveOut, atOf(given));
    const { taken, leftOut } = settingsOf(given.settings, assignmentRules);
    const rubric = taken.rubric === undefined ? undefined : rubricOf(taken.rubric, given.rubrics, leaveOut);
    return {
      title: taken.title || page.title,
      ...{ instructions, settings: taken, rubric },
      attachments: [],
      leftOut: [...lines, ...leftOut],
    };
  }
  const work = parseXml(text);
  const said = at(work, "text");
  const source = textOf(said);
  const instructions =
    said?.attributes["texttype"] === "text/plain" ? source : textOfHtml(source, leaveOut, atOf(given));
  const points = pointsIn(at(work, "gradable")?.attributes["points_possible"] ?? "");
  const { taken, leftOut } = readSettings(work, extensionRules);
  return {
    title: taken.title ?? "",
    ...{ instructions, settings: points === undefined ? {} : { points }, rubric: undefined },
    attachments: attachmentsOf(work),
    leftOut: [...lines, ...leftOut],
  };
}

function rubricOf(identifier: string, rubrics: Uint8Array | undefined, leaveOut: LeaveOut) {
  const found = rubrics && readRubric(parseXml(decodeText(rubrics)), identifier);
  if (found && "rubric" in found) return found.rubric;
  const fault = found ? found.fault : "the cartridge does not contain it";
  leaveOut(leftOut("left_out_rubric", { fault: truncate(fault, 200) }));
  return undefined;
}
