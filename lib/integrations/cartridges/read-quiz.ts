import type * as z from "zod";
import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { becomeAlike } from "../../assessment/qti/become-alike.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { firstIssue } from "../../platform/validation/issues.ts";
import { lostCharacters } from "../../platform/validation/unstorable.ts";
import { pictureOf, textOfHtml, textWithPictures } from "./html-to-blocks.ts";
import { fileAt, type PageAt } from "./paths.ts";
import { withWaitingPictures } from "./question-pictures.ts";
import { at, below, descendants, type Element, textOf } from "./xml.ts";

/** An essay becomes an assignment, since quizzes have no essay questions. */
export type ReadEssay = { title: string; instructions: string; points: number };

export type ReadQuiz = {
  title: string;
  isBank: boolean;
  timeLimitSeconds: number | null;
  maxAttempts: number | null;
  questions: QuestionCreate[];
  /** Of each question in the file, from 1. */
  numbers: number[];
  essays: ReadEssay[];
  /** Questions that were omitted wholly or in part, with the reason. */
  leftOut: string[];
};

type Asked = z.input<typeof QuestionCreate>;

class NotUnderstood extends Error {
  override name = "NotUnderstood";
}

const mostLeftOut = 50;

/** As many as a pool takes from one file. */
export const mostQuestions = 1000;

/**
 * Reads an assessment or question bank of QTI 1.2 in the profiles of Common Cartridge and Canvas. Reports
 * questions that it cannot read, by number and title. Pure.
 */
export function readQuiz(root: Element, place: PageAt = { path: "", names: new Set() }): ReadQuiz {
  const [assessment] = [root, ...below(root)].filter(
    ({ name }) => name === "assessment" || name === "objectbank",
  );
  const holder = assessment ?? root;
  const quiz: ReadQuiz = {
    title: holder.attributes["title"] ?? metadataOf(holder).get("bank_title") ?? "",
    isBank: holder.name === "objectbank",
    ...limitsOf(metadataOf(holder)),
    ...{ questions: [], numbers: [], essays: [], leftOut: [] },
  };
  const items = itemsIn(holder);
  for (const [index, { item, points }] of items.entries()) {
    const told = (why: string) => {
      if (quiz.leftOut.length < mostLeftOut) quiz.leftOut.push(`${index + 1}: ${truncate(why, 200)}`);
    };
    if (index >= mostQuestions) {
      told(`more than ${mostQuestions} questions`);
      break;
    }
    try {
      const before = quiz.questions.length;
      take(quiz, item, points, told, place);
      if (quiz.questions.length > before) quiz.numbers.push(index + 1);
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      told(error.message);
    }
  }
  return quiz;
}

/** Items of nested sections; Canvas's sections set the points of their items. */
function itemsIn(holder: Element, points?: number): { item: Element; points: number | undefined }[] {
  return below(holder).flatMap((child) => {
    if (child.name === "item") return [{ item: child, points }];
    if (child.name !== "section") return [];
    const stated = Number(
      textOf(at(child, "selection_ordering", "selection", "selection_extension", "points_per_item")),
    );
    return itemsIn(child, stated > 0 ? stated : points);
  });
}

function metadataOf(element: Element): Map<string, string> {
  const holders = [element, ...below(element, "itemmetadata")].flatMap((one) => below(one, "qtimetadata"));
  const fields = holders.flatMap((one) => below(one, "qtimetadatafield"));
  return new Map(fields.map((field) => [textOf(at(field, "fieldlabel")), textOf(at(field, "fieldentry"))]));
}

function limitsOf(metadata: Map<string, string>): Pick<ReadQuiz, "timeLimitSeconds" | "maxAttempts"> {
  const whole = (name: string) => {
    const value = Number(metadata.get(name) ?? Number.NaN);
    return Number.isSafeInteger(value) && value > 0 && value <= 1_000_000 ? value : undefined;
  };
  const minutes = whole("qmd_timelimit");
  return {
    timeLimitSeconds: minutes === undefined ? null : minutes * 60,
    maxAttempts: whole("cc_maxattempts") ?? null,
  };
}

/** By the names of Canvas and Common Cartridge. */
const kinds = new Map<string, string>(
  Object.entries({
    "cc.multiple_choice.v0p1": "choice",
    "cc.multiple_response.v0p1": "choice",
    "cc.true_false.v0p1": "choice",
    "cc.fib.v0p1": "entry",
    "cc.essay.v0p1": "essay",
    multiple_choice_question: "choice",
    multiple_answers_question: "choice",
    true_false_question: "choice",
    short_answer_question: "entry",
    numerical_question: "entry",
    essay_question: "essay",
  }),
);

/** How a text is written: what it reports, and the place of its pictures unless it has none. */
type Wording = { leaveOut: (what: string) => void; place?: PageAt };

function take(
  quiz: ReadQuiz,
  item: Element,
  sectionPoints: number | undefined,
  told: (why: string) => void,
  place: PageAt,
): void {
  const metadata = metadataOf(item);
  const kind = metadata.get("question_type") || metadata.get("cc_profile") || "";
  const presentation = at(item, "presentation");
  if (!presentation) throw new NotUnderstood(`${kind || "item"} without a presentation`);
  const understood = kinds.get(kind) ?? (kind === "" ? guessed(presentation) : undefined);
  const leftOut = new Set<string>();
  const leaveOut = (what: string) => leftOut.add(what);
  const wording = understood === "essay" ? { leaveOut } : { leaveOut: ofQuestion(leaveOut), place };
  const common = {
    question_text: asked(presentation, wording) || item.attributes["title"] || "",
    explanation: explanationOf(item, { leaveOut, place }),
    points: pointsOf(metadata, sectionPoints),
    ...(metadata.get("question_scoring") === "partial" && { scoring: "partial" as const }),
  };
  if (understood === "essay") {
    quiz.essays.push({
      title: item.attributes["title"] ?? "",
      instructions: truncate(common.question_text, 10_000),
      points: common.points,
    });
  } else {
    const answered =
      understood === "choice"
        ? choiceOf(item, presentation, wording)
        : understood === "entry"
          ? entryOf(item, presentation)
          : undefined;
    if (!answered) throw new NotUnderstood(kind || "an unnamed kind");
    quiz.questions.push(checked({ ...common, ...answered }));
  }
  for (const what of leftOut) told(what);
}

/** Without them, the question asks something else. */
const essential = new Set(["img", "math", "svg", "canvas", "matimage"]);

const ofQuestion =
  (leaveOut: (what: string) => void) =>
  (what: string): void => {
    if (essential.has(what)) throw new NotUnderstood(`its ${what} would be lost`);
    leaveOut(what);
  };

function guessed(presentation: Element): string | undefined {
  if (responsesIn(presentation).length !== 1) return undefined;
  return descendants(presentation).some(({ name }) => name === "render_choice") ? "choice" : "entry";
}

function checked(question: Asked): QuestionCreate {
  if (lostCharacters("body", question).length > 0) throw new NotUnderstood("a character is lost (U+FFFD)");
  const result = QuestionCreate.safeParse(question);
  if (result.success) return result.data;
  const { field, fault } = firstIssue(question, result.error, "question");
  throw new NotUnderstood(`${field}: ${fault}`);
}

const responsesIn = (presentation: Element): Element[] =>
  descendants(presentation).filter(({ name }) => /^response_(lid|str|num|grp|xy)$/.test(name));

/** Material outside of the answers. */
function asked(presentation: Element, wording: Wording): string {
  const materials = (element: Element): Element[] =>
    below(element).flatMap((child) => {
      if (/^(response_|render_)/.test(child.name)) return [];
      return child.name === "material" ? [child] : materials(child);
    });
  return materials(presentation)
    .map((one) => materialText(one, wording))
    .filter(Boolean)
    .join("\n\n");
}

function materialText(material: Element, wording: Wording): string {
  return below(material)
    .map((part) => {
      if (part.name === "mattext") return mattext(part, wording);
      if (part.name === "matimage") return matimage(part, wording);
      if (part.name === "mat_extension") return "";
      if (part.name !== "matbreak") wording.leaveOut(part.name);
      return "";
    })
    .filter(Boolean)
    .join("\n\n");
}

function mattext(element: Element, { leaveOut, place }: Wording): string {
  const text = textOf(element);
  if (element.attributes["texttype"] !== "text/html") return place ? withWaitingPictures(text, place) : text;
  return place ? textWithPictures(text, leaveOut, place) : textOfHtml(text, leaveOut);
}

function matimage({ attributes: { uri = "", label = "" } }: Element, { leaveOut, place }: Wording): string {
  const path = place && fileAt(uri, place.path, place.names);
  if (path === undefined) leaveOut("matimage");
  return path === undefined ? label : pictureOf(path, label);
}

function pointsOf(metadata: Map<string, string>, section: number | undefined): number {
  const stated = metadata.get("points_possible") || metadata.get("cc_weighting");
  return Math.round(stated ? 100 * numberIn(stated) : 100 * (section ?? 1)) / 100;
}

/** Feedback that does not depend on the answer: Canvas's general feedback, or a solution. */
function explanationOf(item: Element, wording: Wording): string | null {
  const feedback = below(item, "itemfeedback");
  const [general] = feedback.filter(({ attributes }) =>
    /^(general_fb|solution|explanation)$/.test(attributes["ident"] ?? ""),
  );
  if (feedback.length > (general ? 1 : 0)) wording.leaveOut("feedback for single answers");
  if (!general) return null;
  const materials = descendants(general).filter(({ name }) => name === "material");
  return materials.map((one) => materialText(one, wording)).join("\n\n") || null;
}

const earning = (item: Element): Element[] =>
  below(item, "resprocessing")
    .flatMap((one) => below(one, "respcondition"))
    .filter((condition) =>
      below(condition, "setvar").some(
        (set) => (set.attributes["varname"] ?? "SCORE") !== "" && Number(textOf(set)) > 0,
      ),
    );

/** The accepted answers, without those within `not`. */
function wanted(condition: Element): Element[] {
  return below(condition).flatMap((one) => {
    if (one.name === "not") return [];
    return /^var/.test(one.name) ? [one] : wanted(one);
  });
}

const wantedOf = (item: Element): Element[] =>
  earning(item)
    .flatMap((condition) => below(condition, "conditionvar"))
    .flatMap(wanted);

type Answered = Pick<Asked, "kind" | "options" | "answer">;

function choiceOf(item: Element, presentation: Element, wording: Wording): Answered {
  const [response, ...others] = responsesIn(presentation);
  if (!response || others.length > 0) throw new NotUnderstood("a choice with several answers to give");
  const labels = descendants(response).filter(({ name }) => name === "response_label");
  const options = labels.map((label) => ({
    id: label.attributes["ident"] ?? "",
    text: below(label)
      .filter(({ name }) => name === "material" || name === "flow_mat")
      .flatMap((one) =>
        one.name === "material" ? [one] : descendants(one).filter(({ name }) => name === "material"),
      )
      .map((one) => materialText(one, wording))
      .join("\n\n"),
  }));
  const contents = labels.map((label) => JSON.stringify(label.children));
  if (
    becomeAlike(
      options.map(({ text }) => text),
      contents,
    )
  )
    throw new NotUnderstood("two options would have the same text");
  const right = [
    ...new Set(
      wantedOf(item)
        .filter(({ name }) => name === "varequal")
        .map(textOf),
    ),
  ];
  if ((response.attributes["rcardinality"] ?? "").toLowerCase() === "multiple")
    return { kind: "MULTIPLE_CHOICE", options, answer: { option_ids: right } };
  if (right.length > 1) throw new NotUnderstood("a single choice with several correct answers");
  const said = options.find(({ id }) => id === right[0])?.text.toLowerCase();
  const truths = options.map(({ text }) => text.toLowerCase()).toSorted();
  if (said && truths.join() === "false,true")
    return { kind: "TRUE_FALSE", answer: { value: said === "true" } };
  return { kind: "SINGLE_CHOICE", options, answer: right[0] === undefined ? {} : { option_id: right[0] } };
}

function entryOf(item: Element, presentation: Element): Answered {
  const [response, ...others] = responsesIn(presentation);
  if (!response || others.length > 0) throw new NotUnderstood("an entry with several gaps");
  const [fib] = descendants(response).filter(({ name }) => name === "render_fib");
  const conditions = wantedOf(item);
  const isNumeric =
    /^(decimal|integer)$/i.test(fib?.attributes["fibtype"] ?? "") || response.name === "response_num";
  const texts = conditions.filter(({ name }) => name === "varequal").map(textOf);
  if (!isNumeric) return { kind: "SHORT_ANSWER", answer: { texts: [...new Set(texts)] } };
  const bound = (...names: string[]) =>
    conditions
      .filter(({ name }) => names.includes(name))
      .map(textOf)
      .map(numberIn);
  const [low, high] = [bound("vargte", "vargt"), bound("varlte", "varlt")];
  if (low.length > 1 || high.length > 1 || texts.length > 1)
    throw new NotUnderstood("a number with several correct ranges");
  const value =
    texts[0] !== undefined
      ? numberIn(texts[0])
      : low[0] !== undefined && high[0] !== undefined
        ? (low[0] + high[0]) / 2
        : Number.NaN;
  if (!Number.isFinite(value)) throw new NotUnderstood("a number without a correct value");
  const [below_, above] = [
    low[0] === undefined ? 0 : value - low[0],
    high[0] === undefined ? 0 : high[0] - value,
  ];
  if (Math.abs(below_ - above) > 1e-9 * Math.max(1, Math.abs(value)))
    throw new NotUnderstood("a number with an asymmetric range");
  return { kind: "NUMERIC", answer: { value, tolerance: rounded(Math.max(0, above)) } };
}

/** Rounds away floating-point errors of differences. */
const rounded = (value: number): number => Number(value.toPrecision(12));

function numberIn(text: string): number {
  const value = Number(text.trim() || Number.NaN);
  if (!Number.isFinite(value)) throw new NotUnderstood("an invalid number");
  return value;
}
